import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Receipt } from "../../../src/domain/case.ts";
import type { JoinEntry } from "../../../src/domain/model.ts";
import { isComplete, leavesIn, merged, ofRunRecord } from "../../../src/history/cases/receipt.ts";
import { kick, kickRun } from "./case-samples.ts";

const left = (id: number, atS: number): JoinEntry => ({
  kind: "join",
  atS,
  joined: false,
  player: { name: "x", id },
});

const answer = fc.record(
  {
    kind: fc.constantFrom("answered", "unknown"),
    atMs: fc.nat(5),
    message: fc.constantFrom("Success", "Odd"),
  },
  { requiredKeys: ["kind", "atMs"], noNullPrototype: true },
);
const receipt: fc.Arbitrary<Receipt> = fc.record(
  {
    sentAtMs: fc.nat(5),
    answer,
    log: fc.constantFrom("seen", "not-seen", "row"),
    left: fc
      .uniqueArray(fc.record({ playerId: fc.nat(3), atS: fc.nat(5) }, { noNullPrototype: true }), {
        selector: ({ playerId }) => playerId,
      })
      .map((all) => all.toSorted((a, b) => a.playerId - b.playerId)),
  },
  { requiredKeys: ["left"], noNullPrototype: true },
);

describe("a receipt", () => {
  test("is the same in whatever order its parts come, and however often", () => {
    fc.assert(
      fc.property(receipt, receipt, receipt, (a, b, c) => {
        assert.deepEqual(merged(a, b), merged(b, a));
        assert.deepEqual(merged(merged(a, b), c), merged(a, merged(b, c)));
        assert.deepEqual(merged(a, a), a);
      }),
    );
  });

  test("grows from sent to answered to seen to left", () => {
    const sent = ofRunRecord(kickRun({ status: "sending" }));
    assert.deepEqual(sent, { sentAtMs: 1_000_000, left: [] });
    const answered = merged(sent, ofRunRecord(kickRun({ message: "Success" })));
    assert.deepEqual(answered.answer, { kind: "answered", atMs: 1_000_400, message: "Success" });
    const seen = merged(answered, ofRunRecord(kickRun({ message: "Success", proof: "seen" })));
    assert.ok(!isComplete(kick({ receipt: seen })));
    const gone = merged(seen, { left: leavesIn(kick({ receipt: seen }), [left(11, 1_003)]) });
    assert.deepEqual(gone.left, [{ playerId: 11, atS: 1_003 }]);
    assert.ok(isComplete(kick({ receipt: gone })));
  });

  test("takes a leave for its own only of a target and soon after; jail makes nobody leave", () => {
    const rows = [left(11, 990), left(11, 1_062), left(12, 1_002), { ...left(11, 1_001), joined: true }];
    assert.deepEqual(leavesIn(kick(), rows), []);
    assert.deepEqual(leavesIn(kick(), [left(11, 1_020), left(11, 1_002)]), [{ playerId: 11, atS: 1_002 }]);
    assert.deepEqual(leavesIn(kick({ kind: "jail" }), [left(11, 1_002)]), []);
  });

  test("of an outcome that is not known stays so until the log tells more", () => {
    const unknown = ofRunRecord(kickRun({ status: "unknown" }));
    assert.equal(unknown.answer?.kind, "unknown");
    assert.equal(merged(unknown, ofRunRecord(kickRun({ status: "unknown", proof: "seen" }))).log, "seen");
  });
});
