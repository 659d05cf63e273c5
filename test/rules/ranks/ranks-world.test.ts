import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { liveThrough } from "./ranks-figures.ts";

describe("ranks in seeded worlds", () => {
  for (const [seed, everyMs] of [
    [1, 5_000],
    [2, 30_000],
    [3, 300_000],
  ] as const) {
    test(`looks each ${everyMs / 1_000} s: no rank to or from a wrong id, none left over, over kills`, async () => {
      const figures = await liveThrough({ seed, everyMs, lost: 0.1, late: 0.15, events: 1_500, crashes: 5 });
      assert.deepEqual(figures.wrong, []);
      assert.deepEqual(figures.leftOver, []);
      assert.ok(figures.raised > 0 && figures.taken > 0, JSON.stringify(figures));
      assert.equal(figures.crashes, 5);
    });
  }
});
