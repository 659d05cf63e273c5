import type { PlayerRef } from "./model.ts";

/** The words of what was kept: who was where, and what happened. Times are epoch seconds, as the service counts them. */

/** A player that a guild's servers have shown. */
export interface KnownPlayer {
  readonly playerId: number;
  /** As it was called when it was last seen. */
  readonly name: string;
  /** Other names that it had, newest first. */
  readonly earlierNames: readonly string[];
  readonly firstSeenS: number;
  /** When they left. Of a player who is in the game up to five minutes earlier: it is not written each time. */
  readonly lastSeenS: number;
}

/** One end of a session, and how sure it is. */
export interface SessionEnd {
  readonly atS: number;
  /** A row of the join log says so. Otherwise the lists of players do: it was at `atS` or before. */
  readonly isSure: boolean;
  /** Of an end that is not sure: it was after this, as far as known. */
  readonly afterS?: number;
  /** Of an end that is not sure: they were there at `atS` too, and in between nobody could see who was. */
  readonly isUnseen?: true;
}

/**
 * How long a session surely lasted, epoch seconds: an end that nobody saw counts to the last look before it, one that has
 * not come to the last look of all.
 */
export function sessionUntilS(
  { start, end }: Pick<PlayerSession, "start" | "end">,
  lookedS: number | undefined,
): number {
  const untilS = end === undefined ? lookedS : end.isSure ? end.atS : end.afterS;
  return Math.max(start.atS, untilS ?? start.atS);
}

export interface PlayerSession {
  readonly bindingId: string;
  readonly start: SessionEnd;
  /** Absent: in the game, as far as known. */
  readonly end?: SessionEnd;
  /** Of one without an end, in the list of sessions: the last look, at which they were in the game. */
  readonly seenS?: number;
}

/** What happened on a linked server, one row of a log. `bindingId` names the server. */
export type HistoryRow = { readonly bindingId: string; readonly atS: number } & (
  | { readonly kind: "join" | "leave"; readonly player: PlayerRef }
  /** In the list of players without a join, or gone from it without a leave, since `afterS` at the earliest. */
  | { readonly kind: "appeared" | "vanished"; readonly player: PlayerRef; readonly afterS?: number }
  | { readonly kind: "kill"; readonly killer: PlayerRef; readonly killed: PlayerRef }
  | {
      readonly kind: "command";
      readonly player: PlayerRef;
      readonly text: string;
      /** Whom it hit, where its text has only the beginning of their name, or their id. */
      readonly hit?: readonly PlayerRef[];
    }
  | {
      readonly kind: "modCall";
      readonly caller: PlayerRef;
      readonly moderator?: PlayerRef;
      /** They took it on its card in Discord; the game has no answer. Absent: the game says that they answered. */
      readonly isByCard?: true;
    }
  | {
      readonly kind: "emergencyCall";
      readonly team: string;
      readonly callNumber: number;
      readonly caller?: PlayerRef;
      readonly description?: string;
      readonly place?: string;
    }
);

export type HistoryRowOf<Kind extends HistoryRow["kind"]> = Extract<HistoryRow, { readonly kind: Kind }>;

/** Everything that comes through the service's API has this name in the game's log, and no id. */
export function isRemote({ name, id }: PlayerRef): boolean {
  return id === undefined && name.toLowerCase() === "remote server";
}

/** The lists of which rows can scroll out of the service's answer before anybody reads them. */
export type RecordedLog = "joins" | "kills" | "commands" | "modCalls";

/** Between these times rows of this log may be missing. Both seconds belong to it. */
export interface UnrecordedInterval {
  readonly bindingId: string;
  readonly log: RecordedLog;
  readonly fromS: number;
  readonly toS: number;
}

/** Kills that follow each other within a minute. */
export interface BestStreak {
  readonly kills: number;
  readonly firstS: number;
  readonly lastS: number;
}

/** A call that somebody made within three minutes after this player had killed on that server. */
export interface CallNearKill {
  readonly call: HistoryRowOf<"modCall">;
  /** The caller is one of those killed. */
  readonly byVictim: boolean;
}

/** What is kept of one player, over the servers that were asked for. */
export interface PlayerHistory {
  readonly player: KnownPlayer;
  readonly sessions: number;
  /** The newest; the player is in the game where it has no end. */
  readonly latestSession?: PlayerSession;
  /** Time in the game during the last 7 and 30 days. */
  readonly playedLast7DaysS: number;
  readonly playedLast30DaysS: number;
  readonly kills: number;
  readonly deaths: number;
  /** At least two kills. */
  readonly bestStreak?: BestStreak;
  readonly callsMade: number;
  readonly callsAnswered: number;
  readonly callsNearKills: number;
  /** Newest first, at most 5. */
  readonly latestCallsNearKills: readonly CallNearKill[];
  readonly commandsRun: number;
  /** A private message, a heal and what else does nobody harm does not count. */
  readonly commandsAgainst: number;
  /** By whom, newest first, at most 5. */
  readonly latestCommandsAgainst: readonly HistoryRowOf<"command">[];
  /** The rank in the game that was seen last, where it is one of staff. */
  readonly permission?: string;
  /** Since when the oldest of these servers is recorded; nothing before it can be known. */
  readonly recordedSinceS?: number;
}

/** Somebody who was in the server at a moment. */
export interface PresentPlayer {
  readonly player: PlayerRef;
  /** Their session then. */
  readonly session: PlayerSession;
  /** Of staff: the rank in the game. */
  readonly permission?: string;
}

/** What happened on one server about a time. */
export interface RewindView {
  readonly bindingId: string;
  readonly atS: number;
  readonly fromS: number;
  readonly toS: number;
  /** By the name; who was in the server at `atS`, as far as the logs and the lists of players say. */
  readonly present: readonly PresentPlayer[];
  /** Oldest first. */
  readonly rows: readonly HistoryRow[];
  /** The rows are the ones nearest to `atS`; there are more. */
  readonly isShortened: boolean;
  /** The number of players that the server showed last at or before `atS`. */
  readonly players?: number;
  /** Where it touches the time that is shown. */
  readonly unrecorded: readonly UnrecordedInterval[];
  /** Nothing before this is recorded of this server; undefined: nothing at all. */
  readonly recordedSinceS?: number;
  /** When the server was read last: what came after is not known yet. Undefined: its players never were. */
  readonly readUntilS?: number;
}

/** How long rows are kept. */
export type RetentionDays = number | "off";

export interface Forgotten {
  readonly player: PlayerRef;
  readonly names: number;
  readonly visits: number;
  readonly kills: number;
  readonly commands: number;
  readonly calls: number;
  /** Commands of others that were aimed at this player: they stay, without what follows the verb. */
  readonly blankedCommands: number;
  /** What duty kept: team, rank and callsign over time, and whose account it was. */
  readonly dutyRecords: number;
  /** Cases of others that kept something of this player in the minutes around them. */
  readonly casesOfOthers: number;
  /** Rows up to this second are not stored again. */
  readonly untilS: number;
}

/** All that is kept of one player, as a file. */
export interface PlayerExport {
  /** Of the game's logs. */
  readonly rows: number;
  /** That name the player. */
  readonly cases: number;
  /** What duty keeps, and cases of others that keep something of the player: it outlives the rows of the logs. */
  readonly elsewhere: number;
  /** JSON. */
  readonly text: string;
  /** False: there are more rows than one file takes; these are the newest. */
  readonly isComplete: boolean;
}
