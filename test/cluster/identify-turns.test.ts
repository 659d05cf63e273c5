import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { identifyTurns } from "../../src/cluster/identify-turns.ts";

import { VirtualClock } from "../support/clock.ts";
import { keptLog } from "../support/fake-services.ts";

/** What Discord asks for between two sessions of one slot. */
const DISCORD_MS = 5_000;

/** Turns in a Redis whose answers to a process take as long as that process's `answersAfterMs`, one after the other. */
function rig() {
  const clock = new VirtualClock();
  const endOfSlot = new Map<number, number>();
  const begun: { readonly slot: number; readonly atMs: number }[] = [];
  const asked = { take: 0, extend: 0 };

  const processWith = (...answersAfterMs: readonly number[]) => {
    const delays = [...answersAfterMs];
    const answer = async <T>(value: T): Promise<T> => {
      await clock.sleep(delays.shift() ?? 1);
      return value;
    };
    const turn = identifyTurns({
      take: (slot, forMs) => {
        asked.take += 1;
        const leftMs = (endOfSlot.get(slot) ?? 0) - clock.monotonicMs();
        if (leftMs <= 0) endOfSlot.set(slot, clock.monotonicMs() + forMs);
        return answer(Math.max(0, leftMs));
      },
      extend: (slot, forMs) => {
        asked.extend += 1;
        endOfSlot.set(slot, clock.monotonicMs() + forMs);
        return answer(undefined);
      },
      clock,
      log: keptLog(),
    });
    return async (shard: number) => {
      await turn(shard, 4, new AbortController().signal);
      begun.push({ slot: shard % 4, atMs: clock.monotonicMs() });
    };
  };

  return { clock, begun, asked, processWith };
}

describe("turns of sessions that begin", () => {
  test("one slot's are apart by what Discord asks for, those of different slots begin at once", async () => {
    const { clock, begun, asked, processWith } = rig();
    const [first, second] = [processWith(), processWith()];
    const all = Promise.all([first(0), second(4), first(1), second(5)]);
    await clock.run();
    await all;
    const timesOf = (wanted: number) => begun.filter(({ slot }) => slot === wanted).map(({ atMs }) => atMs);
    assert.deepEqual(timesOf(0), timesOf(1));
    const [earlier = 0, later = 0] = timesOf(0);
    assert.ok(later - earlier >= DISCORD_MS);
    assert.equal(asked.extend, 0, "a quick Redis is asked no more than it must be");
  });

  for (const slowMs of [101, 400, 3_000, 5_499, 5_500, 20_000])
    test(`a process that hears of its turn after ${slowMs} ms begins no session too close to the next one`, async () => {
      const { clock, begun, processWith } = rig();
      const all = Promise.all([processWith(slowMs)(0), processWith()(4)]);
      await clock.run();
      await all;
      const [earlier, later] = begun.map(({ atMs }) => atMs);
      assert.ok((later ?? 0) - (earlier ?? 0) >= DISCORD_MS, begun.map(({ atMs }) => atMs).join(", "));
    });

  test("a process that is always slow begins its session all the same", async () => {
    const { clock, begun, asked, processWith } = rig();
    const session = processWith(...Array.from({ length: 50 }, () => 300))(0);
    await clock.run();
    await session;
    assert.equal(begun.length, 1);
    assert.deepEqual(asked, { take: 1, extend: 5 });
  });
});
