import type { Case } from "../case.ts";
import type {
  Forgotten,
  HistoryRow,
  KnownPlayer,
  PlayerExport,
  PlayerHistory,
  PlayerSession,
  RetentionDays,
  RewindView,
  UnrecordedInterval,
} from "../history.ts";
import type { PlayerRef } from "../model.ts";
import type { CaseEvidence, Track } from "../track.ts";
import type { Stats } from "./stats.ts";

/**
 * What was kept of game servers. Every question names the guild, and is answered from what that guild's own links
 * brought. All calls reject with a Failure: "store" while the history cannot be read (nothing else depends on it),
 * "bad-command" where its operator turned it off.
 */

/** Finds players by what people type. */
export interface HistoryPlayers {
  /** By the beginning or a part of today's or an earlier name, or by the id in digits; seen last first. */
  search(guildId: string, typed: string, limit: number): Promise<readonly KnownPlayer[]>;
  /** By the id, or by the whole name: those who have it now, else those who had it. Several may have had it. */
  find(guildId: string, nameOrId: string): Promise<readonly KnownPlayer[]>;
  /** The same for several at once, each player once; for who waits to send a command, so that it waits a second at most. */
  findAll(guildId: string, namesOrIds: readonly string[]): Promise<readonly KnownPlayer[]>;
}

export interface PlayerPage {
  readonly sessions: readonly PlayerSession[];
  readonly rows: readonly HistoryRow[];
  /** To be given as `before` for the next page; absent: this is the last. */
  readonly older?: string;
}

export interface PlayerPageOptions {
  readonly playerId: number;
  /** `commands` are those they ran, `against` those that did something to them, as the card counts them. */
  readonly list: "sessions" | "kills" | "deaths" | "commands" | "against" | "calls";
  readonly limit: number;
  readonly before?: string | undefined;
  /** Absent: all servers of the guild. */
  readonly bindingId?: string | undefined;
}

export interface HistoryCards {
  /** undefined: nothing is kept of that player. */
  card(
    guildId: string,
    playerId: number,
    options: { readonly nowS: number; readonly bindingId?: string | undefined },
  ): Promise<PlayerHistory | undefined>;
  page(guildId: string, options: PlayerPageOptions): Promise<PlayerPage>;
}

export interface HistoryRewind {
  /** What happened on that server from `fromS` to `toS`, and who was in it at `atS`. */
  at(
    guildId: string,
    bindingId: string,
    times: {
      readonly atS: number;
      readonly fromS: number;
      readonly toS: number;
      /** Only what this player did, or what was done to them. */
      readonly player?: Required<PlayerRef> | undefined;
    },
  ): Promise<RewindView>;
  /** Newest first, at most 100. */
  unrecorded(guildId: string, sinceS: number): Promise<readonly UnrecordedInterval[]>;
}

/** What a guild decides about what is kept. */
export interface HistoryPrivacy {
  retention(guildId: string): Promise<RetentionDays>;
  /** 1 to 365; "off" erases what is kept and records nothing more. */
  setRetention(guildId: string, days: RetentionDays): Promise<void>;
  /**
   * Erases a player for this guild; rows up to `nowS` are not stored again, though the service shows them for a while.
   * undefined: nothing was kept of that player. Cases are no part of this.
   */
  forget(guildId: string, playerId: number, nowS: number): Promise<Forgotten | undefined>;
  export(guildId: string, playerId: number): Promise<PlayerExport | undefined>;
}

/** Where people were; recorded only for guilds that asked for it. */
export interface HistoryPositions {
  /** For how many days they are kept; 0: none are recorded. */
  days(guildId: string): Promise<number>;
  /** 0 to 30; 0 erases what is kept at once, but for what cases keep. */
  setDays(guildId: string, days: number): Promise<void>;
  /** Both seconds are included. */
  track(
    guildId: string,
    bindingId: string,
    span: { readonly fromS: number; readonly toS: number },
  ): Promise<Track>;
  /** What a case keeps of the minutes around it; undefined: nothing. */
  ofCase(guildId: string, number: number): Promise<CaseEvidence | undefined>;
  /** Whether a case keeps where people were, or will once its minutes are over. */
  hasReplay(one: Pick<Case, "guildId" | "number" | "atMs">): Promise<boolean>;
}

/** All of it. */
export interface History {
  readonly players: HistoryPlayers;
  readonly cards: HistoryCards;
  readonly rewind: HistoryRewind;
  readonly positions: HistoryPositions;
  readonly privacy: HistoryPrivacy;
  readonly stats: Stats;
}
