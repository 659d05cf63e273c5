import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { matchRuns, type RemoteRow, type SentRun } from "../../../src/runs/proof/match-runs.ts";

const run = (id: string, sentS: number, text = ":h hi"): SentRun => ({ id, text, sentS, endS: sentS + 1 });
const row = (atS: number, text = ":h hi"): RemoteRow => ({ atS, text });
const wide = { oldestS: 0, newestS: 10_000 };

function proofsOf(...args: Parameters<typeof matchRuns>): Record<string, string> {
  return Object.fromEntries([...matchRuns(...args).proofs].map(([id, { proof }]) => [id, proof]));
}

describe("matching runs with the log", () => {
  test("finds each run its own row", () => {
    const runs = [run("a", 100), run("b", 105)];
    assert.deepEqual(proofsOf(runs, [row(101), row(106)], wide), { a: "seen", b: "seen" });
    assert.deepEqual(proofsOf(runs, [row(106)], wide), { a: "seen", b: "not-seen" });
  });

  test("says not seen only when the window reaches past both ends of the sending", () => {
    assert.deepEqual(proofsOf([run("a", 100)], [], { oldestS: 50, newestS: 200 }), { a: "not-seen" });
    assert.deepEqual(proofsOf([run("a", 100)], [], { oldestS: 95, newestS: 200 }), {});
    assert.deepEqual(proofsOf([run("a", 100)], [], { oldestS: 50, newestS: 120 }), {});
    assert.deepEqual(proofsOf([run("a", 100)], [], undefined), {});
  });

  test("concludes nothing about a run that is under way, but leaves it its row", () => {
    const open = { ...run("a", 100), open: true };
    assert.deepEqual(proofsOf([open], [], wide), {});
    assert.deepEqual(matchRuns([open], [row(101)], wide).foreign, []);
  });

  test("sees a second row of one run as seen twice", () => {
    const matched = matchRuns([run("a", 100)], [row(101), row(102)], wide);
    assert.equal(matched.proofs.get("a")?.proof, "seen-twice");
    assert.deepEqual(matched.foreign, []);
  });

  test("calls foreign what no run accounts for: another text, another time", () => {
    const matched = matchRuns([run("a", 100)], [row(101), row(101, ":kill all"), row(500)], wide);
    assert.deepEqual(matched.foreign, [row(101, ":kill all"), row(500)]);
  });

  test("keeps the row that a run was matched with before, also once the log has dropped it", () => {
    const first = { ...run("a", 100), seenAtS: 101 };
    assert.deepEqual(proofsOf([first, run("b", 105)], [row(106)], wide), { a: "seen", b: "seen" });
  });

  test("matches one to one, as many as can be, in any order of rows and runs", () => {
    const times = fc.array(fc.integer({ min: 1_000, max: 1_200 }), { maxLength: 12 });
    fc.assert(
      fc.property(times, fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 }), (sent, delays) => {
        const runs = sent.map((at, index) => run(String(index), at));
        const rows = sent.slice(0, delays.length).map((at, index) => row(at + (delays[index] ?? 0)));
        const { proofs, foreign } = matchRuns([...runs].reverse(), [...rows].reverse(), undefined);
        // A row for each of these runs exists by construction, so none is foreign, and as many runs are seen.
        assert.equal(foreign.length, 0);
        const seen = [...proofs.values()].filter(({ proof }) => proof !== "not-seen").length;
        assert.equal(seen, rows.length);
      }),
      { numRuns: 500 },
    );
  });
});
