import type { QuotaPeriod } from "../domain/quota.ts";
import { atIn, type Day, dayIn, shifted, utc } from "../domain/zone-time.ts";
import type { Span } from "./shift-parts.ts";

/** When periods of quotas begin and end, by the clocks of a zone. Pure. */

const DAY_MS = 86_400_000;
const MIDNIGHT = { h: 0, m: 0, s: 0 };
/** A Monday; every second Monday from it begins a fortnight. */
const FIRST_MONDAY = Date.UTC(2024, 0, 1);

/** The period in which a time lies: weeks begin on Monday, months on the first, at 0:00 of the zone. */
export function periodAround(period: QuotaPeriod, atS: number, zone: string): Span {
  const day = dayIn(zone, atS * 1_000);
  if (period === "month") {
    const first = { ...day, day: 1 };
    const next =
      day.month === 12 ? { year: day.year + 1, month: 1, day: 1 } : { ...first, month: day.month + 1 };
    return { fromS: beginningOf(zone, first), untilS: beginningOf(zone, next) };
  }
  const length = period === "week" ? 7 : 14;
  const days = Math.floor((utc(day) - FIRST_MONDAY) / DAY_MS);
  const monday = shifted(day, -(((days % length) + length) % length));
  return { fromS: beginningOf(zone, monday), untilS: beginningOf(zone, shifted(monday, length)) };
}

function beginningOf(zone: string, day: Day): number {
  return atIn(zone, day, MIDNIGHT) / 1_000;
}
