import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../support/clock.ts";
import { KeyCrowd } from "../../support/key-crowd.ts";

const MINUTE_MS = 60_000;
const KEYS = 50;
/** A round trip of a second. */
const SLOW = { latencyMs: 450, jitterMs: 50 };

const random = seededRandom(3);
const LOOPS: readonly (readonly number[])[] = [
  [50, 50],
  [300, 300, 300],
  [700, 700, 700, 700],
  [5, 5, 5, 5, 5, 5, 5, 5],
  Array.from({ length: 30 }, (_, n) => 400 + 290 * n),
  Array.from({ length: 20 }, () => random.next() * 6_000),
  Array.from({ length: 20 }, () => random.next() * 40_000),
];

describe("a crash loop while all keys are good silences nobody for longer than two minutes", () => {
  for (const livesMs of LOOPS)
    test(`${livesMs.length + 1} kills after ${Math.ceil(Math.max(...livesMs))} ms at most`, async () => {
      const town = new KeyCrowd({ seed: livesMs.length, keys: KEYS, ...SLOW });
      await town.run(5 * MINUTE_MS + 300);
      for (const lifeMs of livesMs) {
        await town.kill();
        await town.run(lifeMs);
      }
      await town.kill();
      const sinceMs = town.world.clock.nowMs();
      await town.run(2 * MINUTE_MS);
      assert.equal(town.answeredSince(sinceMs).length, KEYS);
      await town.close();
    });
});
