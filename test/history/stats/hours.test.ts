import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Crowd } from "../../../src/domain/stats.ts";
import { answerTimeS, callFigures } from "../../../src/history/stats/answer-times.ts";
import { Hours, LOOK_VALID_S, type Look } from "../../../src/history/stats/hours.ts";
import { type Interval, sharedS } from "../../../src/history/stats/intervals.ts";

const MINUTE_S = 60;
/** Beside UTC: both changes of a summer time, quarter hours, and a summer time of half an hour. */
const starts = [
  { zone: "UTC", atS: Date.UTC(2026, 0, 1) / 1_000 },
  { zone: "Europe/Berlin", atS: Date.UTC(2026, 9, 24) / 1_000 },
  { zone: "Europe/Berlin", atS: Date.UTC(2026, 2, 28) / 1_000 },
  { zone: "Asia/Kathmandu", atS: Date.UTC(2026, 5, 1) / 1_000 },
  { zone: "Australia/Lord_Howe", atS: Date.UTC(2026, 3, 4) / 1_000 },
] as const;

const worlds = fc.record({
  start: fc.constantFrom(...starts),
  offsetMinutes: fc.nat(90),
  minutes: fc.integer({ min: 1, max: 3 * 24 * 60 }),
  looks: fc.array(
    fc.record({
      minute: fc.integer({ min: -120, max: 3 * 24 * 60 }),
      players: fc.nat(40),
      staff: fc.option(fc.nat(3)),
    }),
    { maxLength: 60 },
  ),
  rows: fc.array(fc.nat(3 * 24 * 60 * 60), { maxLength: 40 }),
});

interface Sums {
  minutes: number;
  players: number;
  peak: number;
  staffMinutes: number;
  staff: number;
  uncovered: number;
}

/** What the clocks of a zone show, by nothing but Intl: `Thu 09`. Its parts, since how it joins them changes with ICU. */
function shownAt(zone: string, atS: number): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    hourCycle: "h23",
  });
  const parts = format.formatToParts(atS * 1_000);
  const part = (type: "weekday" | "hour") => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("weekday")} ${part("hour")}`;
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function add(sums: Sums, look: Look): void {
  sums.minutes += 1;
  sums.players += look.players;
  sums.peak = Math.max(sums.peak, look.players);
  if (look.staff === null) return;
  sums.staffMinutes += 1;
  sums.staff += look.staff;
  if (look.players > 0 && look.staff === 0) sums.uncovered += 1;
}

const nothing = (): Sums => ({ minutes: 0, players: 0, peak: 0, staffMinutes: 0, staff: 0, uncovered: 0 });

function assertSame(crowd: Crowd, sums: Sums, where: string): void {
  assert.equal(crowd.knownS, sums.minutes * MINUTE_S, `known ${where}`);
  assert.equal(crowd.uncoveredS, sums.uncovered * MINUTE_S, `uncovered ${where}`);
  const close = (one: number | undefined, other: number | undefined) =>
    one === other || Math.abs((one ?? Number.NaN) - (other ?? Number.NaN)) < 1e-9;
  const players = sums.minutes === 0 ? undefined : sums.players / sums.minutes;
  const staff = sums.staffMinutes === 0 ? undefined : sums.staff / sums.staffMinutes;
  assert.ok(close(crowd.players, players), `players ${where}: ${crowd.players}, not ${players}`);
  assert.ok(close(crowd.staff, staff), `staff ${where}: ${crowd.staff}, not ${staff}`);
  assert.equal(crowd.peak, sums.minutes === 0 ? undefined : sums.peak, `peak ${where}`);
}

describe("figures hour by hour", () => {
  test("are those of a count minute by minute, by the clocks of any zone, over changes of summer time", () => {
    fc.assert(
      fc.property(
        worlds,
        fc.boolean(),
        ({ start, offsetMinutes, minutes, looks: drawn, rows }, isLookedAt) => {
          const { zone } = start;
          const fromS = start.atS + offsetMinutes * MINUTE_S;
          const toS = fromS + minutes * MINUTE_S;
          const byMinute = new Map(drawn.map((look) => [look.minute, look]));
          const looks: Look[] = [...byMinute.values()]
            .map(({ minute, players, staff }) => ({ atS: fromS + minute * MINUTE_S, players, staff }))
            .sort((a, b) => a.atS - b.atS)
            .filter(({ atS }) => atS < toS);
          const happened = rows.map((s) => fromS + s).filter((atS) => atS < toS);

          const hours = new Hours({ fromS, toS, zone });
          for (const look of looks) hours.look(look);
          const lookedS = isLookedAt ? (looks.at(-1)?.atS ?? fromS) + 7 * MINUTE_S - 1 : undefined;
          hours.end(lookedS);
          for (const atS of happened) hours.count("kills", atS, 1);

          const all = nothing();
          const week = new Map<string, Sums>();
          for (let atS = fromS; atS < toS; atS += MINUTE_S) {
            const look = looks.findLast((one) => one.atS <= atS);
            if (look === undefined || atS >= look.atS + LOOK_VALID_S || atS > (lookedS ?? toS)) continue;
            add(all, look);
            const shown = shownAt(zone, atS);
            const sums = week.get(shown) ?? nothing();
            week.set(shown, sums);
            add(sums, look);
          }
          const total = hours.total();
          assertSame(total, all, "in all");
          assert.equal(total.kills, happened.length);
          for (const [index, crowd] of hours.week().entries()) {
            const shown = `${WEEKDAYS[Math.floor(index / 24)]} ${String(index % 24).padStart(2, "0")}`;
            assertSame(crowd, week.get(shown) ?? nothing(), `${zone} ${shown}`);
          }
          for (const kind of ["hour", "day"] as const) {
            const steps = hours.steps(kind);
            assert.equal(steps[0]?.startS, fromS);
            assert.equal(steps.at(-1)?.endS, toS);
            assert.equal(
              steps.reduce((sum, { knownS }) => sum + knownS, 0),
              total.knownS,
            );
            assert.equal(
              steps.reduce((sum, { kills }) => sum + kills, 0),
              happened.length,
            );
          }
          if (all.minutes > 0) {
            const peakLook = looks.find(
              (look) => look.players === all.peak && look.atS + LOOK_VALID_S > fromS,
            );
            assert.ok(hours.peakAtS !== undefined && hours.peakAtS >= Math.max(fromS, peakLook?.atS ?? 0));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("the day on which clocks are set back has its hour twice, and a week of it holds both", () => {
    const fromS = Date.UTC(2026, 9, 24, 22) / 1_000;
    const hours = new Hours({ fromS, toS: fromS + 25 * 3_600, zone: "Europe/Berlin" });
    assert.equal(hours.steps("hour").length, 25);
    assert.equal(hours.steps("day").length, 1);
    for (let atS = fromS; atS < fromS + 25 * 3_600; atS += 900) hours.look({ atS, players: 1, staff: 1 });
    hours.end(undefined);
    assert.equal(hours.week()[6 * 24 + 2]?.knownS, 7_200);
  });
});

describe("time that two lists of times share", () => {
  test("is that of a count second by second", () => {
    const interval = fc.tuple(fc.nat(60), fc.nat(20)).map(([fromS, s]) => ({ fromS, toS: fromS + s }));
    fc.assert(
      fc.property(interval, fc.array(interval, { maxLength: 6 }), (one, drawn) => {
        const seconds = new Set(drawn.flatMap(({ fromS, toS }) => range(fromS, toS)));
        const merged: Interval[] = [];
        for (const s of [...seconds].sort((a, b) => a - b)) {
          const last = merged.at(-1);
          if (last?.toS === s) merged[merged.length - 1] = { ...last, toS: s + 1 };
          else merged.push({ fromS: s, toS: s + 1 });
        }
        assert.equal(sharedS(one, merged), range(one.fromS, one.toS).filter((s) => seconds.has(s)).length);
      }),
    );
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
}

describe("how soon a call was answered", () => {
  const call = { at_s: 1_000, moderator: 7, answered_s: 1_060, open_s: 1_050 };

  test("is the middle between the last look without the answer and the first with it", () => {
    assert.equal(answerTimeS(call), 55);
    assert.equal(answerTimeS({ ...call, open_s: 990 }), 30);
    assert.equal(answerTimeS({ ...call, open_s: null }), 30);
  });

  test("is not known where there was no look for more than five minutes, or for calls before such times were kept", () => {
    assert.equal(answerTimeS({ ...call, answered_s: 1_500 }), undefined);
    assert.equal(answerTimeS({ ...call, answered_s: null }), undefined);
    assert.equal(answerTimeS({ ...call, open_s: null, answered_s: 90_000 }), undefined);
  });

  test("the median leaves out unknown times, and is missing where all are unknown", () => {
    const of = (seconds: number) => ({ ...call, answered_s: 1_000 + seconds, open_s: 1_000 + seconds });
    const open = { ...call, moderator: null, answered_s: null, open_s: null };
    assert.deepEqual(callFigures([of(10), of(40), of(20), open, { ...call, answered_s: null }]), {
      calls: 5,
      answered: 4,
      timed: 3,
      medianAnswerS: 20,
    });
    assert.deepEqual(callFigures([of(10), of(40)]).medianAnswerS, 25);
    assert.deepEqual(callFigures([open]), { calls: 1, answered: 0, timed: 0 });
  });
});
