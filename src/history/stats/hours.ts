import type { Crowd, StatStep, StatsSpan } from "../../domain/stats.ts";
import { type LocalHour, localHours, weekdayOf } from "../../domain/zone-time.ts";

/** Hour by hour, what a time held; everything else is added up from these. Pure. */

const HOUR_S = 3_600;
const WEEK_HOURS = 7 * 24;
/** A number of players that is written again every 15 minutes, and looked at every 10, says nothing after this. */
export const LOOK_VALID_S = 1_800;

/** A look at how full a server was. */
export interface Look {
  readonly atS: number;
  readonly players: number;
  /** null: the list of players was not read. */
  readonly staff: number | null;
}

export type Counted = "joins" | "kills" | "calls";

interface HourTotals extends LocalHour {
  readonly endS: number;
  knownS: number;
  /** Sums over seconds. */
  players: number;
  staff: number;
  staffKnownS: number;
  uncoveredS: number;
  peak: number;
  joins: number;
  kills: number;
  calls: number;
}

/** The hours of a span, into which looks and counts are put. */
export class Hours {
  readonly #span: StatsSpan;
  readonly #hourOf: (atS: number) => LocalHour;
  readonly #hours = new Map<number, HourTotals>();
  #last: Look | undefined;
  #peakAtS: number | undefined;
  #peak = -1;

  constructor(span: StatsSpan) {
    this.#span = span;
    this.#hourOf = localHours(span.zone);
    for (let atS = span.fromS; atS < span.toS; ) {
      const hour = this.#hourOf(atS);
      const endS = Math.min(span.toS, this.#nextHourS(atS));
      this.#hours.set(hour.startS, { ...hour, endS, ...emptyTotals() });
      atS = endS;
    }
  }

  /** Looks come in the order of their time; the one before the span counts until the next. */
  look(next: Look): void {
    this.#until(next.atS);
    this.#last = next;
  }

  /** After the last look that changed anything. `lookedS`: when it was looked at last who was there; nothing later is known. */
  end(lookedS: number | undefined): void {
    this.#until(Math.min(this.#span.toS, knownUntilS(this.#last, lookedS)));
  }

  /** What happened in the quarter of an hour, or the second, that begins then. */
  count(what: Counted, atS: number, times: number): void {
    const hour = this.#hours.get(this.#hourOf(Math.max(atS, this.#span.fromS)).startS);
    if (hour !== undefined) hour[what] += times;
  }

  get peakAtS(): number | undefined {
    return this.#peakAtS;
  }

  /** All of it together. */
  total(): StatStep {
    return this.#summed([...this.#hours.values()]);
  }

  /** Oldest first. A day is one of the zone's calendar, the first and the last may be cut. */
  steps(kind: "hour" | "day"): readonly StatStep[] {
    const groups = Map.groupBy(this.#hours.values(), ({ startS, day }) => (kind === "hour" ? startS : day));
    return [...groups.values()].map((hours) => this.#summed(hours));
  }

  /** From Monday 0:00. */
  week(): readonly Crowd[] {
    const groups = Map.groupBy(this.#hours.values(), ({ day, hour }) => weekdayOf(day) * 24 + hour);
    return Array.from({ length: WEEK_HOURS }, (_, index) => crowdOf(groups.get(index) ?? []));
  }

  #nextHourS(atS: number): number {
    const { startS } = this.#hourOf(atS);
    // Where clocks leap within the hour the next one begins early or late; it is looked at anew from there.
    return startS + HOUR_S;
  }

  #until(nextS: number): void {
    const last = this.#last;
    if (last === undefined) return;
    const endS = Math.min(nextS, last.atS + LOOK_VALID_S, this.#span.toS);
    for (let atS = Math.max(last.atS, this.#span.fromS); atS < endS; ) {
      const hour = this.#hours.get(this.#hourOf(atS).startS);
      const pieceEndS = Math.min(endS, this.#nextHourS(atS));
      if (hour !== undefined) this.#add(hour, last, { atS, seconds: pieceEndS - atS });
      atS = pieceEndS;
    }
  }

  #add(
    hour: HourTotals,
    { players, staff }: Look,
    { atS, seconds }: { readonly atS: number; readonly seconds: number },
  ) {
    hour.knownS += seconds;
    hour.players += players * seconds;
    hour.peak = Math.max(hour.peak, players);
    if (staff !== null) {
      hour.staffKnownS += seconds;
      hour.staff += staff * seconds;
      if (players > 0 && staff === 0) hour.uncoveredS += seconds;
    }
    if (players > this.#peak) {
      this.#peak = players;
      this.#peakAtS = atS;
    }
  }

  #summed(hours: readonly HourTotals[]): StatStep {
    const startS = Math.max(this.#span.fromS, hours[0]?.startS ?? this.#span.fromS);
    return {
      ...crowdOf(hours),
      startS,
      endS: hours.at(-1)?.endS ?? startS,
      joins: sum(hours, ({ joins }) => joins),
      kills: sum(hours, ({ kills }) => kills),
    };
  }
}

/**
 * Up to when the number of players of the last look is known to have stood: with the second of the last look at who was
 * there. Infinity where nobody looked at that since then, as where only the number is read.
 */
export function knownUntilS(last: Pick<Look, "atS"> | undefined, lookedS: number | undefined): number {
  return lookedS === undefined || lookedS < (last?.atS ?? 0) ? Number.POSITIVE_INFINITY : lookedS + 1;
}

function emptyTotals() {
  const none = { knownS: 0, players: 0, staff: 0, staffKnownS: 0, uncoveredS: 0, peak: 0 };
  return { ...none, joins: 0, kills: 0, calls: 0 };
}

function crowdOf(hours: readonly HourTotals[]): Crowd {
  const knownS = sum(hours, (hour) => hour.knownS);
  const staffKnownS = sum(hours, (hour) => hour.staffKnownS);
  const known = hours.filter((hour) => hour.knownS > 0);
  return {
    knownS,
    ...(knownS === 0
      ? {}
      : {
          players: sum(hours, ({ players }) => players) / knownS,
          peak: Math.max(...known.map(({ peak }) => peak)),
        }),
    ...(staffKnownS === 0 ? {} : { staff: sum(hours, ({ staff }) => staff) / staffKnownS }),
    uncoveredS: sum(hours, ({ uncoveredS }) => uncoveredS),
    calls: sum(hours, ({ calls }) => calls),
  };
}

function sum(hours: readonly HourTotals[], of: (hour: HourTotals) => number): number {
  return hours.reduce((total, hour) => total + of(hour), 0);
}
