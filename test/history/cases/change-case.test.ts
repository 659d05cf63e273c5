import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { edited, revoked } from "../../../src/history/cases/change-case.ts";
import { kick } from "./case-samples.ts";

const by = { userId: "u2", atMs: 5 };

describe("a case that is changed", () => {
  test("keeps what stood there before", () => {
    const first = edited(kick(), { reason: "spam" }, by);
    const second = edited(first, { reason: "raid", evidence: "https://x.example/1" }, { ...by, atMs: 6 });
    assert.equal(second.reason, "raid");
    assert.deepEqual(second.edits, [
      { atMs: 5, byId: "u2", field: "reason" },
      { atMs: 6, byId: "u2", field: "reason", from: "spam" },
      { atMs: 6, byId: "u2", field: "evidence" },
    ]);
    const without = edited(second, { evidence: "" }, by);
    assert.equal(without.evidence, undefined);
    assert.equal(without.edits.at(-1)?.from, "https://x.example/1");
  });

  test("is the same case where nothing differs", () => {
    const one = kick({ reason: "spam" });
    assert.equal(edited(one, { reason: " spam " }, by), one);
    assert.equal(edited(one, {}, by), one);
  });

  test("tells from its edits what stood there first, also after many", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 80, size: "max" }), (reasons) => {
        let one = kick({ reason: "first" });
        for (const reason of reasons) one = edited(one, { reason }, by);
        assert.ok(one.edits.length <= 50);
        assert.ok(one.edits.length === 0 || one.edits[0]?.from === "first");
      }),
    );
  });

  test("is revoked once, by whoever was first", () => {
    const gone = revoked(kick(), by, "mistake");
    assert.deepEqual(gone.revoked, { atMs: 5, byId: "u2", why: "mistake" });
    assert.equal(revoked(gone, { userId: "u3", atMs: 9 }, undefined), gone);
  });
});
