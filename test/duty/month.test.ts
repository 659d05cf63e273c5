import assert from "node:assert/strict";
import { test } from "node:test";
import { onBothDatabases } from "../history/databases.ts";
import { assertRich, checkMonth } from "./month-checks.ts";
import { liveMonth } from "./month-life.ts";

/** The evenings around the clocks' going back, and around their going ahead. */
const PLANS = {
  sqlite: { startS: Date.UTC(2026, 9, 24, 17) / 1_000, days: 1, eveningS: 7_200, looksS: [30], seed: 3 },
  postgres: {
    startS: Date.UTC(2026, 2, 28, 17) / 1_000,
    days: 2,
    eveningS: 9_000,
    looksS: [300, 120],
    seed: 4,
  },
} as const;

onBothDatabases("shifts against the towns' own record", (databases) => {
  test("every second that counts is one in which they were there, and none is left out", async () => {
    const month = await liveMonth(databases, PLANS[databases.kind]);
    assertRich(month, {
      join: 50,
      leave: 20,
      switch: 5,
      start: 20,
      end: 10,
      break: 10,
      typed: 10,
      team: 20,
      restart: 1,
    });
    const { shifts, seconds } = await checkMonth(month);
    assert.ok(shifts > 30 && seconds > 20_000, `${shifts} shifts, ${seconds} s`);
  });
});
