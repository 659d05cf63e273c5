import { ALERT_DEFAULTS, type AlertKind, type AlertLimit, type QuietHours } from "../src/domain/alert.ts";
import { Failure } from "../src/domain/failure.ts";

/** What people type as the threshold of an alert and as its quiet hours. Pure. */

/** Of each kind, what is offered; the first one is taken where nothing is typed. */
export const THRESHOLDS: Readonly<Record<AlertKind, readonly string[]>> = {
  kills: ["5 in 60 s", "3 in 30 s", "10 in 2 min"],
  punishments: ["5 in 5 min", "3 in 1 min", "10 in 10 min"],
  outside: ["1 in 5 min", "3 in 10 min"],
  calls: ["5 min", "2 min", "10 min"],
  full: ["all places taken", "30 players"],
  empty: ["0 players", "3 players"],
};

const MOST_COUNTED = 50;
const MOST_PLAYERS = 500;
const SHORTEST_S = 10;
const LONGEST_S = 1_800;
const LONGEST_CALL_S = 3_600;

const NUMBER_IN_TIME = /^(\d{1,3}) ?(?:in|\/) ?(\d{1,4}) ?(s|sec|seconds?|m|min|minutes?)?$/;
const TIME = /^(\d{1,4}) ?(s|sec|seconds?|m|min|minutes?)?$/;
const PLAYERS = /^(\d{1,3})(?: ?players?)?$/;

/** @throws Failure "bad-command" with an example. */
export function thresholdOf(kind: AlertKind, typed: string | undefined): AlertLimit {
  const text = (typed ?? "").trim().toLowerCase().replace(/\s+/g, " ");
  if (text === "" || text === THRESHOLDS[kind][0]) return ALERT_DEFAULTS[kind];
  switch (kind) {
    case "kills":
    case "punishments":
    case "outside":
      return countInTime(kind, text);
    case "calls": {
      const [, number, unit] = TIME.exec(text) ?? [];
      // Calls wait for minutes; kills happen in seconds.
      return { withinS: within(kind, secondsOf(number, unit ?? "min"), { least: 60, most: LONGEST_CALL_S }) };
    }
    case "full":
    case "empty": {
      const count = Number(PLAYERS.exec(text)?.[1] ?? Number.NaN);
      return { count: within(kind, count, { least: kind === "full" ? 1 : 0, most: MOST_PLAYERS }) };
    }
  }
}

function countInTime(kind: "kills" | "punishments" | "outside", text: string): AlertLimit {
  const [, number, time, unit] = NUMBER_IN_TIME.exec(text) ?? [];
  const least = kind === "outside" ? 1 : 2;
  return {
    count: within(kind, Number(number ?? Number.NaN), { least, most: MOST_COUNTED }),
    withinS: within(kind, secondsOf(time, unit ?? "s"), { least: SHORTEST_S, most: LONGEST_S }),
  };
}

function secondsOf(number: string | undefined, unit: string): number {
  return number === undefined ? Number.NaN : Number(number) * (unit.startsWith("m") ? 60 : 1);
}

function within(
  kind: AlertKind,
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  if (value >= least && value <= most) return value;
  throw new Failure("bad-command", `${WORDS[kind]} Write it like "${THRESHOLDS[kind].join('" or "')}".`);
}

const WORDS = {
  kills: "Give 2 to 50 kills within 10 s to 30 min.",
  punishments: "Give 2 to 50 punishments within 10 s to 30 min.",
  outside: "Give 1 to 50 commands within 10 s to 30 min.",
  calls: "Give how long a call may wait: 1 to 60 min.",
  full: "Give 1 to 500 players.",
  empty: "Give 0 to 500 players.",
} as const satisfies Readonly<Record<AlertKind, string>>;

/** Of quiet hours, what is offered. */
export const QUIET_HOURS: readonly string[] = ["22:00-07:00", "23:00-08:00", "00:00-06:00"];

/** `22:00-07:00` or `22-7`. @throws Failure "bad-command" with an example. */
export function quietOf(typed: string): QuietHours {
  const [, fromHour, fromRest, toHour, toRest] =
    /^(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to)\s*(\d{1,2})(?::(\d{2}))?$/.exec(typed.trim().toLowerCase()) ?? [];
  const fromMinute = minuteOf(fromHour, fromRest);
  const toMinute = minuteOf(toHour, toRest);
  if (fromMinute === undefined || toMinute === undefined || fromMinute === toMinute) {
    throw new Failure("bad-command", 'Write the hours like "22:00-07:00".');
  }
  return { fromMinute, toMinute };
}

function minuteOf(hour: string | undefined, rest = "0"): number | undefined {
  const minute = Number(hour ?? Number.NaN) * 60 + Number(rest);
  const isTime = Number(hour) <= 24 && Number(rest) <= 59 && minute <= 24 * 60;
  return isTime ? minute % (24 * 60) : undefined;
}
