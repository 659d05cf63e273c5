import type {
  CommandEntry,
  JoinEntry,
  LogEntry,
  Player,
  PlayerRef,
  Snapshot,
  SourceId,
} from "../../src/domain/model.ts";
import { serverStatus } from "../support/server-status.ts";

/** A game server with staff who come and go, and its own record of that: also of what nobody was shown. */

export interface MonthSession {
  readonly playerId: number;
  readonly joinS: number;
  readonly joinRow: LogEntry;
  leaveS: number | undefined;
  /** Absent: the game server ended first, and logs nothing of it. */
  leaveRow: LogEntry | undefined;
}

export interface TypedWords {
  readonly playerId: number;
  readonly atS: number;
  readonly text: string;
  readonly row: LogEntry;
}

/** Who was there with what, as one look showed it. */
export interface MonthLook {
  readonly atS: number;
  readonly teams: ReadonlyMap<number, string>;
}

/** Rows that a log shows at most. */
const WINDOW = 300;

interface Inside {
  readonly session: MonthSession;
  ref: Required<PlayerRef>;
  team: string;
  callsign: string;
}

export class MonthTown {
  readonly source: SourceId;
  readonly bindingId: string;
  readonly sessions: MonthSession[] = [];
  readonly typed: TypedWords[] = [];
  readonly looks: MonthLook[] = [];
  readonly shown = new Set<LogEntry>();
  readonly #inside = new Map<number, Inside>();
  #joinLog: JoinEntry[] = [];
  #commandLog: CommandEntry[] = [];

  constructor({ source, bindingId }: { readonly source: SourceId; readonly bindingId: string }) {
    this.source = source;
    this.bindingId = bindingId;
  }

  has(playerId: number): boolean {
    return this.#inside.has(playerId);
  }

  join(ref: Required<PlayerRef>, atS: number): void {
    if (this.has(ref.id)) return;
    const row: JoinEntry = { kind: "join", player: { ...ref }, atS, joined: true };
    const session: MonthSession = {
      playerId: ref.id,
      joinS: atS,
      joinRow: row,
      leaveS: undefined,
      leaveRow: undefined,
    };
    this.#joinLog.push(row);
    this.sessions.push(session);
    this.#inside.set(ref.id, { session, ref, team: "Civilian", callsign: "" });
  }

  leave(playerId: number, atS: number): void {
    const one = this.#inside.get(playerId);
    if (one === undefined || atS <= one.session.joinS) return;
    const row: JoinEntry = { kind: "join", player: { ...one.ref }, atS, joined: false };
    this.#joinLog.push(row);
    Object.assign(one.session, { leaveS: atS, leaveRow: row });
    this.#inside.delete(playerId);
  }

  change(playerId: number, change: Partial<Pick<Inside, "ref" | "team" | "callsign">>): void {
    const one = this.#inside.get(playerId);
    if (one !== undefined) Object.assign(one, change);
  }

  say(playerId: number, text: string, atS: number): void {
    const one = this.#inside.get(playerId);
    if (one === undefined) return;
    const row: CommandEntry = { kind: "command", player: { ...one.ref }, text, atS };
    this.#commandLog.push(row);
    this.typed.push({ playerId, atS, text, row });
  }

  /** The game server ends: everybody is out, its logs are gone, and none of them says so. */
  end(atS: number): void {
    for (const { session } of this.#inside.values()) session.leaveS = atS;
    this.#inside.clear();
    this.#joinLog = [];
    this.#commandLog = [];
  }

  look(atS: number): Snapshot {
    const joinLogs = this.#joinLog.slice(-WINDOW);
    const commandLogs = this.#commandLog.slice(-WINDOW);
    for (const row of [...joinLogs, ...commandLogs]) this.shown.add(row);
    const inside = [...this.#inside.values()];
    this.looks.push({ atS, teams: new Map(inside.map(({ ref, team }) => [ref.id, team])) });
    const players = inside.map(
      ({ ref, team, callsign }): Player => ({
        player: { ...ref },
        team,
        callsign,
        permission: "Server Moderator",
        wantedStars: 0,
      }),
    );
    return {
      source: this.source,
      askedAtMs: atS * 1_000,
      takenAtMs: atS * 1_000,
      serviceAtMs: atS * 1_000,
      status: serverStatus({ name: "Town", currentPlayers: players.length }),
      lists: { joinLogs, commandLogs, players, killLogs: [], modCalls: [], emergencyCalls: [] },
      skippedRows: {},
    };
  }
}
