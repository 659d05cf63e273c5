/** What the clocks of a time zone show. Zones are IANA names. Pure. */

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

/** What the clocks and the calendar of a zone show at a moment, epoch milliseconds. */
export function shownIn(zone: string, atMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(zone);
}

/** What the calendar of a zone shows. */
export function dayIn(zone: string, atMs: number): Day {
  const { year, month, day } = shownIn(zone, atMs);
  return { year, month, day };
}

/** The beginning of a day in UTC, epoch milliseconds. */
export function utc({ year, month, day }: Day): number {
  return Date.UTC(year, month - 1, day);
}

export function shifted(from: Day, days: number): Day {
  const { year, month, day } = Temporal.PlainDate.from(from).add({ days });
  return { year, month, day };
}

/**
 * The moment at which the clocks of a zone show this. A time that comes twice, in autumn, is its first; one that the
 * clocks leap over, in spring, is as much later.
 */
export function atIn(zone: string, day: Day, time: Time): number {
  return clockFace(day, time).toZonedDateTime(zone).epochMilliseconds;
}

/** All moments at which the clocks of a zone show this, oldest first: two in autumn, none that is leapt over in spring. */
export function timesIn(zone: string, day: Day, time: Time): readonly number[] {
  const face = clockFace(day, time);
  const moments = (["earlier", "later"] as const)
    .map((disambiguation) => face.toZonedDateTime(zone, { disambiguation }))
    .filter((moment) => moment.toPlainDateTime().equals(face));
  return [...new Set(moments.map(({ epochMilliseconds }) => epochMilliseconds))];
}

function clockFace({ year, month, day }: Day, { h, m, s }: Time): Temporal.PlainDateTime {
  return new Temporal.PlainDateTime(year, month, day, h, m, s);
}

/** Tells the hour that a zone's clocks show at a second; remembers offsets, because it is asked for thousands. */
export function localHours(zone: string): (atS: number) => LocalHour {
  const offsets = new Map<number, number>();
  return (atS) => {
    const quarter = Math.floor(atS / QUARTER_S);
    const offsetS =
      offsets.get(quarter) ?? shownIn(zone, quarter * QUARTER_S * 1_000).offsetNanoseconds / 1e9;
    offsets.set(quarter, offsetS);
    const hours = Math.floor((atS + offsetS) / HOUR_S);
    return { startS: hours * HOUR_S - offsetS, day: Math.floor(hours / 24), hour: ((hours % 24) + 24) % 24 };
  };
}

/** Monday is 0. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
