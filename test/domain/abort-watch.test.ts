import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { AbortWatch } from "../../src/domain/abort-watch.ts";

describe("who is given up with a signal", () => {
  test("are all who wait under it at that moment, once each, and nobody else", () => {
    const told: string[] = [];
    const watch = new AbortWatch<string>((who) => {
      told.push(who);
      // Whoever ends takes itself out, in the middle of the telling.
      watch.delete(ours.signal, who);
    });
    const [ours, others] = [new AbortController(), new AbortController()];
    for (const who of ["a", "b", "gone"]) watch.add(ours.signal, who);
    watch.add(others.signal, "other");
    watch.delete(ours.signal, "gone");
    ours.abort();
    assert.deepEqual(told, ["a", "b"]);
  });

  test("cost the signal one listener, however many there are, and none when nobody is left", () => {
    const { signal } = new AbortController();
    const watch = new AbortWatch<number>(() => {});
    for (let round = 0; round < 2; round++) {
      for (let who = 0; who < 100; who++) watch.add(signal, who);
      assert.equal(getEventListeners(signal, "abort").length, 1);
      for (let who = 0; who < 100; who++) watch.delete(signal, who);
      assert.equal(getEventListeners(signal, "abort").length, 0);
    }
  });
});
