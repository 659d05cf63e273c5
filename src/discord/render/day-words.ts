import { type Escaped, markdownOfOurs } from "../../domain/escaped.ts";

/** `23 November 2026`: the day in which a second lies. */
export type DayWords = (atS: number) => Escaped;

/** Days as people of a community count them: Discord's own dates are each reader's, who may have another day by then. */
export function daysIn(zone: string): DayWords {
  const day = { day: "numeric", month: "long", year: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...day });
  return (atS) => markdownOfOurs(format.format(atS * 1_000));
}

/** `23 November 2026 to 29 November 2026`: `untilS` is the first second after it. */
export function spanOfDays(
  { fromS, untilS }: { readonly fromS: number; readonly untilS: number },
  days: DayWords,
): Escaped {
  const [first, last] = [days(fromS), days(Math.max(fromS, untilS - 1))];
  return markdownOfOurs(first === last ? first : `${first} to ${last}`);
}
