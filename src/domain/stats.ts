import type { MapPicture, ReplayPicture } from "./map.ts";
import type { PlayerRef } from "./model.ts";
import type { PictureLook } from "./picture-look.ts";

/** Figures of a time: how full a server was, and what its staff did. Times are epoch seconds. */

/** From `fromS` up to, not including, `toS`; hours and days are those of the zone. */
export interface StatsSpan {
  readonly fromS: number;
  readonly toS: number;
  /** IANA name. */
  readonly zone: string;
}

/** How full a server was during some time. Averages are over the time of which the number of players is known. */
export interface Crowd {
  /** Seconds of which the number of players is known. The averages are absent where it is 0. */
  readonly knownS: number;
  readonly players?: number;
  readonly peak?: number;
  /** Absent where the list of players was not read. */
  readonly staff?: number;
  /** Seconds in which players were there and none of staff. */
  readonly uncoveredS: number;
  readonly calls: number;
}

/** One hour or one day of the time asked for. */
export interface StatStep extends Crowd {
  readonly startS: number;
  readonly endS: number;
  readonly joins: number;
  readonly kills: number;
}

/** Moderator calls, and how soon they were answered. */
export interface CallFigures {
  readonly calls: number;
  readonly answered: number;
  /** Answered calls of which it is known, to five minutes, when. */
  readonly timed: number;
  /** Over the timed ones; absent: there are none. */
  readonly medianAnswerS?: number;
}

export interface ServerStats extends StatsSpan, Omit<Crowd, "calls"> {
  readonly bindingId: string;
  /** Nothing before this is recorded; absent: nothing at all. */
  readonly recordedSinceS?: number;
  /** When the peak was reached first. */
  readonly peakAtS?: number;
  readonly joins: number;
  /** Different players who were there, also those who had come before. */
  readonly visitors: number;
  readonly kills: number;
  readonly calls: CallFigures;
  readonly stepKind: "hour" | "day";
  /** Oldest first, without a hole. */
  readonly steps: readonly StatStep[];
  /** 7 x 24 hours of a week, from Monday 0:00; what lies in the same hour of several weeks is together. */
  readonly week: readonly Crowd[];
  /** Seconds in which joins, kills or calls may be missing. */
  readonly unrecordedS: number;
}

/** A member's name on Discord, and the player whom they are linked to by now: before, they claimed calls under that name. */
export interface ClaimName {
  readonly name: string;
  readonly playerId: number;
}

/** One of staff. A member who is linked to no player has only what was done through Marshal. */
export interface StaffFigures {
  readonly player: PlayerRef;
  /** In the server, on all servers of the community together. */
  readonly playedS: number;
  /** Of these seconds: with few other players, so that there was little to do. */
  readonly quietS: number;
  readonly sessions: number;
  readonly callsAnswered: number;
  readonly timed: number;
  readonly medianAnswerS?: number;
  /** Calls that others made while this person was in that server. */
  readonly callsMeanwhile: number;
  /** Of these the ones that this person answered; the rest of `callsAnswered` was made while they were not there, or by them. */
  readonly answeredMeanwhile: number;
  /** Typed in the game. */
  readonly commands: number;
}

export interface StaffDay {
  readonly startS: number;
  readonly playedS: number;
  readonly callsAnswered: number;
}

export interface StaffStats extends StatsSpan {
  readonly recordedSinceS?: number;
  readonly calls: CallFigures;
  /** Longest in the game first. */
  readonly staff: readonly StaffFigures[];
  /** There are more. */
  readonly isShortened: boolean;
  /** Of the one who was asked for; empty where all were. */
  readonly days: readonly StaffDay[];
  /** Seconds in which calls or commands may be missing. */
  readonly unrecordedS: number;
}

/** Cases that somebody made; revoked ones do not count. */
export interface CaseCount {
  readonly userId?: string;
  readonly playerId?: number;
  readonly cases: number;
}

/** Up to this many players an hour is called quiet. */
export const QUIET_PLAYERS = 4;

/** The weekday and hour of a place in `ServerStats.week`; Monday is 0. */
export function weekHour(index: number): { readonly weekday: number; readonly hour: number } {
  return { weekday: Math.floor(index / 24), hour: index % 24 };
}

/** What a chart shows; its words are plain text, and names in it are as they were typed. */
export type ChartPicture = { readonly look: PictureLook; readonly title: string } & (
  | {
      readonly kind: "players";
      readonly zone: string;
      readonly stepKind: ServerStats["stepKind"];
      readonly steps: readonly Pick<StatStep, "startS" | "knownS" | "players" | "peak" | "staff">[];
    }
  | {
      readonly kind: "week";
      /** As in `ServerStats`. */
      readonly week: readonly Pick<Crowd, "knownS" | "players" | "uncoveredS">[];
    }
  | {
      readonly kind: "staff";
      readonly rows: readonly { readonly name: string; readonly playedS: number; readonly calls: number }[];
    }
  | { readonly kind: "days"; readonly zone: string; readonly days: readonly StaffDay[] }
);

export type Picture = ChartPicture | MapPicture | ReplayPicture;
