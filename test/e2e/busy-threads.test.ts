import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { BusyThreads } from "./busy-threads.ts";

/** Answers what it is asked, in the forms of the threads of the bot, and ends when it is told to. */
const ANSWERING = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", (message) => {
  if (message === "close") process.exit();
  if (!Array.isArray(message)) return parentPort.postMessage({ kind: "answer", id: message.id });
  const outcomes = message.map(([id]) => [id, { kind: "answer" }]);
  parentPort.postMessage({ kind: "ended", outcomes: outcomes.slice(0, 1) });
  parentPort.postMessage({ kind: "ended", outcomes: outcomes.slice(1) });
});
parentPort.postMessage({ kind: "ready" });
`;

describe("which threads owe something", () => {
  let threads: BusyThreads;
  let worker: Worker;
  const start = () => {
    worker = new Worker(ANSWERING, { eval: true });
    return worker;
  };
  /** Until the messages so far have been heard by all who listen. */
  const heard = async (messages: number) => {
    for (let count = 0; count < messages; count += 1) await once(worker, "message");
  };

  beforeEach(() => {
    threads = new BusyThreads();
  });
  afterEach(async () => {
    threads.close();
    await worker.terminate();
  });

  test("one that was only started owes nothing", async () => {
    start();
    assert.equal(threads.isAny, false);
    await heard(1);
    assert.equal(threads.isAny, false);
  });

  test("what is asked in the turn in which a thread starts is owed until it is answered", async () => {
    start().postMessage({ id: 1 });
    assert.equal(threads.isAny, true);
    await heard(1);
    assert.equal(threads.isAny, true);
    await heard(1);
    assert.equal(threads.isAny, false);
  });

  test("of requests that go together each is owed", async () => {
    start().postMessage([
      [1, {}],
      [2, {}],
    ]);
    await heard(2);
    assert.equal(threads.isAny, true);
    await heard(1);
    assert.equal(threads.isAny, false);
  });

  test("one that was told to close owes its end, and one that ended owes nothing", async () => {
    start().postMessage("close");
    assert.equal(threads.isAny, true);
    await once(worker, "exit");
    assert.equal(threads.isAny, false);
  });

  test("a thread that starts after the end is not watched", () => {
    threads.close();
    start().postMessage({ id: 1 });
    assert.equal(threads.isAny, false);
  });
});
