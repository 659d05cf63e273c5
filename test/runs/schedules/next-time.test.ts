import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type ScheduleRule, WEEKDAYS, type Weekday } from "../../../src/domain/schedule.ts";
import { anchorOf, nextTime } from "../../../src/runs/schedules/next-time.ts";

/** Zones with summer time north and south, of half an hour, at midnight, with none, and far from UTC. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Beirut",
  "Africa/Cairo",
  "America/Santiago",
  "Asia/Kolkata",
  "Pacific/Kiritimati",
  "Asia/Kathmandu",
];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Shown {
  readonly day: Weekday;
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
}

/** Clocks are changed at full quarters of an hour only, of which every zone's clocks show full ones. */
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * What the clocks of a zone show: by Intl, which the code under test does not ask. Intl is asked once for each quarter of
 * an hour, because it takes longer than everything else here.
 */
function clocksOf(zone: string): (atMs: number) => Shown {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  let quarter: Shown & { readonly fromMs: number } = { fromMs: Number.NaN, day: "mon", date: "", time: "" };
  return (atMs) => {
    const fromMs = atMs - (atMs % QUARTER_MS);
    if (quarter.fromMs !== fromMs) {
      const parts = new Map(format.formatToParts(fromMs).map(({ type, value }) => [type, value]));
      const day = WEEKDAYS.find((name) => name === parts.get("weekday")?.toLowerCase().slice(0, 3));
      if (day === undefined) throw new Error("no weekday");
      const date = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
      quarter = { fromMs, day, date, time: `${parts.get("hour")}:${parts.get("minute")}` };
    }
    const minute = Number(quarter.time.slice(3)) + (atMs - fromMs) / MINUTE_MS;
    return { ...quarter, time: `${quarter.time.slice(0, 3)}${String(minute).padStart(2, "0")}` };
  };
}

/**
 * Every due time of a stretch, by walking through its minutes: the first minute of a date at which the clocks show the
 * time, or have passed it without having shown it.
 */
function walked(
  rule: Extract<ScheduleRule, { kind: "times" }>,
  zone: string,
  [fromMs, toMs]: readonly [number, number],
): number[] {
  const shownAt = clocksOf(zone);
  const due = new Set<number>();
  const over = new Set<string>();
  for (let atMs = fromMs; atMs <= toMs; atMs += MINUTE_MS) {
    const { day, date, time } = shownAt(atMs);
    if (!rule.days.includes(day)) continue;
    for (const wanted of rule.times) {
      if (time < wanted || over.has(`${date} ${wanted}`)) continue;
      over.add(`${date} ${wanted}`);
      due.add(atMs);
    }
  }
  return [...due];
}

function at(text: string): number {
  return Date.parse(text);
}

const daily = (...times: string[]) => ({
  rule: { kind: "times", days: WEEKDAYS, times } as const,
  anchorMs: 0,
});

describe("the next time of a schedule", () => {
  test("is that of the clocks of the zone, in winter and in summer", () => {
    const berlin = (after: string) =>
      new Date(nextTime(daily("20:00"), "Europe/Berlin", at(after))).toISOString();
    assert.equal(berlin("2026-01-10T12:00:00Z"), "2026-01-10T19:00:00.000Z");
    assert.equal(berlin("2026-07-10T12:00:00Z"), "2026-07-10T18:00:00.000Z");
    assert.equal(berlin("2026-01-10T19:00:00Z"), "2026-01-11T19:00:00.000Z", "after, never at");
    assert.equal(berlin("2026-01-10T18:59:59.999Z"), "2026-01-10T19:00:00.000Z");
  });

  test("that the clocks leap over is when they have leapt, once, however many it were", () => {
    const due = daily("02:00", "02:30");
    const first = nextTime(due, "Europe/Berlin", at("2026-03-28T12:00:00Z"));
    assert.equal(new Date(first).toISOString(), "2026-03-29T01:00:00.000Z");
    assert.equal(new Date(nextTime(due, "Europe/Berlin", first)).toISOString(), "2026-03-30T00:00:00.000Z");
  });

  test("that the clocks show twice is the first of the two", () => {
    const first = nextTime(daily("02:30"), "Europe/Berlin", at("2026-10-24T12:00:00Z"));
    assert.equal(new Date(first).toISOString(), "2026-10-25T00:30:00.000Z");
    assert.equal(
      new Date(nextTime(daily("02:30"), "Europe/Berlin", first)).toISOString(),
      "2026-10-26T01:30:00.000Z",
    );
  });

  test("of an interval stays as far from the one before when the clocks change", () => {
    const anchorMs = anchorOf("Europe/Berlin", at("2026-03-28T12:00:00Z"));
    assert.equal(new Date(anchorMs).toISOString(), "2026-03-28T23:00:00.000Z");
    const due = { rule: { kind: "every", minutes: 120 } as const, anchorMs };
    let afterMs = at("2026-03-28T22:59:00Z");
    for (let count = 0; count < 20; count += 1) {
      const nextMs = nextTime(due, "Europe/Berlin", afterMs);
      assert.equal(nextMs, anchorMs + count * 120 * MINUTE_MS);
      afterMs = nextMs;
    }
  });

  test("property: it is the one that a walk through the minutes finds, in every zone, with every change of clocks", () => {
    const quarter = fc.integer({ min: 0, max: 287 }).map((five) => {
      return `${String(Math.floor(five / 12)).padStart(2, "0")}:${String((five % 12) * 5).padStart(2, "0")}`;
    });
    const rules = fc.record({
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      times: fc.uniqueArray(quarter, { minLength: 1, maxLength: 3 }).map((list) => list.toSorted()),
    });
    // Around the changes of clocks, of which most lie in these months, and anywhere else.
    const months = fc.constantFrom(2, 3, 8, 9, 10, 5, 0);
    const moments = fc
      .tuple(fc.integer({ min: 2025, max: 2029 }), months, fc.integer({ min: 0, max: 31 * 1_440 }))
      .map(([year, month, minute]) => Date.UTC(year, month, 1) + minute * MINUTE_MS);
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), rules, moments, (zone, { days, times }, afterMs) => {
        const rule = { kind: "times", days, times } as const;
        const expected = walked(rule, zone, [afterMs - 2 * DAY_MS, afterMs + 9 * DAY_MS]).find(
          (ms) => ms > afterMs,
        );
        const found = nextTime({ rule, anchorMs: 0 }, zone, afterMs);
        assert.equal(new Date(found).toISOString(), new Date(expected ?? 0).toISOString());
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  test("property: of an interval it is after, a whole number of intervals from the anchor, and the first such", () => {
    const minutes = fc.integer({ min: 10, max: 1_440 });
    const moment = fc.integer({ min: at("2020-01-01"), max: at("2035-01-01") });
    fc.assert(
      fc.property(minutes, moment, moment, (every, anchorMs, afterMs) => {
        const next = nextTime({ rule: { kind: "every", minutes: every }, anchorMs }, "UTC", afterMs);
        assert.ok(next > afterMs && next - afterMs <= every * MINUTE_MS);
        assert.equal(Math.abs((next - anchorMs) % (every * MINUTE_MS)), 0);
      }),
    );
  });
});
