import type { Schedule, Weekday } from "../../domain/schedule.ts";
import { type Day, dayIn, shifted, timesIn, utc, weekdayOf } from "../../domain/zone-time.ts";

/** When a schedule is due. Pure. */

const MINUTE_MS = 60_000;

const DAY_MS = 86_400_000;
/** In the order of `weekdayOf`. */
const WEEKDAYS: readonly Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/** A day that the clocks leave out as a whole, where a zone changes sides of the date line, costs one week. */
const DAYS_AHEAD = 15;

/**
 * The first due time after `afterMs`, epoch milliseconds. A time of day that the clocks of the zone show twice, in
 * autumn, is due at the first; one that they leap over, in spring, is due when they have leapt.
 */
export function nextTime(
  { rule, anchorMs }: Pick<Schedule, "rule" | "anchorMs">,
  zone: string,
  afterMs: number,
): number {
  if (rule.kind === "every") {
    const stepMs = rule.minutes * MINUTE_MS;
    return anchorMs + (Math.floor((afterMs - anchorMs) / stepMs) + 1) * stepMs;
  }
  return Math.min(...rule.times.map((time) => nextAt({ time, days: rule.days, zone }, afterMs)));
}

/** Where intervals begin that are set now: midnight, so that "every 30 min" is at full and half hours. */
export function anchorOf(zone: string, nowMs: number): number {
  return nextAt({ time: "00:00", days: WEEKDAYS, zone }, nowMs);
}

interface Wanted {
  /** "20:00". */
  readonly time: string;
  readonly days: readonly Weekday[];
  readonly zone: string;
}

function nextAt({ time, days, zone }: Wanted, afterMs: number): number {
  const today = dayIn(zone, afterMs);
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    const day = shifted(today, ahead);
    const weekday = WEEKDAYS[weekdayOf(utc(day) / DAY_MS)];
    if (weekday === undefined || !days.includes(weekday)) continue;
    const atMs = firstAt(zone, day, time);
    if (atMs > afterMs) return atMs;
  }
  throw new RangeError(`no time follows ${time} on ${days.join(", ")}`);
}

/** The first moment of a day at which the clocks show a time; where they leap over it, when they have leapt. */
function firstAt(zone: string, day: Day, time: string): number {
  const [h = 0, m = 0] = time.split(":").map(Number);
  const [first] = timesIn(zone, day, { h, m, s: 0 });
  if (first !== undefined) return first;
  const before = Temporal.PlainDateTime.from({ ...day, hour: h, minute: m }).toZonedDateTime(zone, {
    disambiguation: "earlier",
  });
  const leap = before.getTimeZoneTransition("next");
  return (leap ?? before).epochMilliseconds;
}
