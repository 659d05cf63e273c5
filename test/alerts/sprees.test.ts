import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  floorAfter,
  raiseFloor,
  type SeenRows,
  seenUpTo,
  takeUnseen,
} from "../../src/alerts/windows/seen-rows.ts";
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

describe("rows that answers show again", () => {
  const row = (atS: number, identity: string) => ({ atS, identity });
  type Row = ReturnType<typeof row>;
  /** As an answer does: takes what is new, then raises the floor. */
  const look = (seen: SeenRows, shown: readonly Row[], times: Parameters<typeof floorAfter>[1]) => {
    const floorS = floorAfter(seen, times);
    const fresh = takeUnseen(seen, shown, { identityOf: ({ identity }) => identity, floorS });
    raiseFloor(seen, floorS);
    return fresh;
  };
  const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom("a", "b")), {
    maxLength: 40,
  });

  test("are new as often as they stand in the record, whatever windows show and however often", () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat({ max: 60 }), { maxLength: 30 }), (some, looks) => {
        const record = some.toSorted(([a], [b]) => a - b).map(([atS, identity]) => row(atS, identity));
        const seen = seenUpTo(0);
        const fresh: string[] = [];
        let newestS = 0;
        for (const upToS of [...looks, 60]) {
          // An old answer may be served again, and the order of rows is not promised.
          const shown = record.filter(({ atS }) => atS <= upToS);
          const window = upToS % 2 === 0 ? shown : shown.toReversed();
          newestS = Math.max(newestS, shown.at(-1)?.atS ?? 0);
          const taken = look(seen, window, { newestS, presentS: upToS, lateS: 5 });
          fresh.push(...taken.map(({ atS, identity }) => `${atS} ${identity}`));
        }
        assert.deepEqual(fresh.sort(), record.map(({ atS, identity }) => `${atS} ${identity}`).sort());
      }),
      { numRuns: 1_000 },
    );
  });

  test("stay bounded, and one that is dated ahead hides none that follow it", () => {
    const seen = seenUpTo(0);
    const times = { newestS: 1_000, presentS: 400, lateS: 60 };
    look(seen, [row(1_000, "ahead")], times);
    assert.equal(look(seen, [row(410, "later")], times).length, 1);
    const many = Array.from({ length: 9_000 }, (_, nth) => row(2_000 + nth, "x"));
    const long = { newestS: 11_000, presentS: 3_000, lateS: 5_000 };
    assert.equal(look(seen, many, long).length, 9_000);
    assert.equal(seen.seconds.size, 2_000);
    assert.equal(look(seen, many.slice(-500), long).length, 0);
  });
});
