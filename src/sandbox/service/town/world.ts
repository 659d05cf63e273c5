import type { Prng } from "../prng.ts";
import { type Path, type Place, placeOn, STREET_COUNT } from "./map.ts";
import { personOf } from "./people.ts";
import { type Player, type Role, someCallsign, someTeam, someVehicle, type Team } from "./player.ts";
import {
  type EmergencyEntry,
  emptyRecord,
  type ModCallEntry,
  type PlayerRef,
  refText,
  type TownRecord,
} from "./record.ts";

/** The base facts of a server (spec: Server status). */
export interface TownInfo {
  readonly name: string;
  readonly ownerId: number;
  readonly coOwnerIds: readonly number[];
  readonly maxPlayers: number;
  readonly joinKey: string;
  readonly accVerifiedReq: string;
  readonly teamBalance: boolean;
}

/** How many rows of each log are served. */
export interface LogWindows {
  joins: number;
  kills: number;
  commands: number;
  modCalls: number;
}

/** The state that commands set and nobody can read through the service. */
export interface Environment {
  weather: string;
  time: string;
  priorityTimerS: number;
  peaceTimerS: number;
  fires: number;
  layout: string | null;
}

/** A town's present and its record, with the smallest steps that change them; each step keeps both in agreement. */
export class World {
  readonly record: TownRecord = emptyRecord();
  /** From which row of the record each log is still served: a restart of the game server moves it to the end. */
  readonly cleared = { joins: 0, kills: 0, commands: 0, modCalls: 0 };
  readonly players: Player[] = [];
  readonly queue: PlayerRef[] = [];
  readonly staff = new Map<number, { readonly name: string; role: Role }>();
  readonly bans = new Map<number, string>();
  readonly openCalls: EmergencyEntry[] = [];
  readonly environment: Environment = {
    weather: "clear",
    time: "12",
    priorityTimerS: 0,
    peaceTimerS: 0,
    fires: 0,
    layout: null,
  };
  readonly info: TownInfo;
  readonly windows: LogWindows;
  readonly random: Prng;
  nowMs: number;
  readonly #seed: number;
  readonly #people = new Map<number, PlayerRef>();
  readonly #texts = new WeakMap<PlayerRef, string>();
  #callNumber = 0;

  constructor(seed: number, random: Prng, info: TownInfo, windows: LogWindows, nowMs: number) {
    this.#seed = seed;
    this.random = random;
    this.info = info;
    this.windows = windows;
    this.nowMs = nowMs;
  }

  /** The present second. */
  get nowS(): number {
    return Math.floor(this.nowMs / 1_000);
  }

  /** The inhabitant with this index. */
  person(index: number): PlayerRef {
    let found = this.#people.get(index);
    if (!found) {
      found = personOf(this.#seed, index);
      this.#people.set(index, found);
    }
    return found;
  }

  /** The player with this id, when in the server. */
  find(id: number): Player | undefined {
    return this.players.find((player) => player.ref.id === id);
  }

  /** Whether someone with this id plays or waits. */
  isHere(id: number): boolean {
    return this.find(id) !== undefined || this.queue.some((waiting) => waiting.id === id);
  }

  /** Players who may answer moderator calls. */
  staffHere(): Player[] {
    return this.players.filter((player) => this.staff.has(player.ref.id));
  }

  /** Lets someone in, or into the queue when the server is full. */
  arrive(ref: PlayerRef): void {
    if (this.isHere(ref.id) || this.bans.has(ref.id)) return;
    if (this.players.length >= this.info.maxPlayers) this.queue.push(ref);
    else this.#enter(ref);
  }

  /** Takes someone out of the server (or the queue); the first who waits comes in. */
  depart(id: number): boolean {
    const waiting = this.queue.findIndex((ref) => ref.id === id);
    if (waiting >= 0) this.queue.splice(waiting, 1);
    const index = this.players.findIndex((player) => player.ref.id === id);
    const gone = this.players[index];
    if (!gone) return waiting >= 0;
    this.players.splice(index, 1);
    this.record.joins.push({ join: false, atS: this.nowS, player: this.#text(gone.ref) });
    const next = this.queue.shift();
    if (next) this.#enter(next);
    return true;
  }

  /** Notes a kill; the victim starts again elsewhere. */
  kill(killer: PlayerRef, killed: PlayerRef): void {
    this.record.kills.push({ killed: this.#text(killed), atS: this.nowS, killer: this.#text(killer) });
    const victim = this.find(killed.id);
    if (victim) this.respawn(victim);
  }

  /** Puts a command into the log. */
  logCommand(actor: PlayerRef, command: string, remote: boolean): void {
    this.record.commands.push({ player: this.#text(actor), atS: this.nowS, command, remote });
  }

  /** Calls a moderator. */
  modCall(caller: PlayerRef): ModCallEntry {
    const entry: ModCallEntry = { caller: this.#text(caller), atS: this.nowS };
    this.record.modCalls.push(entry);
    return entry;
  }

  /** A moderator answers; an answered call stays as it is. */
  answerModCall(call: ModCallEntry, moderator: PlayerRef): boolean {
    if (call.moderator !== undefined) return false;
    call.moderator = this.#text(moderator);
    call.answeredAtS = this.nowS;
    return true;
  }

  /** Opens an emergency call at the caller's place. */
  emergency(call: {
    team: string;
    caller: Player;
    description: string | null;
    described: boolean;
  }): EmergencyEntry {
    const place = this.placeOf(call.caller);
    this.#callNumber += 1;
    const entry: EmergencyEntry = {
      team: call.team,
      caller: call.caller.ref.id,
      players: [],
      position: [place.x, place.z],
      startedAtS: this.nowS,
      callNumber: this.#callNumber,
      description: call.description,
      positionDescriptor: call.described ? `${place.buildingNumber} ${place.streetName}` : null,
    };
    this.record.emergencyCalls.push(entry);
    this.openCalls.push(entry);
    return entry;
  }

  /** Ends an emergency call. */
  endEmergency(call: EmergencyEntry): void {
    const index = this.openCalls.indexOf(call);
    if (index < 0) return;
    this.openCalls.splice(index, 1);
    call.endedAtS = this.nowS;
  }

  /** Where a player is now. */
  placeOf(player: Player): Place {
    return placeOn(player.path, this.nowS);
  }

  /** A fresh way through the town. */
  somePath(): Path {
    return {
      street: this.random.int(0, STREET_COUNT - 1),
      startUnits: this.random.int(0, 2_000),
      unitsPerSecond: this.random.int(0, 28),
      sinceS: this.nowS,
    };
  }

  /** Puts a player into a team, with the callsign and without the vehicle of the one before. */
  setTeam(player: Player, team: Team): void {
    player.team = team;
    player.vehicle = null;
    player.callsign = someCallsign(this.random, team);
  }

  /** A new start: elsewhere, on foot, unhurt. */
  respawn(player: Player): void {
    player.path = this.somePath();
    player.vehicle = null;
    player.downed = false;
  }

  /** Gives a player a vehicle of the team. */
  spawnVehicle(player: Player): void {
    player.vehicle = someVehicle(this.random, player);
  }

  /** Ends everything that lives in the game server and clears its logs; the record keeps what was. */
  restart(): void {
    this.players.length = 0;
    this.queue.length = 0;
    for (const call of [...this.openCalls]) this.endEmergency(call);
    this.cleared.joins = this.record.joins.length;
    this.cleared.kills = this.record.kills.length;
    this.cleared.commands = this.record.commands.length;
    this.cleared.modCalls = this.record.modCalls.length;
    this.#callNumber = 0;
  }

  #enter(ref: PlayerRef): void {
    this.record.joins.push({ join: true, atS: this.nowS, player: this.#text(ref) });
    const team = someTeam(this.random);
    this.players.push({
      ref,
      team,
      callsign: someCallsign(this.random, team),
      wantedStars: 0,
      downed: false,
      teamBeforeJail: "Civilian",
      path: this.somePath(),
      vehicle: null,
    });
  }

  /** `name:id`, one string a person: a record of a million entries would else hold a million copies. */
  #text(ref: PlayerRef): string {
    let text = this.#texts.get(ref);
    if (text === undefined) {
      text = refText(ref);
      this.#texts.set(ref, text);
    }
    return text;
  }
}
