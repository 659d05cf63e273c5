import assert from "node:assert/strict";
import { test } from "node:test";
import { Doubt } from "../../../src/outbox/posts/doubt.ts";

/** Of a post that an earlier process left, in a channel whose messages may not be read. */
test("what may stand since before a restart is marked after two minutes, and where the clock was set back", () => {
  const isMarked = (agoMs: number) => {
    const clock = { nowMs: () => 1_000_000, monotonicMs: () => 0 };
    const doubt = new Doubt({ ...clock, after: () => () => undefined, sleep: async () => undefined });
    doubt.onRead("unreadable", { isInherited: true, sinceMs: 1_000_000 - agoMs });
    return doubt.mustMark;
  };
  assert.deepEqual([60_000, 120_000, -60_000].map(isMarked), [false, true, true]);
});
