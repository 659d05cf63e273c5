import fc from "fast-check";

const SURROGATES_FROM = 0xd8_00;
const SURROGATES = 0x8_00;
const LAST_CODE_POINT = 0x10_ff_ff;

/**
 * Any code point. The unit "binary" of fast-check is the same, but it makes a table of all of them, which takes seconds of
 * each process and memory that is walked again in every garbage collection.
 */
const codePoint = fc
  .integer({ min: 0, max: LAST_CODE_POINT - SURROGATES })
  .map((n) => String.fromCodePoint(n < SURROGATES_FROM ? n : n + SURROGATES), indexOfCodePoint);

/** Text of any code points, now and then with words such as "__proto__" in it. */
export function anyText(constraints: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}

function indexOfCodePoint(text: unknown): number {
  const at = typeof text === "string" && [...text].length === 1 ? text.codePointAt(0) : undefined;
  if (at === undefined || (at >= SURROGATES_FROM && at < SURROGATES_FROM + SURROGATES)) {
    throw new Error("this is no single code point");
  }
  return at < SURROGATES_FROM ? at : at - SURROGATES;
}
