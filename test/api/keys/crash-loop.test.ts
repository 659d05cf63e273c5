import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../support/clock.ts";
import { answeredAfterKills } from "./crowd-cases.ts";

const KEYS = 50;

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
      const answered = await answeredAfterKills(livesMs);
      assert.equal(answered, KEYS);
    });
});
