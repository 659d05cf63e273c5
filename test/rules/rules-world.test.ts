import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { liveThrough } from "./rules-figures.ts";

describe("rules in seeded worlds", () => {
  for (const [seed, step, kind] of [
    [1, "pm", "team"],
    [2, "kick", "vehicle"],
    [3, "load", "callsign"],
  ] as const) {
    test(`:${step} by a ${kind} hits nobody who kept the rule and nobody who was not named in full, over kills`, async () => {
      const figures = await liveThrough({
        seed,
        step,
        kind,
        everyMs: 5_000,
        lost: 0.1,
        late: 0.15,
        events: 1_500,
        crashes: 4,
      });
      assert.deepEqual(figures.wrong, []);
      assert.ok(figures.mostMessages <= 3, `${figures.mostMessages} messages to one player`);
      assert.ok(figures.steps > 0 && figures.told > figures.steps, JSON.stringify(figures));
      assert.equal(figures.crashes, 4);
    });
  }

  test("looks each 30 s are enough for a step, looks each 5 min only for telling", async () => {
    const often = await liveThrough({ seed: 4, step: "kick", everyMs: 30_000, events: 600, crashes: 0 });
    assert.ok(often.steps > 0, JSON.stringify(often));
    const rarely = await liveThrough({ seed: 5, step: "kick", everyMs: 300_000, events: 3_000, crashes: 0 });
    assert.deepEqual([often.wrong, rarely.wrong, rarely.steps], [[], [], 0]);
    assert.ok(rarely.told > 0, JSON.stringify(rarely));
  });
});
