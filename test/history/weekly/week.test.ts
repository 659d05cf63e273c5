import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LatestWeeks, latestWeek } from "../../../src/history/weekly/week.ts";

const HOUR_MS = 3_600_000;
const ZONES = ["UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati", "Australia/Lord_Howe"];

describe("the latest week whose summary is due", () => {
  test("ends on the last Monday before nine o'clock of the zone's clocks had come", () => {
    const inBerlin = (text: string) => new Date(latestWeek("Europe/Berlin", Date.parse(text)).toS * 1_000);
    assert.equal(inBerlin("2026-03-30T06:59:59Z").toISOString(), "2026-03-22T23:00:00.000Z");
    assert.equal(inBerlin("2026-03-30T07:00:00Z").toISOString(), "2026-03-29T22:00:00.000Z");
  });

  test("property: is remembered no longer than it is the latest, wherever a clock is set to", () => {
    const start = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2028, 0) });
    const steps = fc.array(fc.tuple(fc.integer({ min: -200, max: 400 }), fc.constantFrom(...ZONES)));
    fc.assert(
      fc.property(start, steps, (startMs, moments) => {
        const weeks = new LatestWeeks();
        let nowMs = startMs;
        for (const [hours, zone] of moments) {
          nowMs += hours * HOUR_MS;
          assert.deepEqual(weeks.of(zone, nowMs), latestWeek(zone, nowMs));
        }
      }),
    );
  });
});
