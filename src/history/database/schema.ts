import type { ColumnType } from "kysely";

/**
 * The tables. Rows of logs refer to a server of a guild and to a person by small integers, because with the texts in
 * each row ten million rows take three times the room. Times are epoch seconds unless a name says otherwise.
 */

/** A guild of which anything is kept. */
export interface GuildTable {
  readonly id: number;
  readonly guild_id: string;
  /** 0: off. */
  readonly retention_days: number;
  /** How long positions are kept; 0: none are recorded. */
  readonly positions_days: number;
  /** Raised when a person is forgotten or the retention changes: what another process remembers is then void. */
  readonly version: number;
}

/** A linked server of a guild. It keeps its row when its key is replaced. */
export interface ScopeTable {
  readonly id: number;
  readonly guild: number;
  readonly binding_id: string;
  /** Rows before this are not kept: the guild had not linked the server. Not known before the first row was seen. */
  readonly start_s: number | null;
  /** When it was unlinked, epoch milliseconds: it is erased some time later. */
  readonly ended_ms: number | null;
  /** The last look whose list of players was what the rows say; null: there was none since this is kept. */
  readonly looked_s: number | null;
  /** The one before it. */
  readonly looked_before_s: number | null;
}

/** A player of a guild; or a bare name without an id, such as the one of commands by the interface. */
export interface PersonTable {
  readonly id: number;
  readonly guild: number;
  /** 0: none. */
  readonly player_id: number;
  /** The name of somebody without an id; otherwise empty. */
  readonly bare_name: string;
  readonly first_s: number;
  readonly last_s: number;
}

export interface NameTable {
  readonly guild: number;
  readonly person: number;
  readonly name: string;
  /** In lower case, for the search. */
  readonly name_key: string;
  readonly first_s: number;
  readonly last_s: number;
}

/** How a row of `visits` came about. seenAgain: there before a gap of the join log, and there after it. */
export const VISIT = { left: 0, joined: 1, appeared: 2, vanished: 3, seenAgain: 4 } as const;
export type VisitKind = (typeof VISIT)[keyof typeof VISIT];

/** Joins and leaves of the log; and what only the lists of players show. Sessions are made of these. */
export interface VisitTable {
  readonly scope: number;
  readonly at_s: number;
  readonly person: number;
  readonly kind: VisitKind;
  /** The place among rows that are equal otherwise. */
  readonly n: number;
  /** Of what only the lists show: the look before. */
  readonly after_s: number | null;
}

export interface KillTable {
  readonly scope: number;
  readonly at_s: number;
  readonly killer: number;
  readonly killed: number;
  readonly n: number;
}

export interface CommandTable {
  readonly scope: number;
  readonly at_s: number;
  readonly person: number;
  /** 48 bits of a salted hash of the text: it stands in the key instead of the text. */
  readonly hash: number;
  readonly n: number;
  readonly text: string;
}

/** Whom a command was aimed at, where its text names exactly one player who was in the server. */
export interface CommandTargetTable {
  readonly scope: number;
  readonly at_s: number;
  readonly person: number;
  readonly hash: number;
  readonly n: number;
  readonly target: number;
}

export interface ModCallTable {
  readonly scope: number;
  readonly at_s: number;
  readonly caller: number;
  readonly n: number;
  /** Once known it stays. */
  readonly moderator: number | null;
  /** The look that showed the answer first; null: it is open, or was answered before such times were kept. */
  readonly answered_s: number | null;
  /** The look before that one, where it is known: the answer came after it. */
  readonly open_s: number | null;
}

export interface EmergencyCallTable {
  readonly scope: number;
  readonly at_s: number;
  readonly number: number;
  readonly team: string;
  readonly caller: number | null;
  readonly description: string | null;
  readonly place: string | null;
}

/** The rank of somebody in the game, a row when it was seen first and for each change. */
export interface RankTable {
  readonly scope: number;
  readonly person: number;
  readonly at_s: number;
  readonly permission: string;
}

/** Everybody in a server, once an hour: so that who was there is known without reading all rows before. */
export interface RosterTable {
  readonly scope: number;
  readonly at_s: number;
  /** Ids of persons, with commas between them. */
  readonly persons: string;
}

/** How many were in a server, a row when it changes, at most one a minute. */
export interface CountTable {
  readonly scope: number;
  readonly at_s: number;
  readonly players: number;
  readonly staff: number | null;
  readonly queue: number | null;
}

export interface GapTable {
  readonly scope: number;
  readonly log: string;
  readonly from_s: number;
  readonly to_s: number;
}

/** Who was forgotten, and until when rows of theirs are left out: keyed hashes of the id and each name, so that the table names nobody. */
export interface BarrierTable {
  readonly guild: number;
  readonly mark: string;
  readonly until_s: number;
}

/** The last number that was given out, by table. Numbers are never used again. */
export interface CounterTable {
  readonly name: string;
  readonly value: number;
}

/** Values of this database, made once. */
export interface FactTable {
  readonly name: string;
  readonly value: string;
}

/** A case. Guilds stand as text: cases stay when the rows of a guild go. */
export interface CaseTable {
  readonly guild_id: string;
  readonly number: number;
  readonly kind: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  /** Where it came from; the same origin is the same case. */
  readonly origin: string | null;
  /** The linked server; null: of none. */
  readonly binding_id: string | null;
  readonly author_user: string | null;
  readonly author_player: number | null;
  /** 1: it counts no more. */
  readonly is_revoked: number;
  /** As `opennessOf` tells: a restart has to look at it again. */
  readonly is_open: number;
  /** The whole case, JSON. */
  readonly body: string;
}

/** Whom a case names. */
export interface CaseTargetTable {
  readonly guild_id: string;
  /** 0: a text that names nobody, or several. */
  readonly player_id: number;
  /** In lower case, for the search. */
  readonly name_key: string;
  readonly number: number;
}

export interface WatchTable {
  readonly guild_id: string;
  readonly player_id: number;
  /** The watch with the joins that were posted of it, JSON. */
  readonly body: string;
}

/** A guild that has cases or watches and no server any more, since when by our clock. */
export interface DepartureTable {
  readonly guild_id: string;
  readonly at_ms: number;
}

/** What stands for the origin of a case that was erased: the same origin makes no case again. */
export interface ErasedCaseTable {
  readonly guild_id: string;
  readonly hash: number;
}

/** Something that is kept of duty, by its kind: a shift, what somebody said, whose account a player was. */
export interface DutyTable {
  readonly guild_id: string;
  readonly kind: string;
  readonly id: string;
  /** Empty, and 0: of nobody. */
  readonly user_id: string;
  readonly player_id: number;
  readonly from_s: number;
  /** What goes on has a time that never comes, so that one index finds both. */
  readonly until_s: number;
  /** JSON. */
  readonly body: string;
}

/** Where everybody was at the looks of one minute. */
export interface PositionTable {
  readonly scope: number;
  /** The start of the minute. */
  readonly at_s: number;
  /** Who is in it: numbers of persons between commas. */
  readonly people: string;
  /** As `positions/chunk.ts` writes it. */
  readonly body: Uint8Array;
}

/** What a case keeps of the minutes around it, whatever becomes of the rows and positions of its server. */
export interface CaseEvidenceTable {
  readonly guild_id: string;
  readonly number: number;
  readonly binding_id: string;
  /** When it happened. */
  readonly at_s: number;
  /** 1: the minutes after it are not over, or nobody has gathered them yet. */
  readonly is_open: number;
  /** The game's ids of those whom it names, between commas. */
  readonly people: string;
  /** As `positions/case-evidence.ts` writes it; null: nothing is gathered yet. */
  readonly body: Uint8Array | null;
}

/** A column that is only written when the row is made or changed by name; plain numbers and texts on both databases. */
type Writable<T> = { [K in keyof T]: ColumnType<T[K], T[K], T[K]> };

export interface HistoryTables {
  readonly guilds: Writable<GuildTable>;
  readonly scopes: Writable<ScopeTable>;
  readonly persons: Writable<PersonTable>;
  readonly names: Writable<NameTable>;
  readonly visits: Writable<VisitTable>;
  readonly kills: Writable<KillTable>;
  readonly commands: Writable<CommandTable>;
  readonly command_targets: Writable<CommandTargetTable>;
  readonly mod_calls: Writable<ModCallTable>;
  readonly emergency_calls: Writable<EmergencyCallTable>;
  readonly ranks: Writable<RankTable>;
  readonly rosters: Writable<RosterTable>;
  readonly counts: Writable<CountTable>;
  readonly gaps: Writable<GapTable>;
  readonly barriers: Writable<BarrierTable>;
  readonly counters: Writable<CounterTable>;
  readonly facts: Writable<FactTable>;
  readonly cases: Writable<CaseTable>;
  readonly case_targets: Writable<CaseTargetTable>;
  readonly watches: Writable<WatchTable>;
  readonly departures: Writable<DepartureTable>;
  readonly erased_cases: Writable<ErasedCaseTable>;
  readonly duty: Writable<DutyTable>;
  readonly positions: Writable<PositionTable>;
  readonly case_evidence: Writable<CaseEvidenceTable>;
}
