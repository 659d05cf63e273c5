import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { World, within } from "../../support/limit-run.ts";

const HOUR_MS = 3_600_000;

/** Asks as a poller does, every 30 s, and gives what the last answer was. */
async function poll(world: World, forMs: number): Promise<unknown> {
  let last: unknown;
  for (const endMs = world.clock.monotonicMs() + forMs; world.clock.monotonicMs() < endMs; ) {
    const asked = world.client.read(world.source(0), [], { priority: "poll" });
    last = await within(world, asked).catch((error: unknown) => error);
    await world.clock.advance(30_000);
  }
  return last;
}

describe("a server that the service does not let us read, though the key is good", () => {
  for (const code of [4000, 4002, 9998, 4444, 0, 1001, 2000, 3002, 9999])
    test(`with code ${code}: it is asked again rarely, its guilds get one notice, and the others are read on`, async () => {
      const world = new World({ seed: 1, keys: 2 });
      await within(world, world.client.read(world.source(1), [], { priority: "poll" }));
      const { faults, counts } = world.service;
      faults.set({ code, codeChance: 1, codeStatus: 403, only: "reads", onlyKeys: [world.key(0)] });
      const sent = counts.requests;
      const last = await poll(world, 12 * HOUR_MS);
      // At once, and after 1, 3 and 7 hours.
      assert.equal(counts.requests - sent, 4);
      assert.ok(last instanceof Failure && last.code === "read-refused" && last.isRead);
      assert.equal(last.serviceCode, code);
      assert.ok((last.retryAtMs ?? 0) > world.clock.nowMs());
      assert.deepEqual(
        world.events.map(({ kind }) => kind),
        ["read-refused"],
      );
      assert.equal(world.client.parked(world.source(0)), undefined);
      await within(world, world.client.read(world.source(1), [], { priority: "poll" }));
      await world.close();
    });

  for (const end of ["restart", "kill"] as const)
    test(`is asked no sooner after a ${end}, and its guilds get no further notice`, async () => {
      const world = new World({ seed: 7, keys: 1 });
      const { faults, counts } = world.service;
      faults.set({ code: 9998, codeChance: 1, codeStatus: 403, only: "reads" });
      await poll(world, 2 * HOUR_MS);
      assert.equal(counts.requests, 2);
      await world[end]();
      const last = await poll(world, 0.9 * HOUR_MS);
      assert.equal(counts.requests, 2);
      assert.ok(last instanceof Failure && last.code === "read-refused" && last.isRead);
      assert.equal(last.serviceCode, 9998);
      await poll(world, 8 * HOUR_MS);
      // After 3 and 7 hours.
      assert.equal(counts.requests, 4);
      assert.equal(world.events.length, 1);
      faults.clear();
      await poll(world, 8 * HOUR_MS);
      assert.equal(world.texts.refusedReads.size, 0);
      await world.close();
    });

  test("waits no longer than was left, though the wall clock was set back over a restart", async () => {
    const world = new World({ seed: 8, keys: 1 });
    world.service.faults.set({ code: 9998, codeChance: 1, codeStatus: 403, only: "reads" });
    await poll(world, HOUR_MS / 2);
    world.clock.step(-24 * HOUR_MS);
    await world.restart();
    await poll(world, 1.1 * HOUR_MS);
    assert.equal(world.service.counts.requests, 2);
    await world.close();
  });

  test("is read on when the service lets us again, with a new notice if it then refuses", async () => {
    const world = new World({ seed: 2, keys: 1 });
    const { faults } = world.service;
    faults.set({ code: 9998, codeChance: 1, only: "reads" });
    await poll(world, HOUR_MS / 2);
    faults.clear();
    assert.ok(!((await poll(world, HOUR_MS)) instanceof Failure));
    faults.set({ code: 9998, codeChance: 1, only: "reads" });
    await poll(world, HOUR_MS / 2);
    assert.equal(world.events.filter(({ kind }) => kind === "read-refused").length, 2);
    await world.close();
  });

  test("takes commands all the while", async () => {
    const world = new World({ seed: 3, keys: 1 });
    world.service.town(world.key(0)).join("Ann", 1);
    world.service.faults.set({ code: 9998, codeChance: 1, only: "reads" });
    await poll(world, HOUR_MS / 2);
    await within(world, world.client.command(world.source(0), ":h a"));
    assert.equal(world.service.counts.executions.length, 1);
    await world.close();
  });
});

test("a read that fails is told as a read: whether it ran is no question", async () => {
  const world = new World({ seed: 4, keys: 1 });
  for (const fault of [{ command500: 0, code: 1001, codeChance: 1 }, { truncate: 1 }, { resetBefore: 1 }]) {
    world.service.faults.next(fault);
    await assert.rejects(
      within(world, world.client.read(world.source(0), [], { priority: "person" })),
      (error) => error instanceof Failure && error.isRead && error.ran === "no",
    );
  }
  await world.close();
});

test("a command that is answered 408 may have run", async () => {
  const world = new World({ seed: 5, keys: 1 });
  world.service.town(world.key(0)).join("Ann", 1);
  world.service.faults.set({ commandGivenUp: 1 });
  await assert.rejects(
    within(world, world.client.command(world.source(0), ":h a")),
    (error) => error instanceof Failure && error.ran === "unknown",
  );
  await world.close();
});

test("a wait of a month is the longest halt, and a restart waits all that is left of it", async () => {
  const world = new World({ seed: 6, keys: 2 });
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 30 * 24 * HOUR_MS, retryAfter: "twice" });
  await assert.rejects(within(world, world.client.read(world.source(0), [], { priority: "poll" })));
  const leftMs = () => (world.client.halt()?.untilMs ?? 0) - world.clock.nowMs();
  assert.equal(leftMs(), 7 * 24 * HOUR_MS);
  await world.restart();
  assert.ok(leftMs() >= 7 * 24 * HOUR_MS - 60_000, `${leftMs()}`);
  await world.close();
});
