import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Dated, type Spree, type SpreeLimit, takeRow } from "../../src/alerts/windows/sprees.ts";

interface Told {
  firedAtS: number;
  rows: number[];
}

/** What the windows make of rows that come one after the other. */
function toldOf(seconds: readonly number[], limit: SpreeLimit): Told[] {
  const spree: Spree<Dated> = { rows: [] };
  const told: Told[] = [];
  for (const atS of seconds) {
    const step = takeRow(spree, { atS }, limit);
    if (step.kind === "began") {
      told.push({ firedAtS: step.firedAtS, rows: step.rows.map((row) => row.atS) });
    } else if (step.kind === "more") told.at(-1)?.rows.push(atS);
  }
  return told;
}

/** The same by its definition, from the whole record: slow, and plain to read. */
function dueOf(seconds: readonly number[], { count, withinS }: SpreeLimit): Told[] {
  const sorted = seconds.toSorted((a, b) => a - b);
  const chains: number[][] = [];
  for (const atS of sorted) {
    const last = chains.at(-1)?.at(-1);
    if (last !== undefined && atS - last <= withinS) chains.at(-1)?.push(atS);
    else chains.push([atS]);
  }
  return chains.flatMap((chain) => {
    const full = chain.findIndex((atS, index) => (chain[index + count - 1] ?? Infinity) - atS <= withinS);
    const firedAtS = chain[full + count - 1];
    return full === -1 || firedAtS === undefined ? [] : [{ firedAtS, rows: chain.slice(full) }];
  });
}

const limits = fc.record({ count: fc.integer({ min: 1, max: 5 }), withinS: fc.integer({ min: 1, max: 30 }) });
const seconds = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 60 });

describe("a sliding window", () => {
  test("tells exactly the sprees of the record, with exactly their rows, when rows come in their order", () => {
    fc.assert(
      fc.property(seconds, limits, (some, limit) => {
        const inOrder = some.toSorted((a, b) => a - b);
        assert.deepEqual(toldOf(inOrder, limit), dueOf(inOrder, limit));
      }),
      { numRuns: 2_000 },
    );
  });

  test("begins one for each spree of the record, and counts no row twice, in whatever order rows come", () => {
    fc.assert(
      fc.property(
        seconds,
        limits,
        fc.array(fc.nat({ max: 20 }), { maxLength: 60 }),
        (some, limit, lateness) => {
          const coming = some
            .map((atS, index) => ({ atS, seenS: atS + (lateness[index] ?? 0) }))
            .sort((a, b) => a.seenS - b.seenS)
            .map(({ atS }) => atS);
          const told = toldOf(coming, limit);
          const counted = told.flatMap(({ rows }) => rows);
          for (const { rows } of dueOf(some, limit)) {
            assert.ok(
              rows.some((atS) => counted.includes(atS)),
              `nothing was told of ${rows}`,
            );
          }
          const left = [...some];
          for (const atS of counted) {
            const at = left.indexOf(atS);
            assert.notEqual(at, -1, `${atS} was counted too often`);
            left.splice(at, 1);
          }
          for (const { rows } of told) {
            const full = dueOf(rows, limit);
            assert.ok(full.length >= 1, `${rows} are no spree`);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("keeps no more rows than may still become a spree", () => {
    const spree: Spree<Dated> = { rows: [] };
    for (let atS = 0; atS < 100_000; atS += 20) takeRow(spree, { atS }, { count: 5, withinS: 60 });
    assert.ok(spree.rows.length <= 7, String(spree.rows.length));
  });
});
