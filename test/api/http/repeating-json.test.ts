import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ReadRows, RepeatingJson } from "../../../src/api/http/repeating-json.ts";

const readers = { Joins: (row: unknown) => row, Kills: (row: unknown) => row };

/** As JSON.parse would give it: lists that were read row by row are lists again. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inner instanceof ReadRows ? inner.rows : inner]),
  );
}

/** What JSON.parse makes of a text, or that it refuses it. */
function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return error instanceof SyntaxError ? "refused" : error;
  }
}

function assertSame(texts: readonly string[]): void {
  const reader = new RepeatingJson(readers);
  for (const text of texts)
    assert.deepEqual(
      outcome((given) => plain(reader.parse(given)), text),
      outcome(JSON.parse, text),
      text,
    );
}

/** Few values, so that rows repeat; strings that look like JSON. */
const text = fc.constantFrom(
  "a",
  "b",
  '"',
  "}",
  "{",
  "],",
  "\\",
  '\\"}',
  "Joins",
  '"Joins":[',
  "\u2028é",
  "",
);
const leaf = fc.oneof(text, fc.constantFrom(0, -1.5, 1e21, true, null));
const row = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(fc.constantFrom("p", "t", "}", "Joins"), leaf, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.record({ deep: fc.array(fc.record({ p: leaf }), { maxLength: 2 }) }) },
  { weight: 1, arbitrary: leaf },
);
const list = fc.array(row, { maxLength: 12 });
const document = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ Name: text, Joins: list, Other: list, Kills: list }, { requiredKeys: [] }),
  },
  { weight: 1, arbitrary: fc.record({ Kills: list, Joins: list }) },
  { weight: 1, arbitrary: fc.record({ Inner: fc.record({ Joins: list }), Kills: list }) },
  { weight: 1, arbitrary: fc.record({ Joins: fc.oneof(leaf, fc.constant({})) }) },
  { weight: 1, arbitrary: fc.oneof(list, leaf) },
);

describe("a reader of documents that repeat", () => {
  test("gives what JSON.parse gives, whatever came before", () => {
    const indent = fc.constantFrom(undefined, undefined, undefined, 1);
    const texts = fc.array(
      fc.tuple(document, indent).map(([value, by]) => JSON.stringify(value, undefined, by)),
      { maxLength: 8 },
    );
    fc.assert(fc.property(texts, assertSame), { numRuns: 1_500 });
  });

  test("refuses what JSON.parse refuses, and is none the worse for it", () => {
    const broken = fc
      .tuple(document, fc.nat(), fc.constantFrom("", ",", "]", "}", '"', "{", "x", " "), fc.nat(2))
      .map(([value, draw, put, out]) => {
        const whole = JSON.stringify(value);
        const at = draw % (whole.length + 1);
        return whole.slice(0, at) + put + whole.slice(at + out);
      });
    const good = document.map((value) => JSON.stringify(value));
    const texts = fc.array(fc.oneof(broken, good), { minLength: 1, maxLength: 8 });
    fc.assert(fc.property(texts, assertSame), { numRuns: 3_000 });
  });

  test("leaves names that stand twice, or not outermost, to JSON.parse", () => {
    assertSame([
      '{"Joins":[{"a":1}],"Kills":[]}',
      '{"Joins":[{"a":1}],"Joins":[]}',
      '{"Joins":[{"a":1}],"Joins": []}',
      '{"Joins":[],"Joins":[{"a":1}]}',
      '{"Inner":{"Joins":[{"a":1}]},"Joins" :[]}',
      '{"Name":"Joins","Joins":[{"a":1}]}',
      '[{"Joins":[{"a":1}]}]',
    ]);
  });

  test("gives the same object for a row that stood there before, once for each time that it stands there now", () => {
    const reader = new RepeatingJson(readers);
    const read = (rows: readonly unknown[]) =>
      (plain(reader.parse(JSON.stringify({ Joins: rows }))) as { Joins: unknown[] }).Joins;
    const [a, b, c] = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const first = read([a, a, b]);
    assert.notEqual(first[0], first[1]);
    const second = read([c, a, a, a, b]);
    assert.deepEqual(second, [c, a, a, a, b]);
    assert.equal(second[1], first[0]);
    assert.equal(second[2], first[1]);
    assert.equal(new Set(second).size, 5);
  });

  test("finds the known rows again behind new ones, behind gone ones and around a changed one", () => {
    const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ n: from + n }));
    for (const [before, after, shared] of [
      [rows(0, 100), rows(30, 130), 70],
      [rows(0, 100).toReversed(), rows(30, 130).toReversed(), 70],
      [rows(0, 100), rows(0, 100).map((one) => (one.n % 40 === 7 ? { n: -one.n } : one)), 97],
    ] as const) {
      const reader = new RepeatingJson(readers);
      const known = new Set(
        (plain(reader.parse(JSON.stringify({ Joins: before }))) as { Joins: unknown[] }).Joins,
      );
      const now = (plain(reader.parse(JSON.stringify({ Joins: after }))) as { Joins: unknown[] }).Joins;
      assert.deepEqual(now, after);
      assert.equal(now.filter((one) => known.has(one)).length, shared);
    }
  });

  test("keeps a list that stands there unchanged, wherever it stands, and finds its rows again later", () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({ n }));
    const others = (count: number) => Array.from({ length: count }, (_, n) => ({ other: n }));
    const reader = new RepeatingJson(readers);
    const kills = (joins: number, list: readonly unknown[]) => {
      const document = { Name: "x".repeat(joins), Joins: others(joins), Kills: list };
      const read = plain(reader.parse(JSON.stringify(document))) as { Kills: unknown[] };
      assert.deepEqual(read, document);
      return read.Kills;
    };
    const first = kills(0, rows);
    assert.deepEqual(
      kills(7, rows).map((one, n) => one === first[n]),
      rows.map(() => true),
    );
    kills(2, rows);
    const grown = kills(3, [{ n: 9 }, ...rows, { n: 10 }]);
    assert.deepEqual(
      rows.map((_, n) => grown[n + 1] === first[n]),
      rows.map(() => true),
    );
    assert.equal(kills(4, rows.slice(1, 3))[0], first[1]);
    assert.deepEqual(kills(0, []), []);
    assert.deepEqual(kills(1, rows), rows);
  });
});
