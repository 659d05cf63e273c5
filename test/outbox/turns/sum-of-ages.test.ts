import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countedOfGuild } from "../../../src/outbox/turns/sum-of-ages.ts";

const arrivals = fc
  .array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 80 })
  .map((list) => list.sort((a, b) => a - b));

test("of a feed at most 30 entries count, of a guild at most 60, and those are its oldest", () => {
  fc.assert(
    fc.property(fc.array(arrivals, { maxLength: 12 }), (feeds) => {
      const counted = countedOfGuild(feeds);
      const counts = counted.map(({ count }) => count);
      const waiting = feeds.map(({ length }) => Math.min(30, length));
      assert.ok(counts.every((count, at) => count <= (waiting[at] ?? 0)));
      const all = waiting.reduce((sum, length) => sum + length, 0);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        Math.min(60, all),
      );

      const inside = feeds.flatMap((feed, at) => feed.slice(0, counts[at]));
      const outside = feeds.flatMap((feed, at) => feed.slice(counts[at], 30));
      assert.ok(Math.max(-1, ...inside) <= Math.min(1_001, ...outside));
      const sums = counted.reduce((sum, { sumMs }) => sum + sumMs, 0);
      assert.equal(
        sums,
        inside.reduce((sum, ms) => sum + ms, 0),
      );
    }),
  );
});
