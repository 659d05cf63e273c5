import { dayIn, localHours, weekdayOf } from "../../domain/zone-time.ts";

/** Times as the axes of pictures name them. Pure. */

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
/** More words than this do not stand beside each other. */
const MOST_WORDS = 6;

/** What stands under each step, empty where there is no room: hours of a day, weekdays of a week, else dates. */
export function stepWords(zone: string, startsS: readonly number[], kind: "hour" | "day"): readonly string[] {
  const hourOf = localHours(zone);
  if (kind === "day") {
    const every = Math.ceil(startsS.length / MOST_WORDS);
    return startsS.map((atS, at) => (at % every === 0 ? dateWord(zone, atS) : ""));
  }
  const hours = startsS.map((atS) => hourOf(atS));
  const isLong = startsS.length > 50;
  return hours.map(({ hour, day }) => {
    if (isLong) return hour === 12 ? (WEEKDAYS[weekdayOf(day)] ?? "") : "";
    return hour % 4 === 0 ? `${String(hour).padStart(2, "0")}:00` : "";
  });
}

function dateWord(zone: string, atS: number): string {
  const { day, month } = dayIn(zone, atS * 1_000);
  return `${day} ${MONTHS[month - 1] ?? ""}`;
}
