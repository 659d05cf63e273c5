import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyHead } from "../../src/journal/next-head.ts";
import { opened, seqOfDay } from "../../src/journal/open-journal.ts";

const HOUR_MS = 3_600_000;

test("what a day has passed since is given up, and nothing that is younger", () => {
  const looks = fc.array(fc.record({ afterMs: fc.nat(5 * HOUR_MS), grownBy: fc.nat(40) }), { maxLength: 60 });
  fc.assert(
    fc.property(looks, (all) => {
      const open = opened("server-1" as never, "joinLogs");
      const seen: { atMs: number; nextSeq: number }[] = [];
      let [nowMs, nextSeq] = [500, 1];
      for (const { afterMs, grownBy } of all) {
        nowMs += afterMs;
        nextSeq += grownBy;
        open.head = emptyHead("lineage", nextSeq);
        seen.push({ atMs: nowMs, nextSeq });
        const given = seqOfDay(open, nowMs);
        // A second of rounding either way.
        const dayOld = seen.filter(({ atMs }) => nowMs - atMs >= 24 * HOUR_MS - 1_000);
        assert.ok(given <= Math.max(0, ...dayOld.map((one) => one.nextSeq)), "something younger is given up");
        const old = seen.filter(({ atMs }) => nowMs - atMs >= (24 + 3 + 5) * HOUR_MS + 1_000);
        assert.ok(given >= Math.max(0, ...old.map((one) => one.nextSeq)), "something far older is kept");
      }
    }),
  );
});
