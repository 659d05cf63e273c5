/** The values of the service, in our spelling. Times are epoch seconds, as the service counts them. */

/** One server as the service knows it: HMAC of its key, hex. Safe to log and to store. */
export type SourceId = string & { readonly __source: unique symbol };

/** `name:id` of the wire. `id` is missing for "Remote Server" and wherever only a bare name is given. */
export interface PlayerRef {
  readonly name: string;
  readonly id?: number;
}

export interface ServerStatus {
  readonly name: string;
  readonly ownerId: number;
  readonly coOwnerIds: readonly number[];
  readonly currentPlayers: number;
  readonly maxPlayers: number;
  /** How players join; shown to staff only. */
  readonly joinKey: string;
  /** `Disabled`, `Email`, `Phone/ID`, or a value that we have not met. */
  readonly accVerifiedReq: string;
  readonly teamBalance: boolean;
}

export interface PlayerLocation {
  /** Map units, x to the right. */
  readonly x: number;
  /** Map units, z downwards. */
  readonly z: number;
  readonly postalCode?: string;
  readonly streetName?: string;
  readonly buildingNumber?: string;
}

export interface Player {
  readonly player: PlayerRef;
  readonly team: string;
  readonly permission: string;
  readonly callsign?: string;
  readonly location?: PlayerLocation;
  readonly wantedStars: number;
}

/** Staff of the game server: user id -> name. */
export interface Staff {
  readonly admins: ReadonlyMap<number, string>;
  readonly mods: ReadonlyMap<number, string>;
  readonly helpers: ReadonlyMap<number, string>;
}

export interface JoinEntry {
  readonly kind: "join";
  readonly atS: number;
  readonly player: PlayerRef;
  /** true: joined; false: left. */
  readonly joined: boolean;
}

export interface KillEntry {
  readonly kind: "kill";
  readonly atS: number;
  readonly killer: PlayerRef;
  readonly killed: PlayerRef;
}

export interface CommandEntry {
  readonly kind: "command";
  readonly atS: number;
  readonly player: PlayerRef;
  readonly text: string;
}

export interface ModCallEntry {
  readonly kind: "modCall";
  readonly atS: number;
  readonly caller: PlayerRef;
  /** Absent until a moderator answers; then the same row of the log changes. */
  readonly moderator?: PlayerRef;
}

/** A row of one of the four logs, which feeds post. */
export type LogEntry = JoinEntry | KillEntry | CommandEntry | ModCallEntry;

/** A call that is open now: state, not a log. It is identified by callNumber and startedAtS. */
export interface EmergencyCall {
  readonly team: string;
  readonly callerId?: number;
  readonly unitIds: readonly number[];
  readonly position?: readonly [x: number, z: number];
  readonly startedAtS: number;
  readonly callNumber: number;
  readonly description?: string;
  readonly positionDescriptor?: string;
}

export interface Vehicle {
  readonly name: string;
  /** A bare name, without an id. */
  readonly owner: string;
  readonly plate?: string;
  readonly texture?: string;
  readonly colorHex?: string;
  readonly colorName?: string;
}

/** The nine optional lists of `GET /v2/server`. */
export interface Lists {
  readonly players: readonly Player[];
  readonly staff: Staff;
  readonly joinLogs: readonly JoinEntry[];
  readonly queue: readonly number[];
  readonly killLogs: readonly KillEntry[];
  readonly commandLogs: readonly CommandEntry[];
  readonly modCalls: readonly ModCallEntry[];
  readonly emergencyCalls: readonly EmergencyCall[];
  readonly vehicles: readonly Vehicle[];
}

export type ListName = keyof Lists;

/** The four lists that are logs and have a journal. */
export type LogList = "joinLogs" | "killLogs" | "commandLogs" | "modCalls";

/** One answer of the service: the base fields and exactly the lists that were asked for. */
export interface Snapshot {
  readonly source: SourceId;
  /** When the request was written and when the answer was read, our clock, epoch milliseconds. */
  readonly askedAtMs: number;
  readonly takenAtMs: number;
  /** When it was answered by the service's own clock, in whole seconds; absent where the answer did not say. */
  readonly serviceAtMs?: number | undefined;
  readonly status: ServerStatus;
  readonly lists: Partial<Lists>;
  /** Rows that could not be read, per list. They are counted and logged; the other rows are used. */
  readonly skippedRows: Partial<Record<ListName, number>>;
  /** Rows later than the service's present by more than ten minutes: left out before anything learns from them. */
  readonly setAsideRows?: Partial<Record<ListName, number>>;
}

/** The latest known state of a source, list by list, each with its own age. */
export interface ServerState {
  readonly source: SourceId;
  readonly status: ServerStatus;
  readonly statusAtMs: number;
  /** How far the service's clock, which dates rows, is ahead of ours, which dates lists. @default 0 */
  readonly serviceAheadMs?: number | undefined;
  readonly lists: { readonly [L in ListName]?: { readonly atMs: number; readonly value: Lists[L] } };
  /** By id, as far as its answers told them, also such as have gone from the lists since. */
  readonly ownerNames?: ReadonlyMap<number, string>;
}

/** Asks for lists of a source. A source is polled as long as there is a demand on it. */
export interface Demand {
  readonly source: SourceId;
  readonly lists: readonly ListName[];
  /** The guild that demands it; guilds share the polls, however many servers each has. */
  readonly guildId?: string;
  /**
   * How young the lists must be, for somebody who waits. Demands with an age get at most a fifth of the polls, and the
   * age ends after 15 minutes. Absent: the schedule sets the pace.
   */
  readonly maxAgeMs?: number;
  /**
   * How far apart looks should be for a while, where the guild had less than an even share of the polls so far; it takes
   * nothing from the shares of others. Absent: the schedule sets the pace.
   */
  readonly finerMs?: number;
  /** Epoch milliseconds; absent: until it is withdrawn. */
  readonly untilMs?: number;
}

/** The answer 200 of the command route. */
export interface CommandAnswer {
  readonly message: string;
  readonly commandId?: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}
