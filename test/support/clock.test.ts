import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/clock.ts";
import { seededRandom, VirtualClock } from "./clock.ts";

test("timers fire in order of time, then of creation, and see their own time", async () => {
  const clock = new VirtualClock(1_000);
  const seen: string[] = [];
  clock.after(30, () => seen.push(`c@${clock.nowMs()}`));
  clock.after(10, () => seen.push(`a@${clock.nowMs()}`));
  clock.after(10, () => seen.push(`b@${clock.nowMs()}`));
  const cancel = clock.after(20, () => seen.push("never"));
  cancel();
  await clock.advance(29);
  assert.deepEqual(seen, ["a@1010", "b@1010"]);
  assert.equal(clock.nowMs(), 1_029);
  await clock.run();
  assert.deepEqual(seen, ["a@1010", "b@1010", "c@1030"]);
  assert.equal(clock.pending, 0);
});

test("a timer that a timer makes fires within the same advance", async () => {
  const clock = new VirtualClock(0);
  const woken: number[] = [];
  const loop = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await clock.sleep(7);
      woken.push(clock.nowMs());
    }
  };
  const done = loop();
  await clock.advance(100);
  await done;
  assert.deepEqual(woken, [7, 14, 21, 28, 35]);
});

test("a sleep rejects with the signal's reason and leaves no timer", async () => {
  const clock = new VirtualClock(0);
  const abort = new AbortController();
  const asleep = clock.sleep(1_000, abort.signal);
  const reason = new Error("enough");
  abort.abort(reason);
  await assert.rejects(asleep, reason);
  assert.equal(clock.pending, 0);
  await assert.rejects(clock.sleep(5, abort.signal), reason);
  await assert.rejects(systemClock.sleep(60_000, abort.signal), reason);
});

test("what is due already is due at once, and Node has nothing to warn of", async () => {
  const warned: string[] = [];
  const onWarning = ({ name }: Error) => void warned.push(name);
  process.on("warning", onWarning);
  await systemClock.sleep(-5);
  await new Promise<void>((resolve) => systemClock.after(-5, resolve));
  // A warning comes a turn later.
  await systemClock.sleep(1);
  process.off("warning", onWarning);
  assert.deepEqual(warned, []);
});

test("a thousand timers in any order come out sorted", async () => {
  const clock = new VirtualClock(0);
  const random = seededRandom(7);
  const fired: number[] = [];
  for (let n = 0; n < 1_000; n++)
    clock.after(Math.floor(random.next() * 500), () => fired.push(clock.nowMs()));
  await clock.run();
  assert.equal(fired.length, 1_000);
  assert.deepEqual(
    fired,
    fired.toSorted((a, b) => a - b),
  );
});

test("the same seed gives the same numbers and ids", () => {
  const [a, b] = [seededRandom(3), seededRandom(3)];
  assert.deepEqual([a.next(), a.id(), a.next()], [b.next(), b.id(), b.next()]);
  assert.notEqual(a.id(), a.id());
});
