import type { ServerStats, StatsSpan } from "../../domain/stats.ts";
import { atIn, type Day, dayIn, shifted, utc, weekdayOf } from "../../domain/zone-time.ts";

/** Which week a summary is about, and when it is posted. Functions are pure. */

const POSTED_AT = { h: 9, m: 0, s: 0 } as const;
const MIDNIGHT = { h: 0, m: 0, s: 0 } as const;
const DAY_MS = 86_400_000;
const WEEK_S = 7 * 86_400;

/** A week of the zone's calendar, from Monday 0:00 on. */
export interface Week extends StatsSpan {
  /** On the Monday after it, epoch milliseconds. */
  readonly postAtMs: number;
}

/** The latest week whose summary is due. */
export function latestWeek(zone: string, nowMs: number): Week {
  const week = weekBefore(zone, dayIn(zone, nowMs));
  return week.postAtMs <= nowMs ? week : previous(week);
}

/** The first week whose summary is due after now. */
export function nextWeek(zone: string, nowMs: number): Week {
  const today = dayIn(zone, nowMs);
  const week = weekBefore(zone, today);
  return week.postAtMs > nowMs ? week : weekBefore(zone, shifted(today, 7));
}

/** Remembers the latest week of each zone until the next one is due: it is asked for each community every minute. */
export class LatestWeeks {
  readonly #known = new Map<string, { readonly week: Week; readonly untilMs: number }>();

  /** As `latestWeek`. */
  of(zone: string, nowMs: number): Week {
    const known = this.#known.get(zone);
    if (known !== undefined && known.week.postAtMs <= nowMs && nowMs < known.untilMs) return known.week;
    const week = latestWeek(zone, nowMs);
    this.#known.set(zone, { week, untilMs: nextWeek(zone, nowMs).postAtMs });
    return week;
  }
}

export function previous({ zone, fromS }: Pick<Week, "zone" | "fromS">): Week {
  return weekBefore(zone, dayIn(zone, fromS * 1_000));
}

/** The week that ended on the last Monday, or on this day. */
function weekBefore(zone: string, day: Day): Week {
  const monday = shifted(day, -weekdayOf(utc(day) / DAY_MS));
  return {
    zone,
    fromS: atIn(zone, shifted(monday, -7), MIDNIGHT) / 1_000,
    toS: atIn(zone, monday, MIDNIGHT) / 1_000,
    postAtMs: atIn(zone, monday, POSTED_AT),
  };
}

/** Each week has its own, the same in every zone. */
export function numberOf({ toS }: Pick<Week, "toS">): number {
  return Math.floor(toS / WEEK_S);
}

/** More than the zones of the world are apart, and less than a week. */
const SAME_WEEK_S = 3 * 86_400;

/** Whether a week is the one that was done last, in whatever zone; or an earlier one. */
export function isDone(week: Pick<Week, "toS">, doneUntilS: number): boolean {
  return week.toS - doneUntilS < SAME_WEEK_S;
}

/**
 * A week that is not over yet was done by a clock that has been put right since. One that is over is done, also where it is
 * later than the latest week: a community that moves its zone to the west has the nine o'clock of its Monday once more.
 */
export function liesAhead(doneUntilS: number, nowMs: number): boolean {
  return doneUntilS > nowMs / 1_000;
}

/** Figures whose last rows nobody has read yet, where the server was looked at last before the end of the week. */
export function withUnread(stats: ServerStats, lookedS = stats.fromS): ServerStats {
  const unreadS = Math.max(0, stats.toS - Math.max(stats.fromS, lookedS));
  return { ...stats, unrecordedS: stats.unrecordedS + unreadS };
}
