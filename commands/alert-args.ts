import type { QuietHours } from "../src/domain/alert.ts";
import { type AlertKind, type AlertLimit, alertKind } from "../src/domain/alert-kinds.ts";
import { Failure } from "../src/domain/failure.ts";

/** What people type as the threshold of an alert and as its quiet hours. Pure. */

const LEAST_COUNTED = 2;
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
  const { measure, offered, defaults, least = LEAST_COUNTED } = alertKind(kind);
  if (text === "" || text === offered[0]) return defaults;
  switch (measure) {
    case "rows": {
      const [, number, time, unit] = NUMBER_IN_TIME.exec(text) ?? [];
      return {
        count: within(kind, Number(number ?? Number.NaN), { least, most: MOST_COUNTED }),
        withinS: within(kind, secondsOf(time, unit ?? "s"), { least: SHORTEST_S, most: LONGEST_S }),
      };
    }
    case "wait": {
      const [, number, unit] = TIME.exec(text) ?? [];
      // Calls wait for minutes; kills happen in seconds.
      return { withinS: within(kind, secondsOf(number, unit ?? "min"), { least: 60, most: LONGEST_CALL_S }) };
    }
    case "most":
    case "least": {
      const count = Number(PLAYERS.exec(text)?.[1] ?? Number.NaN);
      return { count: within(kind, count, { least, most: MOST_PLAYERS }) };
    }
  }
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
  const { help, offered } = alertKind(kind);
  const examples = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
    offered.map((example) => `"${example}"`),
  );
  throw new Failure("bad-command", `${help} Write it like ${examples}.`);
}

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
