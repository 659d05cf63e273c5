import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PackedRetained } from "../../../src/journal/compare/encoded-window.ts";
import type { Retained } from "../../../src/journal/compare/retained.ts";
import { parseJournalHead } from "../../../src/journal/journal-records.ts";

const row = fc.record({
  afterS: fc.oneof(fc.constant(0), fc.nat(600), fc.nat(2 ** 33)),
  hash: fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, 2 ** 53 - 1)),
  count: fc.integer({ min: 1, max: 1_000 }),
});
const retained: fc.Arbitrary<Retained> = fc
  .record({
    rows: fc.array(row, { maxLength: 40 }),
    longest: fc.nat(500),
    calm: fc.nat(3),
    floorS: fc.option(fc.nat(2 ** 31), { nil: undefined }),
  })
  .map(({ rows, longest, calm, floorS }) => {
    let atS = 0;
    return {
      longest,
      calm,
      ...(floorS === undefined ? {} : { floorS }),
      seconds: rows.map(({ afterS }) => {
        atS += afterS;
        return atS;
      }),
      hashes: rows.map(({ hash }) => hash),
      counts: rows.map(({ count }) => count),
    };
  });

function headWith(stored: unknown): unknown {
  return { lineage: "l", retained: stored, nextSeq: 1, chunks: [], nextChunk: 0, tail: [], joined: [] };
}

describe("what a journal retains, packed", () => {
  test("comes out as it went in, through memory and through the store", () => {
    fc.assert(
      fc.property(retained, (state) => {
        const packed = PackedRetained.of(state);
        assert.deepEqual(packed.unpacked(), state);
        const stored = JSON.parse(JSON.stringify(headWith(packed)));
        assert.deepEqual(parseJournalHead(stored).retained?.unpacked(), state);
      }),
    );
  });

  test("costs about 10 bytes an identity in memory and 13 characters in the store", () => {
    const index = Array.from({ length: 300 }, (_, at) => at);
    const state = {
      longest: 100,
      calm: 0,
      counts: index.map(() => 1),
      seconds: index.map((at) => 1_790_000_000 + at * 7),
      hashes: index.map((at) => 2 ** 52 + at),
    };
    const packed = PackedRetained.of(state);
    assert.ok(packed.bytes.length <= 300 * 10);
    assert.ok(/^[\0-\u00ff]*$/u.test(packed.bytes), "a wider character makes all of them take two bytes");
    assert.ok(packed.toJSON().rows.length <= 300 * 13);
  });

  test("is stored in the form that the release before wrote", () => {
    const state = {
      longest: 100,
      calm: 1,
      floorS: 4,
      reachedS: 9,
      seconds: [5, 300],
      hashes: [9, 2 ** 53 - 1],
      counts: [1, 200],
    };
    const stored = { floorS: 4, reachedS: 9, longest: 100, calm: 1, rows: "BQkAAAAAAAABpwL///////8fyAE=" };
    assert.deepEqual(JSON.parse(JSON.stringify(PackedRetained.of(state))), stored);
    assert.deepEqual(parseJournalHead(headWith(stored)).retained?.unpacked(), state);
  });

  test("is refused where it was cut off or is no base64", () => {
    const state = { longest: 1, calm: 0, seconds: [5], hashes: [9], counts: [1] };
    const { rows } = PackedRetained.of(state).toJSON();
    const cut = Buffer.from(rows, "base64").subarray(0, 5).toString("base64");
    for (const bad of [cut, "not base64!"]) {
      assert.throws(() => parseJournalHead(headWith({ longest: 1, calm: 0, rows: bad })));
    }
  });
});
