import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { diff } from "../../../src/journal/compare/diff.ts";
import type { Fact } from "../../../src/journal/compare/fact.ts";
import type { Look } from "../../../src/journal/compare/gap.ts";
import { provesContinuity } from "../../../src/journal/compare/retained.ts";

const look: Look = {
  hasPlayers: true,
  recent: true,
  continuous: true,
  isNew: false,
  isOld: false,
  wasEmpty: false,
  rows: 0,
  fullest: 0,
  reachedS: undefined,
  oldestS: undefined,
  newestS: undefined,
  wholeS: undefined,
  takenAtS: 1_000,
  presentS: undefined,
};

/** Few rows in fewer seconds: many are equal, and each tells its second. */
const windows = fc.array(fc.array(fc.nat(30), { maxLength: 25 }), { minLength: 1, maxLength: 8 });

function factOf(hash: number): Fact<number> {
  return { atS: 100 + ((hash * 7) % 12), hash, value: hash };
}

function counted(hashes: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

function sorted(pairs: Iterable<readonly [number, number]>): readonly (readonly [number, number])[] {
  return [...pairs].sort(([a], [b]) => a - b);
}

describe("what is retained of a log", () => {
  test("is each identity once, by its second, with the most rows that any window showed; what is beyond comes out", () => {
    fc.assert(
      fc.property(windows, (shown) => {
        let state = diff(undefined, [], look).next;
        const most = new Map<number, number>();
        for (const hashes of shown) {
          const { fresh, next } = diff(state, hashes.map(factOf), look);
          const beyond: [number, number][] = [];
          for (const [hash, count] of counted(hashes)) {
            const known = most.get(hash) ?? 0;
            if (count > known) beyond.push([hash, count - known]);
            most.set(hash, Math.max(known, count));
          }
          assert.deepEqual(sorted(counted(fresh)), sorted(beyond));
          state = next;
          const rows = state.hashes.map((hash, index) => [hash, state.counts[index] ?? 0] as const);
          assert.deepEqual(sorted(rows), sorted(most));
          const seconds = state.hashes.map((hash) => factOf(hash).atS);
          assert.deepEqual(
            state.seconds,
            seconds.toSorted((a, b) => a - b),
          );
          assert.deepEqual(state.seconds, seconds);
        }
      }),
    );
  });
});

describe("continuity", () => {
  test("is proven by a second of which all known rows are shared, and by no other", () => {
    const known = { longest: 3, calm: 0, seconds: [5, 5, 6], hashes: [1, 2, 3], counts: [1, 2, 1] };
    for (const [shared, proves] of [
      [[], false],
      [[5, 5], false],
      [[5, 5, 5], true],
      [[5, 6], true],
    ] as const) {
      assert.equal(provesContinuity(known, shared), proves, `${shared}`);
    }
  });
});
