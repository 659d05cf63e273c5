import { type Escaped, markdownOfOurs } from "../../domain/escaped.ts";

/** `23 November 2026`: the day in which a second lies. */
export type DayWords = (atS: number) => Escaped;

/** Days as people of a community count them: Discord's own dates are each reader's, who may have another day by then. */
export function daysIn(zone: string): DayWords {
  const day = { day: "numeric", month: "long", year: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...day });
  return (atS) => markdownOfOurs(format.format(atS * 1_000));
}

/** `Sat 28 Nov, 19:04`, on the clocks of a zone: beside words that are in that zone, where a reader's own clock would mislead. */
export function momentIn(zone: string, atS: number): Escaped {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...day, ...time }).formatToParts(
    atS * 1_000,
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  return markdownOfOurs(`${of("weekday")} ${of("day")} ${of("month")}, ${of("hour")}:${of("minute")}`);
}

/** `23 November 2026 to 29 November 2026`: `untilS` is the first second after it. */
export function spanOfDays(
  { fromS, untilS }: { readonly fromS: number; readonly untilS: number },
  days: DayWords,
): Escaped {
  const [first, last] = [days(fromS), days(Math.max(fromS, untilS - 1))];
  return markdownOfOurs(first === last ? first : `${first} to ${last}`);
}
