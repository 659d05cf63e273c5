import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eachAtOnce } from "../../src/domain/each-at-once.ts";

describe("work for many values", () => {
  test("is done for each of them, for no more than so many at a time", async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    await eachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (value) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      done.push(value);
    });
    assert.deepEqual([done.sort(), most], [[1, 2, 3, 4, 5, 6, 7], 3]);
  });

  test("ends with the first error, once what was under way has ended", async () => {
    const done: number[] = [];
    const work = eachAtOnce([1, 2, 3, 4], 2, async (value) => {
      await Promise.resolve();
      if (value === 1) throw new Error("the first one");
      done.push(value);
    });
    await assert.rejects(work, /the first one/);
    assert.deepEqual(done, [2]);
  });
});
