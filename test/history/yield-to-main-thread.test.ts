import assert from "node:assert/strict";
import { constants, setPriority } from "node:os";
import { describe, test } from "node:test";
import { yieldToMainThread } from "../../src/history/worker/yield-to-main-thread.ts";

const { PRIORITY_NORMAL, PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
const onLinux = { skip: process.platform !== "linux" && "priorities of threads are Linux's" };

describe("the history's thread", onLinux, () => {
  function prioritiesAfter(before: number): readonly number[] {
    const set: number[] = [];
    yieldToMainThread({
      getPriority: () => before,
      setPriority: (_, given) => {
        set.push(given);
      },
    });
    return set;
  }

  test("goes behind the main one, and stays behind where it is already", () => {
    assert.deepEqual(prioritiesAfter(PRIORITY_NORMAL), [PRIORITY_BELOW_NORMAL]);
    assert.deepEqual(prioritiesAfter(PRIORITY_LOW), []);
  });

  test("works at the priority that it has where a sandbox forbids to change it", () => {
    // The refusal of the system itself: there is no such process.
    const refused = () => setPriority(2 ** 31 - 1, PRIORITY_BELOW_NORMAL);
    assert.throws(refused);
    yieldToMainThread({ getPriority: () => PRIORITY_NORMAL, setPriority: refused });
  });

  test("a thread for which somebody waits takes the priority that it names", () => {
    const taken: number[] = [];
    yieldToMainThread({
      priority: 5,
      getPriority: () => 0,
      setPriority: (_pid, priority) => void taken.push(priority),
    });
    assert.deepEqual(taken, [5]);
  });
});
