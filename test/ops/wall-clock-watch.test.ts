import assert from "node:assert/strict";
import { test } from "node:test";
import { watchWallClock } from "../../src/ops/wall-clock-watch.ts";
import { VirtualClock } from "../support/clock.ts";

test("a large step of the wall clock is logged once, a small one and slow drift never", async () => {
  const clock = new VirtualClock();
  const steps: unknown[] = [];
  const log = { warn: (facts: object) => void steps.push(facts) };
  const stop = watchWallClock({ clock, log });
  await clock.advance(60_000);
  clock.step(-3_600_000);
  await clock.advance(60_000);
  clock.step(3_600_000);
  await clock.advance(10_000);
  for (let n = 0; n < 100; n++) {
    clock.step(500);
    await clock.advance(10_000);
  }
  assert.deepEqual(steps, [{ stepMs: -3_600_000 }, { stepMs: 3_600_000 }]);
  stop();
  assert.equal(clock.pending, 0);
});
