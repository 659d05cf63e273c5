import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Starting } from "../../src/ops/starting.ts";
import { settle } from "../support/clock.ts";

describe("a stop that comes while it starts", () => {
  test("waits for the step that runs, and no other one begins", async () => {
    const starting = new Starting();
    const trace: string[] = [];
    const feeds = Promise.withResolvers<void>();
    const start = (async () => {
      await starting.step(() => trace.push("bindings"));
      await starting.step(async () => {
        await feeds.promise;
        trace.push("feeds");
      });
      await starting.step(() => trace.push("watch"));
    })();
    await settle();
    const stopped = starting.stop().then(() => trace.push("stopped"));
    await settle();
    assert.deepEqual(trace, ["bindings"]);
    feeds.resolve();
    await assert.rejects(start, /a stop was asked for/);
    await stopped;
    assert.deepEqual(trace, ["bindings", "feeds", "stopped"]);
  });

  test("does not wait for what may take for ever, nor for a step that fails", async () => {
    const starting = new Starting();
    const waiting = starting.wait(new Promise(() => undefined));
    const failing = starting.step(() => Promise.reject(new Error("the store is gone")));
    await Promise.all([
      starting.stop(),
      assert.rejects(waiting, /a stop was asked for/),
      assert.rejects(failing, /gone/),
    ]);
  });
});
