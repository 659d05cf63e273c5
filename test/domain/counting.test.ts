import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lookAtEach, oneCount } from "../../src/domain/counting.ts";
import { mostInATurn } from "../support/most-in-a-turn.ts";

/** Of some microseconds each, so that a turn takes some milliseconds at most. */
const MOST_IN_A_TURN = 100;

describe("a count over tens of thousands", () => {
  test("looks at a hundred at most between two turns of the event loop", async () => {
    const values = Array.from({ length: 40_000 }, (_, at) => at);
    const looked: number[] = [];
    const most = await mostInATurn(
      () => looked.length,
      () => lookAtEach(values, (value) => looked.push(value)),
    );
    assert.ok(most <= MOST_IN_A_TURN, `${most} in a turn`);
    assert.deepEqual(looked, values);
  });

  test("looks at each value once, also at one that goes and comes back meanwhile", async () => {
    const values = new Set(Array.from({ length: 2_000 }, (_, at) => at));
    const looked: number[] = [];
    const looking = lookAtEach(values, (value) => looked.push(value));
    const [first = -1] = values;
    values.delete(first);
    values.add(first);
    values.add(5_000);
    await looking;
    assert.deepEqual(
      looked,
      Array.from({ length: 2_000 }, (_, at) => at),
    );
  });

  test("few are looked at at once", async () => {
    const looked: string[] = [];
    const looking = lookAtEach(["a", "b"], (value) => looked.push(value));
    assert.deepEqual(looked, ["a", "b"]);
    await looking;
  });

  test("rejects where a look throws", async () => {
    const looking = lookAtEach(
      Array.from({ length: 1_000 }, (_, at) => at),
      (value) => {
        if (value === 700) throw new Error("the 700th");
      },
    );
    await assert.rejects(looking, /the 700th/);
  });

  test("is made once for all who ask meanwhile, and anew for who asks after it", async () => {
    let counts = 0;
    const going = Promise.withResolvers<void>();
    const count = oneCount(async () => {
      counts += 1;
      await going.promise;
      return counts;
    });
    const asked = [count(), count(), count()];
    going.resolve();
    assert.deepEqual(await Promise.all(asked), [1, 1, 1]);
    assert.equal(await count(), 2);
  });

  test("that fails, fails for all who ask meanwhile, and is made anew after it", async () => {
    let counts = 0;
    const count = oneCount(async () => {
      counts += 1;
      if (counts === 1) throw new Error("no");
      return counts;
    });
    for (const asked of [count(), count()]) await assert.rejects(asked, /no/);
    assert.equal(await count(), 2);
  });
});
