import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testInSoak, worlds } from "../support/worlds.ts";
import { type Outcome, type Plan, simulate } from "./simulate.ts";

const small: Omit<Plan, "seed" | "meanCalls"> = { servers: 6, hours: 0.7, entries: 1_200, pollsPerS: 2 };

/** Everything about a run that went wrong, its seed first: `simulate` with that plan shows it again. */
function told(plan: Plan, { examples, defects, ...outcome }: Outcome): string {
  return [JSON.stringify({ plan, outcome }), ...examples, ...defects].join("\n");
}

function assertExact(plan: Plan, outcome: Outcome): void {
  const { lost, repeated, needlessNotices, unansweredCards, undelivered, defects } = outcome;
  assert.deepEqual(
    { lost, repeated, needlessNotices, unansweredCards, undelivered, defects },
    { lost: 0, repeated: 0, needlessNotices: 0, unansweredCards: 0, undelivered: 0, defects: [] },
    told(plan, outcome),
  );
  assert.equal(outcome.takenAway, 0, told(plan, outcome));
  const { unannounced, unwanted, callsLost, callsRepeated, callsOpen } = outcome;
  assert.deepEqual(
    { unannounced, unwanted, callsLost, callsRepeated, callsOpen },
    { unannounced: 0, unwanted: 0, callsLost: 0, callsRepeated: 0, callsOpen: 0 },
    told(plan, outcome),
  );
  assert.ok(outcome.noticesPerRestart <= 1, told(plan, outcome));
  assert.ok(outcome.posted > 400, told(plan, outcome));
}

describe("watch and feeds, simulated", () => {
  for (const [seed, meanCalls, crashes] of worlds([[11, 170, 50]], [[13, 2_500, 2]])) {
    test(`lose and repeat nothing over ${crashes} crashes and more, at any call (seed ${seed})`, async () => {
      const plan = { ...small, seed, meanCalls };
      const outcome = await simulate(plan);
      assertExact(plan, outcome);
      assert.ok(outcome.crashes >= crashes, told(plan, outcome));
    });
  }

  for (const [store, longestMs, nonceMs, seed] of worlds(
    [["sqlite sets back by seconds and Discord forgets at once", 8_000, 3_000, 33]],
    [["sqlite sets back by seconds", 8_000, 130_000, 31]],
  )) {
    test(`lose and repeat nothing over power cuts: ${store} (seed ${seed})`, async () => {
      const plan: Plan = {
        ...small,
        seed,
        meanCalls: 300,
        nonceMs,
        calmDiscord: nonceMs < 10_000,
        powerCuts: { share: 0.7, longestMs },
      };
      const outcome = await simulate(plan);
      assertExact(plan, outcome);
      assert.ok(outcome.powerCuts >= 15, told(plan, outcome));
    });
  }

  testInSoak(
    "lose and repeat nothing over power cuts where Discord refuses half of the messages and takes them as files (seed 35)",
    async () => {
      const plan: Plan = {
        ...small,
        seed: 35,
        meanCalls: 300,
        calmDiscord: true,
        refusing: 0.5,
        powerCuts: { share: 0.7, longestMs: 8_000 },
      };
      const outcome = await simulate(plan);
      assertExact(plan, outcome);
      assert.equal(outcome.possiblyRepeated, 0, told(plan, outcome));
    },
  );

  testInSoak(
    "lose and repeat nothing where stops in order follow power cuts closely (seed 113)",
    async () => {
      const plan: Plan = {
        servers: 3,
        hours: 0.6,
        entries: 9_000,
        pollsPerS: 1,
        seed: 113,
        meanCalls: 700,
        powerCuts: { share: 0.4, longestMs: 9_000 },
        stopsEveryMs: 120_000,
      };
      assertExact(plan, await simulate(plan));
    },
  );

  testInSoak(
    "mark a call that gets a card of its own and may have stood on another one, where channels may not be read (seed 501)",
    async () => {
      const plan: Plan = {
        servers: 4,
        hours: 0.5,
        entries: 6_000,
        pollsPerS: 1,
        seed: 501,
        meanCalls: 500,
        powerCuts: { share: 0.4, longestMs: 9_000 },
        emergencies: true,
        filters: true,
      };
      assertExact(plan, await simulate(plan));
    },
  );

  const crashing = { ...small, hours: 0.4, entries: 800, meanCalls: 400 };

  test("show what filters let through, all of it and nothing else, and give each emergency call one card, which ends with it (seed 42)", async () => {
    const plan: Plan = { ...crashing, seed: 42, hours: 0.9, filters: true, emergencies: true };
    const outcome = await simulate(plan);
    assertExact(plan, outcome);
    assert.ok(outcome.calls >= 10, told(plan, outcome));
  });

  test("keep what they must in the real store (seed 43)", async () => {
    const plan: Plan = { ...crashing, seed: 43, realStore: true };
    assertExact(plan, await simulate(plan));
  });

  test("announce every gap behind the real gate, whatever times the rows bear (seed 49)", async () => {
    const plan: Plan = {
      ...crashing,
      seed: 49,
      servers: 4,
      entries: 6_000,
      pollsPerS: 1,
      meanCalls: 3_000,
      realGate: true,
      absurdTimes: true,
    };
    const outcome = await simulate(plan);
    assertExact(plan, outcome);
    assert.ok(outcome.gaps > 0, told(plan, outcome));
    // In an outage of half an hour it looked each millisecond.
    assert.ok(outcome.gateTimers < 20_000, told(plan, outcome));
  });

  test("do the same again from the same seed, and something else from another", async () => {
    const plan = { ...small, hours: 0.2, seed: 21, meanCalls: 600 };
    const [first, again, other] = [
      await simulate(plan),
      await simulate(plan),
      await simulate({ ...plan, seed: 22 }),
    ];
    assert.deepEqual(again, first);
    assert.notEqual(other.trace, first.trace);
  });
});
