import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

test("a rejection that nobody handles ends the thread in which it comes, as it does outside of tests", async () => {
  const thread = new Worker(new URL('data:text/javascript,Promise.reject(new Error("in the thread"))'));
  const end = await new Promise((resolve) => thread.on("error", resolve).on("exit", resolve));
  assert.match(String(end), /in the thread/);
});
