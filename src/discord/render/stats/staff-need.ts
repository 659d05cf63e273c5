import { type Escaped, markdownOfOurs } from "../../../domain/escaped.ts";
import { type Crowd, weekHour } from "../../../domain/stats.ts";
import { WEEKDAYS } from "./stats-words.ts";

/** "When do we need staff?": the hours of a week that had players and nobody of staff, and the fullest ones. Pure. */

export interface HourSpan {
  readonly weekday: (typeof WEEKDAYS)[number];
  readonly fromHour: number;
  /** 24 is midnight. */
  readonly toHour: number;
  /** On average. */
  readonly players: number;
  readonly uncoveredS: number;
}

/** An hour counts where this part of its known time was without staff. */
const UNCOVERED_FROM = 0.25;
/** The hours next to the fullest one belong to it down to this part of its players. */
const STILL_FULL = 0.8;

/** The spans that had the most players without staff first. */
export function uncoveredSpans(week: readonly Crowd[], most: number): readonly HourSpan[] {
  const spans = spansWhere(
    week,
    ({ knownS, uncoveredS }) => knownS > 0 && uncoveredS / knownS >= UNCOVERED_FROM,
  );
  return spans.toSorted((a, b) => b.uncoveredS * b.players - a.uncoveredS * a.players).slice(0, most);
}

/** The hours about the fullest one; undefined: nobody was there. */
export function fullestSpan(week: readonly Crowd[]): HourSpan | undefined {
  const most = Math.max(0, ...week.map(({ players = 0 }) => players));
  if (most === 0) return undefined;
  const spans = spansWhere(week, ({ players = 0 }) => players >= most * STILL_FULL);
  return spans.toSorted((a, b) => b.players - a.players)[0];
}

/** `Fri 20:00–23:00` */
export function spanWords({ weekday, fromHour, toHour }: HourSpan): Escaped {
  return markdownOfOurs(`${weekday} ${clock(fromHour)}–${clock(toHour)}`);
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

function spansWhere(week: readonly Crowd[], fits: (crowd: Crowd) => boolean): readonly HourSpan[] {
  const spans: { first: number; hours: Crowd[] }[] = [];
  week.forEach((crowd, index) => {
    if (!fits(crowd)) return;
    const last = spans.at(-1);
    const goesOn = last !== undefined && last.first + last.hours.length === index && index % 24 !== 0;
    if (goesOn) last.hours.push(crowd);
    else spans.push({ first: index, hours: [crowd] });
  });
  return spans.map(({ first, hours }) => {
    const { weekday, hour } = weekHour(first);
    const knownS = hours.reduce((sum, crowd) => sum + crowd.knownS, 0);
    const playerS = hours.reduce((sum, crowd) => sum + (crowd.players ?? 0) * crowd.knownS, 0);
    return {
      weekday: WEEKDAYS[weekday] ?? "Mon",
      fromHour: hour,
      toHour: hour + hours.length,
      players: knownS === 0 ? 0 : playerS / knownS,
      uncoveredS: hours.reduce((sum, crowd) => sum + crowd.uncoveredS, 0),
    };
  });
}
