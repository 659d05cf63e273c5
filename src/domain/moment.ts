import { Failure } from "./failure.ts";
import { clockIn } from "./time-zones.ts";
import { atIn, type Day, dayIn, shifted, type Time, timesIn, utc } from "./zone-time.ts";

/** Reads a moment of the past as people write one: "20:14", "25 min ago", "yesterday 20:14", "2026-11-21 20:14". */

const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/, 1_000],
  [/^m(in(ute)?s?)?$/, 60_000],
  [/^h((ou)?rs?)?$/, 3_600_000],
  [/^d(ays?)?$/, 86_400_000],
  [/^w(eeks?)?$/, 604_800_000],
];
const DAY_MS = 86_400_000;
const CLOCK = /(?:^|[ t,])(\d{1,2})[:.h](\d{2})(?::(\d{2}))? ?(am|pm)?$/;
const LONGEST_AHEAD_MS = 100 * 365 * DAY_MS;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] as const;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
const EXAMPLES = 'Write a time such as "20:14", "25 min ago", "yesterday 20:14" or "2026-11-21 20:14".';

export interface Now {
  readonly nowMs: number;
  /** IANA name. */
  readonly zone: string;
}

interface Dated {
  readonly day: number;
  readonly month: number;
  readonly year: string | undefined;
}

/** What the clocks of a zone were to show. */
interface Shown {
  /** When they do; what they leap over is as much later. */
  readonly atMs: number;
  /** As `timesIn` answers. */
  readonly times: readonly number[];
}

/**
 * Epoch milliseconds, at or before now. A time without a day is the latest that has passed; a day without a time is
 * its beginning. What comes twice in autumn is its first, what is leapt over in spring as much later.
 * @throws Failure "bad-command" for what cannot be read, or lies ahead.
 */
export function momentOf(typed: string, now: Now): number {
  return passed(readMoment(typed, now)?.atMs, now);
}

/** The same, and a day without a time is meant to its last second, as far as it has passed. @throws Failure as `momentOf`. */
export function momentThrough(typed: string, now: Now): number {
  const atMs = momentOf(typed, now);
  const lastMs = isDay(typed) ? readMoment(`${typed.trim()} 23:59:59`, now)?.atMs : undefined;
  return Math.min(now.nowMs, lastMs ?? atMs);
}

/**
 * The same as every moment that it may mean, oldest first: two where the clocks showed it twice.
 * @throws Failure "bad-command" as `momentOf` does, and for a time that the clocks left out.
 */
export function momentsOf(typed: string, now: Now): readonly number[] {
  const shown = readMoment(typed, now);
  const atMs = passed(shown?.atMs, now);
  const times = (shown?.times ?? []).filter((timeMs) => timeMs <= now.nowMs);
  if (times.length > 0) return times;
  const later = clockIn(now.zone, atMs).slice(-5);
  throw new Failure("bad-command", `That time did not exist: the clocks went forward. Try ${later}.`, {
    isRead: true,
  });
}

function readMoment(typed: string, now: Now): Shown | undefined {
  const text = typed.trim().toLowerCase().replace(/\s+/g, " ");
  const atMs = stampOf(text) ?? agoOf(text, now.nowMs);
  return atMs === undefined ? calendarOf(text, now) : { atMs, times: [atMs] };
}

function passed(atMs: number | undefined, { nowMs }: Now): number {
  // Discord shows no time that is far from ours, and nothing was recorded before 1970.
  if (atMs === undefined || !(atMs >= 0))
    throw new Failure("bad-command", `I can't read that time. ${EXAMPLES}`, { isRead: true });
  if (atMs > nowMs)
    throw new Failure("bad-command", `That time is in the future. ${EXAMPLES}`, { isRead: true });
  return atMs;
}

const UNTIL_EXAMPLES = 'Write how long, such as "7 days" or "12 h", or a date such as "2026-12-24".';

/** The same ahead: "7 days", "in 12 h", "20:00", "24.12." @throws Failure "bad-command" as `momentOf` does. */
export function untilOf(typed: string, { nowMs, zone }: Now): number {
  const text = typed.trim().toLowerCase().replace(/\s+/g, " ").replace(/^in /, "");
  const span = spanOf(text);
  // What lacks a day, a week or a year is read as the latest one: seen from one later that is the next.
  const seenFrom = /^(?:today|yesterday|tomorrow)/.test(text)
    ? [nowMs]
    : [nowMs, nowMs + DAY_MS, nowMs + 7 * DAY_MS, nowMs + 365 * DAY_MS];
  const ahead = seenFrom.map((atMs) => calendarOf(text, { nowMs: atMs, zone })?.atMs);
  const atMs =
    span === undefined ? (ahead.find((at) => at !== undefined && at > nowMs) ?? ahead[0]) : nowMs + span;
  if (atMs === undefined || !(atMs <= nowMs + LONGEST_AHEAD_MS))
    throw new Failure("bad-command", `I can't read that time. ${UNTIL_EXAMPLES}`);
  if (atMs <= nowMs) throw new Failure("bad-command", `That time has passed. ${UNTIL_EXAMPLES}`);
  return atMs;
}

/** The same, and a day without a time is meant to its last second: whoever is away until Friday is away on Friday. */
export function throughOf(typed: string, now: Now): number {
  return untilOf(isDay(typed) ? `${typed.trim()} 23:59:59` : typed, now);
}

/** When what is ahead begins: as `untilOf`, and a day that has begun is meant from now on. @throws Failure as `untilOf`. */
export function fromOf(typed: string, now: Now): number {
  const isToday = isDay(typed) && readMoment(typed, now)?.atMs === readMoment("today", now)?.atMs;
  return isToday || typed.trim().toLowerCase() === "now" ? now.nowMs : untilOf(typed, now);
}

/** A day, and no time of it. */
function isDay(typed: string): boolean {
  const text = typed.trim().toLowerCase();
  const isSpan = spanOf(text.replace(/^in /, "").replace(/ ago$/, "")) !== undefined;
  return text !== "" && text !== "now" && !isSpan && stampOf(text) === undefined && !CLOCK.test(text);
}

/** A timestamp out of a message: `<t:1763755200:T>`, or its seconds alone. */
function stampOf(text: string): number | undefined {
  const digits = /^(?:<t:)?(\d{9,11})(?::[a-z])?>?$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits) * 1_000;
}

function agoOf(text: string, nowMs: number): number | undefined {
  if (text === "now") return nowMs;
  const span = spanOf(text.replace(/ ago$/, ""));
  return span === undefined ? undefined : nowMs - span;
}

/** `1 h 30 min`, in milliseconds; undefined for anything else. */
export function spanOf(typed: string): number | undefined {
  const text = typed.trim().toLowerCase().replace(/\s+/g, " ");
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+) ?/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  let ms = 0;
  for (const [, count = "", unit = ""] of parts) {
    const unitMs = UNIT_MS.find(([name]) => name.test(unit))?.[1];
    if (unitMs === undefined) return undefined;
    ms += Number(count) * unitMs;
  }
  return ms;
}

function calendarOf(text: string, { nowMs, zone }: Now): Shown | undefined {
  const clock = CLOCK.exec(text);
  const dayText = (clock === null ? text : text.slice(0, clock.index)).replace(/[ ,]+$/, "");
  const time = clock === null ? { h: 0, m: 0, s: 0 } : timeOf(clock);
  if (time === undefined || (clock === null && dayText === "")) return undefined;
  const today = dayIn(zone, nowMs);
  if (dayText === "") {
    const shown = shownIn(zone, today, time);
    return shown.atMs <= nowMs ? shown : shownIn(zone, shifted(today, -1), time);
  }
  const day = dayOf(dayText, today);
  return day === undefined ? undefined : shownIn(zone, day, time);
}

function shownIn(zone: string, day: Day, time: Time): Shown {
  return { atMs: atIn(zone, day, time), times: timesIn(zone, day, time) };
}

function timeOf([, hours = "", minutes = "", seconds = "0", half]: RegExpExecArray) {
  const twelve = Number(hours);
  if (half !== undefined && (twelve < 1 || twelve > 12)) return undefined;
  const h = half === undefined ? twelve : (twelve % 12) + (half === "pm" ? 12 : 0);
  const [m, s] = [Number(minutes), Number(seconds)];
  return h > 23 || m > 59 || s > 59 ? undefined : { h, m, s };
}

function dayOf(text: string, today: Day): Day | undefined {
  if (text === "today") return today;
  if (text === "yesterday") return shifted(today, -1);
  if (text === "tomorrow") return shifted(today, 1);
  const weekday = text.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name.startsWith(text));
  if (weekday >= 0) return shifted(today, -((new Date(utc(today)).getUTCDay() - weekday + 7) % 7));
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso !== null) return checked({ year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) });
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(text);
  if (dotted !== null)
    return dated(today, { day: Number(dotted[1]), month: Number(dotted[2]), year: dotted[3] });
  const named = /^(?:(\d{1,2}) ([a-z]{3})[a-z]*|([a-z]{3})[a-z]* (\d{1,2}))(?:,? (\d{4}))?$/.exec(text);
  if (named === null) return undefined;
  const month = MONTHS.findIndex((name) => name === (named[2] ?? named[3])) + 1;
  return dated(today, { day: Number(named[1] ?? named[4]), month, year: named[5] });
}

/** Without a year: the latest such day. */
function dated(today: Day, { day, month, year }: Dated): Day | undefined {
  if (year !== undefined) return checked({ year: Number(year), month, day });
  const isAhead = month > today.month || (month === today.month && day > today.day);
  return checked({ year: today.year - (isAhead ? 1 : 0), month, day });
}

function checked(day: Day): Day | undefined {
  const same = new Date(utc(day));
  const fits = same.getUTCMonth() + 1 === day.month && same.getUTCDate() === day.day;
  return fits && day.year >= 1970 ? day : undefined;
}
