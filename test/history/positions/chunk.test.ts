import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Spot } from "../../../src/domain/track.ts";
import { decodeChunk, encodeChunk, type Look } from "../../../src/history/positions/chunk.ts";
import { anyText } from "../../support/any-text.ts";

const place = fc.integer({ min: -100_000, max: 100_000 });
const word = fc.oneof(
  fc.constantFrom("Police", "", "Elm", "__proto__", "</text>&\0"),
  anyText({ maxLength: 60 }),
);
const spot: fc.Arbitrary<Spot> = fc.record(
  { x: place, z: place, team: word, street: word, postal: word },
  { requiredKeys: ["x", "z", "team"], noNullPrototype: true },
);
const minute = fc.integer({ min: 0, max: 3_000_000_000 }).map((n) => Math.floor(n / 60) * 60);
const looksOf = fc
  .tuple(
    minute,
    fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { maxLength: 12 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .chain(([fromS, seconds, people]) =>
    fc.tuple(
      ...seconds
        .sort((a, b) => a - b)
        .map((second) =>
          fc
            .array(fc.option(spot, { nil: undefined }), { minLength: people, maxLength: people })
            .map((spots): Look => {
              const there = spots.flatMap((one, n) =>
                one === undefined ? [] : [[n * 977 + 1, one] as const],
              );
              return { atS: fromS + second, spots: new Map(there) };
            }),
        ),
    ),
  );

describe("the looks of a minute", () => {
  test("are read as they were written: anybody, anywhere, on any street, seen or not", () => {
    fc.assert(
      fc.property(looksOf, (looks) => {
        assert.deepEqual(decodeChunk(encodeChunk(looks)), looks);
      }),
      { numRuns: 300 },
    );
  });

  test("nobody at all, everybody on one spot, two hundred: each comes back, and equal looks cost nearly nothing", () => {
    const looks = (people: number, x: (person: number, look: number) => number): readonly Look[] =>
      Array.from({ length: 12 }, (_, look) => ({
        atS: 1_800 + 5 * look,
        spots: new Map(
          Array.from({ length: people }, (_, n) => [
            n + 1,
            { x: x(n, look), z: 3 - x(n, look), team: "Civilian" },
          ]),
        ),
      }));
    for (const some of [looks(0, () => 0), looks(40, () => 7), looks(200, (n, look) => n * 31 + look * 9)])
      assert.deepEqual(decodeChunk(encodeChunk(some)), some);
    assert.ok(encodeChunk(looks(40, () => 7)).length < 200);
    assert.ok(encodeChunk(looks(200, (n, look) => n * 31 + look * 9)).length < 20_000);
  });

  test("two who change places are who they are, whatever the order of the list", () => {
    const [a, b] = [
      { x: 0, z: 0, team: "Police" },
      { x: 900, z: 40, team: "Fire" },
    ];
    const looks: readonly Look[] = [
      {
        atS: 60,
        spots: new Map([
          [1, a],
          [2, b],
        ]),
      },
      {
        atS: 65,
        spots: new Map([
          [2, a],
          [1, b],
        ]),
      },
      {
        atS: 70,
        spots: new Map([
          [1, a],
          [2, b],
        ]),
      },
    ];
    const found = decodeChunk(encodeChunk(looks)).map(({ spots }) => [spots.get(1)?.x, spots.get(2)?.x]);
    assert.deepEqual(found, [
      [0, 900],
      [900, 0],
      [0, 900],
    ]);
  });
});
