/** What the clocks of a time zone show. Zones are IANA names. Pure. */

const DAY_MS = 86_400_000;
const HOUR_S = 3_600;
/** No zone changes its offset within a quarter of an hour of the clock. */
const QUARTER_S = 900;

export interface Time {
  readonly h: number;
  readonly m: number;
  readonly s: number;
}

export interface Day {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** An hour as the clocks of a zone show it. */
export interface LocalHour {
  /** When it began, epoch seconds. In autumn one hour comes twice, with two beginnings. */
  readonly startS: number;
  /** Days since 1 January 1970 by the calendar of the zone. */
  readonly day: number;
  /** 0 to 23. */
  readonly hour: number;
}

/** Making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a zone are ahead of UTC, milliseconds. */
function offsetIn(zone: string, atMs: number): number {
  const parts = formatOf(zone).formatToParts(atMs);
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(atMs / 1_000) * 1_000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

/** What the calendar of a zone shows. */
export function dayIn(zone: string, atMs: number): Day {
  const shown = new Date(atMs + offsetIn(zone, atMs));
  return { year: shown.getUTCFullYear(), month: shown.getUTCMonth() + 1, day: shown.getUTCDate() };
}

/** The beginning of a day in UTC, epoch milliseconds. */
export function utc({ year, month, day }: Day): number {
  return Date.UTC(year, month - 1, day);
}

export function shifted(day: Day, days: number): Day {
  const date = new Date(utc(day) + days * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/**
 * The moment at which the clocks of a zone show this. A time that comes twice, in autumn, is its first; one that the
 * clocks leap over, in spring, is as much later.
 */
export function atIn(zone: string, day: Day, time: Time): number {
  const shown = shownAs(day, time);
  return timesIn(zone, day, time)[0] ?? shown - offsetIn(zone, shown - DAY_MS);
}

/** All moments at which the clocks of a zone show this, oldest first: two in autumn, none that is leapt over in spring. */
export function timesIn(zone: string, day: Day, time: Time): readonly number[] {
  const shown = shownAs(day, time);
  const offsets = new Set([offsetIn(zone, shown - DAY_MS), offsetIn(zone, shown + DAY_MS)]);
  return [...offsets]
    .map((offset) => shown - offset)
    .filter((atMs) => atMs + offsetIn(zone, atMs) === shown)
    .sort((a, b) => a - b);
}

function shownAs(day: Day, { h, m, s }: Time): number {
  return utc(day) + ((h * 60 + m) * 60 + s) * 1_000;
}

/** Tells the hour that a zone's clocks show at a second; remembers offsets, because it is asked for thousands. */
export function localHours(zone: string): (atS: number) => LocalHour {
  const offsets = new Map<number, number>();
  return (atS) => {
    const quarter = Math.floor(atS / QUARTER_S);
    const offsetS = offsets.get(quarter) ?? offsetIn(zone, quarter * QUARTER_S * 1_000) / 1_000;
    offsets.set(quarter, offsetS);
    const hours = Math.floor((atS + offsetS) / HOUR_S);
    return { startS: hours * HOUR_S - offsetS, day: Math.floor(hours / 24), hour: ((hours % 24) + 24) % 24 };
  };
}

/** Monday is 0. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
