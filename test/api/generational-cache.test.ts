import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GenerationalCache } from "../../src/api/generational-cache.ts";

describe("what is kept of recent keys", () => {
  const kept = (most: number) => {
    let made = 0;
    return new GenerationalCache<string, number>({ forMs: 1_000, most }, () => ++made);
  };

  test("is the same value for as long as it is asked for", () => {
    const recent = kept(10);
    for (let atMs = 0; atMs < 10_000; atMs += 900) assert.equal(recent.of("a", atMs), 1);
  });

  test("is forgotten when nobody has asked for it in two times as long", () => {
    const recent = kept(10);
    recent.of("a", 0);
    assert.equal(recent.of("b", 1_000), 2);
    assert.equal(recent.of("b", 2_000), 2);
    assert.equal(recent.of("a", 2_100), 3);
  });

  test("is bounded: many others push out what was not asked for since", () => {
    const recent = kept(3);
    for (const key of ["a", "b", "c", "d", "e", "a", "f"]) recent.of(key, 0);
    assert.equal(recent.of("a", 0), 1, "asked for in between");
    assert.equal(recent.of("g", 0), 7);
    assert.equal(recent.of("b", 0), 8, "pushed out");
  });
});
