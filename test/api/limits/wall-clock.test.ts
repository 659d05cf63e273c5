import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { runLoad, World, within } from "../../support/limit-run.ts";

const HOUR_MS = 3_600_000;
const STEPS_MS = [-HOUR_MS, HOUR_MS];

const poll = (world: World, n: number) => world.client.read(world.source(n), [], { priority: "poll" });

describe("a step of the wall clock", () => {
  test("neither stops nor hastens reading, and draws no 429", async () => {
    const answered: (number | undefined)[] = [];
    for (const stepMs of [0, ...STEPS_MS]) {
      const world = new World({ seed: 1, keys: 20 });
      const load = { perSecond: 20, forMs: 20_000, mostWaiting: 20 };
      await runLoad(world.clock, load, (n) => poll(world, n % 20));
      world.clock.step(stepMs);
      const after = await runLoad(world.clock, load, (n) => poll(world, n % 20));
      answered.push(after.get("ok"));
      assert.equal(world.service.counts.answers429, 0);
      await world.close();
    }
    const [without, back, forward] = answered;
    assert.ok(without !== undefined && without > 150);
    assert.deepEqual([back, forward], [without, without]);
  });

  test("leaves a deadline where it was", async () => {
    for (const stepMs of STEPS_MS) {
      const world = new World({ seed: 2, keys: 1 });
      world.service.faults.set({ silent: 1 });
      const asked = poll(world, 0);
      await world.clock.advance(1_000);
      world.clock.step(stepMs);
      const startMs = world.clock.monotonicMs();
      await assert.rejects(within(world, asked, 2 * HOUR_MS), Failure);
      assert.equal(world.clock.monotonicMs() - startMs, 9_000);
      await world.close();
    }
  });

  test("inside a halt sends nothing before the told wait is over, and no later than without it", async () => {
    for (const stepMs of STEPS_MS) {
      const world = new World({ seed: 3, keys: 2 });
      await within(world, poll(world, 0));
      world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 20 * 60_000 });
      await assert.rejects(within(world, poll(world, 1)));
      const sent = world.service.counts.requests;
      world.clock.step(stepMs);
      await assert.rejects(within(world, poll(world, 1)), (error) => {
        assert.ok(error instanceof Failure);
        const leftMs = (error.retryAtMs ?? 0) - world.clock.nowMs();
        return leftMs > 19 * 60_000 && leftMs <= 20 * 60_000;
      });
      await world.clock.advance(19 * 60_000);
      assert.equal(world.service.counts.requests, sent);
      await world.clock.advance(61_000);
      await within(world, poll(world, 1));
      assert.equal(world.service.counts.avoidable, 0);
      await world.close();
    }
  });

  for (const end of ["restart", "kill"] as const)
    test(`across a ${end} leaves the hour after which a parked key is asked once more`, async () => {
      for (const stepMs of [...STEPS_MS, 24 * HOUR_MS]) {
        const world = new World({ seed: 8, keys: 2 });
        await within(world, poll(world, 1));
        world.service.regenerateKey(world.key(0));
        await assert.rejects(within(world, poll(world, 0)));
        const asked = () => world.service.counts.badKeyRequests.get(world.key(0));
        await world.clock.advance(20 * 60_000);
        world.clock.step(stepMs);
        await world[end]();
        await world.clock.advance(39 * 60_000);
        assert.equal(asked(), 1);
        await world.clock.advance(3 * 60_000);
        assert.equal(asked(), 2);
        await world.close();
      }
    });

  test("across a restart leaves what was left of a halt to be waited", async () => {
    for (const stepMs of STEPS_MS) {
      const world = new World({ seed: 4, keys: 2 });
      await within(world, poll(world, 0));
      world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 20 * 60_000 });
      await assert.rejects(within(world, poll(world, 1)));
      await world.clock.advance(5 * 60_000);
      world.clock.step(stepMs);
      await world.restart();
      const sent = world.service.counts.requests;
      await world.clock.advance(14 * 60_000);
      await assert.rejects(within(world, poll(world, 1)));
      assert.equal(world.service.counts.requests, sent);
      await world.clock.advance(70_000);
      await within(world, poll(world, 1));
      assert.equal(world.service.counts.avoidable, 0);
      await world.close();
    }
  });

  test("hastens no command", async () => {
    for (const stepMs of STEPS_MS) {
      const world = new World({ seed: 5, keys: 1 });
      world.service.town(world.key(0)).join("Ann", 1);
      await within(world, world.client.command(world.source(0), ":h a"));
      world.clock.step(stepMs);
      const startMs = world.clock.monotonicMs();
      await within(world, world.client.command(world.source(0), ":h b"));
      assert.ok(world.clock.monotonicMs() - startMs <= 5_200);
      assert.equal(world.service.counts.answers429, 0);
      await world.close();
    }
  });
});

test("what is left of a halt is written each minute, so that a process which is killed forgets at most that", async () => {
  const world = new World({ seed: 6, keys: 2 });
  await within(world, poll(world, 0));
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 20 * 60_000 });
  await assert.rejects(within(world, poll(world, 1)));
  await world.clock.advance(10 * 60_000);
  const [text] = world.texts.halts.values();
  const { leftMs } = JSON.parse(text ?? "{}");
  assert.ok(leftMs > 9.9 * 60_000 && leftMs <= 11 * 60_000, `${leftMs}`);
  await world.close();
});
