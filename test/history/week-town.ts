import type {
  CommandEntry,
  JoinEntry,
  KillEntry,
  LogEntry,
  ModCallEntry,
  PlayerRef,
  Snapshot,
} from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import { serverStatus } from "../support/server-status.ts";
import { SOURCE } from "./rig.ts";

/** A game server through a week, with a record of its own: of what happened, and of which rows anybody was shown. */

export interface TownPlayer extends Required<PlayerRef> {
  readonly permission: string;
}

export interface TownSession {
  readonly player: TownPlayer;
  readonly joinS: number;
  readonly joinRow: LogEntry;
  leaveS: number | undefined;
  /** Absent: the game server ended first, and logs nothing of it. */
  leaveRow: LogEntry | undefined;
}

export interface TownCall {
  readonly caller: TownPlayer;
  readonly atS: number;
  row: LogEntry;
  moderator: TownPlayer | undefined;
  answeredS: number | undefined;
  /** The look that showed the call first, and the one that showed its answer. */
  shownS: number | undefined;
  answerShownS: number | undefined;
}

export interface TownCommand {
  readonly by: TownPlayer;
  readonly target: TownPlayer | undefined;
  readonly atS: number;
  readonly row: LogEntry;
}

export interface TownKill {
  readonly killer: TownPlayer;
  readonly killed: TownPlayer;
  readonly atS: number;
  readonly row: LogEntry;
}

/** Rows that each log shows at most: a bot that is away for two hours misses none, as long as the game goes on. */
const WINDOW = 300;
const PLAYERS = 16;
const STAFF = 4;

export class WeekTown {
  readonly people: readonly TownPlayer[];
  readonly sessions: TownSession[] = [];
  readonly calls: TownCall[] = [];
  readonly kills: TownKill[] = [];
  readonly commands: TownCommand[] = [];
  /** Every time at which somebody was answered. */
  readonly looks: number[] = [];
  readonly shown = new Set<LogEntry>();
  /** How many were there, how many of staff, since when; oldest first. */
  readonly crowd: { readonly atS: number; readonly players: number; readonly staff: number }[] = [];
  readonly #open = new Map<TownPlayer, TownSession>();
  readonly #random: Random;
  #joinLog: JoinEntry[] = [];
  #killLog: KillEntry[] = [];
  #commandLog: CommandEntry[] = [];
  #callLog: ModCallEntry[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.people = Array.from({ length: PLAYERS + STAFF }, (_, n) => ({
      name: n < STAFF ? `Mod_${n}_` : `Player_${n}_`,
      id: 100 + n,
      permission: n < STAFF ? "Server Moderator" : "Normal",
    }));
  }

  /** What happens in this second. `crowdedness` from 0 to 1: how much the players want to be there. */
  happen(atS: number, crowdedness: number): void {
    const who = this.#one(this.people);
    const session = this.#open.get(who);
    const stays = this.#chance(crowdedness);
    if (session === undefined && stays) this.#join(who, atS);
    else if (session !== undefined && !stays) this.#leave(session, atS);
    const inside = [...this.#open.keys()];
    if (inside.length < 2) return;
    if (this.#chance(0.15)) this.#kill(this.#one(inside), this.#one(inside), atS);
    const staff = inside.filter(({ permission }) => permission !== "Normal");
    if (this.#chance(0.02)) this.#call(this.#one(inside), atS);
    if (staff.length === 0) return;
    const [by, target] = [this.#one(staff), this.#one(inside)];
    if (this.#chance(0.04)) this.#command(by, target, atS);
    const waiting = this.calls
      .slice(-5)
      .find(({ moderator, row }) => moderator === undefined && this.#isListed(row));
    if (waiting !== undefined && this.#chance(0.05)) this.#answer(waiting, by, atS);
  }

  /** The game server ends: everybody is out of it, its logs are gone, and none of them says so. */
  end(atS: number): void {
    for (const session of this.#open.values()) session.leaveS = atS;
    this.#open.clear();
    this.#joinLog = [];
    this.#killLog = [];
    this.#commandLog = [];
    this.#callLog = [];
    this.#count(atS);
  }

  /** Everybody who was there a moment ago tries to come back. */
  comeBack(atS: number, players: readonly TownPlayer[]): void {
    for (const player of players) if (!this.#open.has(player)) this.#join(player, atS);
  }

  get inside(): readonly TownPlayer[] {
    return [...this.#open.keys()];
  }

  /** An answer of the service; rows that the answer before had are the same objects, as the client reads them. */
  look(atS: number): Snapshot {
    this.looks.push(atS);
    const lists = {
      joinLogs: this.#joinLog.slice(-WINDOW),
      killLogs: this.#killLog.slice(-WINDOW),
      commandLogs: this.#commandLog.slice(-WINDOW),
      modCalls: this.#callLog.slice(-WINDOW),
    };
    for (const row of Object.values(lists).flat()) this.shown.add(row);
    for (const call of this.calls.slice(-20)) {
      if (!this.shown.has(call.row) || !this.#isListed(call.row)) continue;
      call.shownS ??= atS;
      if (call.answeredS !== undefined) call.answerShownS ??= atS;
    }
    const players = this.inside.map(({ name, id, permission }) => ({
      player: { name, id },
      team: "Civilian",
      permission,
      wantedStars: 0,
    }));
    return {
      source: SOURCE,
      askedAtMs: atS * 1_000,
      takenAtMs: atS * 1_000,
      serviceAtMs: atS * 1_000,
      status: serverStatus({ name: "Town", currentPlayers: players.length }),
      lists: { ...lists, players, emergencyCalls: [] },
      skippedRows: {},
    };
  }

  #join(player: TownPlayer, atS: number): void {
    const row: JoinEntry = { kind: "join", player: ref(player), atS, joined: true };
    const session: TownSession = { player, joinS: atS, joinRow: row, leaveS: undefined, leaveRow: undefined };
    this.#joinLog.push(row);
    this.sessions.push(session);
    this.#open.set(player, session);
    this.#count(atS);
  }

  #leave(session: TownSession, atS: number): void {
    if (atS <= session.joinS) return;
    const row: JoinEntry = { kind: "join", player: ref(session.player), atS, joined: false };
    this.#joinLog.push(row);
    session.leaveS = atS;
    session.leaveRow = row;
    this.#open.delete(session.player);
    this.#count(atS);
  }

  #kill(killer: TownPlayer, killed: TownPlayer, atS: number): void {
    if (killer === killed) return;
    const row: KillEntry = { kind: "kill", killer: ref(killer), killed: ref(killed), atS };
    this.#killLog.push(row);
    this.kills.push({ killer, killed, atS, row });
  }

  #command(by: TownPlayer, target: TownPlayer, atS: number): void {
    const isAimed = this.#chance(0.7);
    const text = isAimed ? `:pm ${target.name} hello` : ":time 12";
    const row: CommandEntry = { kind: "command", player: ref(by), text, atS };
    this.#commandLog.push(row);
    this.commands.push({ by, target: isAimed ? target : undefined, atS, row });
  }

  #call(caller: TownPlayer, atS: number): void {
    const row: ModCallEntry = { kind: "modCall", caller: ref(caller), atS };
    this.#callLog.push(row);
    const open = { moderator: undefined, answeredS: undefined, shownS: undefined, answerShownS: undefined };
    this.calls.push({ caller, atS, row, ...open });
  }

  /** The same call changes. */
  #answer(call: TownCall, moderator: TownPlayer, atS: number): void {
    const at = this.#callLog.indexOf(call.row as ModCallEntry);
    const row: ModCallEntry = {
      kind: "modCall",
      caller: ref(call.caller),
      atS: call.atS,
      moderator: ref(moderator),
    };
    this.#callLog[at] = row;
    Object.assign(call, { row, moderator, answeredS: atS });
  }

  #isListed(row: LogEntry): boolean {
    return this.#callLog.some((listed) => listed === row);
  }

  #count(atS: number): void {
    const staff = this.inside.filter(({ permission }) => permission !== "Normal").length;
    this.crowd.push({ atS, players: this.#open.size, staff });
  }

  #one<T>(some: readonly T[]): T {
    const one = some[Math.floor(this.#random.next() * some.length)];
    if (one === undefined) throw new Error("nothing to choose from");
    return one;
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

function ref({ name, id }: TownPlayer): Required<PlayerRef> {
  return { name, id };
}
