import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { simulate } from "./simulate.ts";

describe("what no answer shows any more", () => {
  test("an emergency call that one answer showed, whose write was lost and which is over, is told", async () => {
    const { calls, callsForgotten, examples } = await simulate({
      servers: 6,
      hours: 0.9,
      entries: 1_200,
      pollsPerS: 2,
      seed: 42,
      meanCalls: 300,
      emergencies: true,
      powerCuts: { share: 0.4, longestMs: 8_000 },
    });
    assert.ok(calls > 10);
    assert.equal(callsForgotten, 0, examples.join("\n"));
  });

  /**
   * Of two thirds of these notices nothing turns out to be missing: whether something came between the last answer and the
   * start of the game server, no answer tells. What can be told is that nobody was there.
   */
  test("around restarts of the game a feed has one notice, and none where nobody had been there", async () => {
    const sums = { told: 0, empty: 0, idle: 0, lost: 0, most: 0 };
    const said: string[] = [];
    for (const seed of [71, 76, 96]) {
      const world = { servers: 8, hours: 2.5, entries: 3_000, pollsPerS: 0.15, seed };
      const outcome = await simulate({ ...world, meanCalls: 1e9, stopsEveryMs: 1e9 });
      sums.told += outcome.restartNotices;
      sums.empty += outcome.emptyRestartNotices;
      sums.idle += outcome.idleRestartNotices;
      sums.lost += outcome.lost + outcome.unannounced;
      sums.most = Math.max(sums.most, outcome.noticesPerRestart);
      said.push(...outcome.examples);
    }
    const { told, empty, ...wrong } = sums;
    assert.deepEqual(wrong, { idle: 0, lost: 0, most: 1 }, said.join("\n"));
    assert.ok(told - empty >= 5, `${told - empty} of ${told} name what is missing`);
  });
});
