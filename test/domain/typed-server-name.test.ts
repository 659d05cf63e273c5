import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { shownName } from "../../src/discord/render/escape.ts";
import { isSameName } from "../../src/domain/typed-server-name.ts";

describe("a typed name of a server", () => {
  test("counts in any case, whatever is invisible, with the quotes and dashes of a phone", () => {
    assert.ok(isSameName("  river CITY\u200b  rp ", "River\u2060 City RP\ufe0f"));
    assert.ok(isSameName("Bob’s “City” — RP", `Bob's "City" - RP`));
    assert.ok(isSameName("(no name)", "\u200b\u2060"));
  });

  test("is no other name, no part of it, and not nothing", () => {
    for (const typed of ["", "River", "River City RP 2", "(no name)", "…", "..."]) {
      assert.ok(!isSameName(typed, "River City RP"), typed);
    }
    assert.ok(!isSameName("", "\u200b"));
    assert.ok(!isSameName("a".repeat(58), "a".repeat(200)));
    assert.ok(isSameName("a".repeat(59), "a".repeat(200)));
  });

  test("counts as it stands on the card, whatever the name is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 120 }), (name) => {
        assert.ok(isSameName(shownName(name), name), JSON.stringify([shownName(name), name]));
      }),
      { numRuns: 2_000 },
    );
  });
});
