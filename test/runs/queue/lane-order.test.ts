import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import PQueue from "p-queue";
import { LaneOrder } from "../../../src/runs/queue/lane-order.ts";

const job = () => Promise.resolve();

describe("the line of a queue", () => {
  test("has the order in which p-queue starts its jobs, whatever enters, leaves or is moved", async () => {
    const step = fc.record({
      act: fc.constantFrom("enter", "enter", "enter", "leave", "move"),
      priority: fc.constantFrom(0, 0.5, 1, 1.5),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const line = new LaneOrder();
        const started: string[] = [];
        const queue = new PQueue({ concurrency: 1, autoStart: false });
        const leaving = new Map<string, AbortController>();
        for (const [index, { act, priority, which }] of steps.entries()) {
          const one = [...leaving.keys()][which % Math.max(1, leaving.size)];
          if (act === "enter") {
            const id = `job-${index}`;
            const leave = new AbortController();
            leaving.set(id, leave);
            line.enqueue(job, { id, priority });
            queue
              .add(() => Promise.resolve(started.push(id)), { id, priority, signal: leave.signal })
              .catch(() => undefined);
          } else if (one === undefined) continue;
          else if (act === "leave") {
            line.remove(one);
            leaving.get(one)?.abort();
            leaving.delete(one);
          } else {
            const before = line.ids;
            queue.setPriority(one, priority);
            line.setPriority(one, priority);
            assert.equal(line.ids.length, before.length);
          }
        }
        const expected = line.ids;
        queue.start();
        await queue.onIdle();
        assert.deepEqual(started, expected);
      }),
      { numRuns: 200 },
    );
  });

  test("gives out the first, counts, and finds by priority", () => {
    const line = new LaneOrder();
    line.enqueue(job, { id: "a" });
    line.enqueue(job, { id: "b", priority: 1 });
    assert.deepEqual(line.ids, ["b", "a"]);
    assert.equal(line.filter({ priority: 1 }).length, 1);
    assert.equal(line.dequeue(), job);
    assert.equal(line.size, 1);
    assert.throws(() => line.setPriority("b", 0), ReferenceError);
  });
});
