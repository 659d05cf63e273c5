import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { FaultSettings } from "../../../src/sandbox/service/faults.ts";
import { isFailure } from "../../support/failures.ts";
import { World, within } from "../../support/limit-run.ts";

const MINUTE_MS = 60_000;

function poll(world: World, n = 0) {
  return world.client.read(world.source(n), ["players"], { priority: "poll" });
}

/** Two reads a second in turn over all keys; gives how many were taken. */
async function readFor(world: World, forMs: number): Promise<number> {
  let taken = 0;
  for (let n = 0; n < forMs / 500; n++) {
    poll(world, n % world.sources.length).then(
      () => (taken += 1),
      () => {},
    );
    await world.clock.advance(500);
  }
  return taken;
}

async function worldWithPlayers(seed: number, keys: number): Promise<World> {
  const world = new World({ seed, keys });
  for (const key of world.keyTexts) world.service.town(key).join("Ann", 1);
  await world.clock.advance(5_000);
  for (let n = 0; n < keys; n++) await within(world, poll(world, n));
  return world;
}

/** The service answers every request of the route so. */
function broken(status: number, only: FaultSettings["only"] = "all"): Partial<FaultSettings> {
  return { code: 1001, codeChance: 1, codeStatus: status, errorRetryAfterMs: 30_000, only };
}

describe("Retry-After on an error of the service", () => {
  for (const status of [500, 503])
    test(`a JSON ${status} is not asked again before its wait is over, which people are told`, async () => {
      const world = await worldWithPlayers(1, 3);
      world.service.faults.set(broken(status, "reads"));
      await readFor(world, 2 * MINUTE_MS);
      assert.equal(world.service.counts.earlyAfterError, 0);
      const askedMs = world.clock.nowMs();
      await assert.rejects(
        within(world, world.client.read(world.source(0), [], { priority: "person" })),
        isFailure("platform"),
      );
      await assert.rejects(
        within(world, world.client.read(world.source(0), [], { priority: "person" })),
        (error) => {
          assert.ok(error instanceof Failure && error.code === "platform");
          const leftMs = (error.retryAtMs ?? 0) - askedMs;
          assert.ok(leftMs > 0 && leftMs <= 31_000, `${leftMs}`);
          return true;
        },
      );
      assert.equal(world.client.halt(), undefined, "nothing else is stopped");
      world.service.faults.clear();
      await world.clock.advance(31_000);
      await within(world, poll(world, 0));
      await world.close();
    });

  test("it holds that route for everybody, and no other one", async () => {
    const world = await worldWithPlayers(2, 3);
    world.service.faults.next(broken(503, "reads"));
    await assert.rejects(within(world, poll(world, 0)), isFailure("platform"));
    const reads = world.service.counts.requests;
    await assert.rejects(within(world, poll(world, 1)), isFailure("platform"));
    assert.equal(world.service.counts.requests, reads);
    await within(world, world.client.command(world.source(1), ":h hello"));
    await world.clock.advance(31_000);
    await within(world, poll(world, 1));
    await world.close();
  });

  test("one answer that names an hour stops that server's reads for it, and the others for a minute", async () => {
    const world = await worldWithPlayers(3, 3);
    world.service.faults.next({ ...broken(503, "reads"), errorRetryAfterMs: 60 * MINUTE_MS });
    await assert.rejects(within(world, poll(world, 0)), isFailure("platform"));
    await world.clock.advance(MINUTE_MS + 1_000);
    await within(world, poll(world, 1));
    await assert.rejects(within(world, poll(world, 0)), isFailure("platform"));
    await world.clock.advance(59 * MINUTE_MS);
    await within(world, poll(world, 0));
    assert.equal(world.service.counts.earlyAfterError, 0);
    await world.close();
  });

  test("a command's holds the commands of that server alone", async () => {
    const world = await worldWithPlayers(4, 2);
    world.service.faults.next(broken(500, "commands"));
    const command = (n: number) => within(world, world.client.command(world.source(n), ":h hello"));
    await assert.rejects(command(0), isFailure("platform", "unknown"));
    await assert.rejects(command(0), isFailure("platform", "no"));
    await command(1);
    await within(world, poll(world, 0));
    await world.clock.advance(31_000);
    await command(0);
    assert.equal(world.service.counts.earlyAfterError, 0);
    await world.close();
  });
});

describe("pages that are the failure of one route", () => {
  for (const htmlStatus of [404, 302, 502])
    test(`status ${htmlStatus} on reads: commands go on, and reads are asked ever more rarely`, async () => {
      const world = await worldWithPlayers(5, 3);
      world.service.faults.set({ html: 1, htmlStatus, only: "reads" });
      const before = world.service.counts.requests;
      await readFor(world, 20 * MINUTE_MS);
      assert.equal(world.client.halt(), undefined);
      const asked = world.service.counts.requests - before;
      assert.ok(asked >= 5 && asked <= 25, `${asked} in 20 minutes`);
      await within(world, world.client.command(world.source(1), ":h hello"));
      world.service.faults.clear();
      await world.clock.advance(11 * MINUTE_MS);
      assert.ok((await readFor(world, MINUTE_MS)) >= 100, "all is as before");
      await world.close();
    });

  test("one page among good answers holds nobody else", async () => {
    const world = await worldWithPlayers(6, 3);
    world.service.faults.next({ html: 1, htmlStatus: 502 });
    await assert.rejects(within(world, poll(world, 0)), isFailure("platform"));
    await within(world, poll(world, 1));
    await world.clock.advance(6_000);
    await within(world, poll(world, 0));
    await world.close();
  });

  test("on commands the reads go on", async () => {
    const world = await worldWithPlayers(7, 2);
    world.service.faults.next({ html: 1, htmlStatus: 404, only: "commands" });
    await assert.rejects(
      within(world, world.client.command(world.source(0), ":h hello")),
      isFailure("bad-response", "no"),
    );
    await within(world, poll(world, 0));
    await world.close();
  });

  test("a redirect is told as an address that has moved", async () => {
    const world = await worldWithPlayers(8, 1);
    world.service.faults.next({ html: 1, htmlStatus: 308 });
    await assert.rejects(within(world, poll(world, 0)), isFailure("moved"));
    await world.close();
  });
});

describe("answers of 429 that say little", () => {
  test("a Retry-After of zero with a reset that can be used halts until that reset", async () => {
    const world = new World({
      seed: 9,
      keys: 2,
      service: { limits: { command: { limit: 1, windowMs: 20_000 } } },
    });
    world.service.town(world.key(0)).join("Ann", 1);
    await world.clock.advance(6_000);
    world.service.faults.set({ retryAfter: "zero" });
    const command = () => within(world, world.client.command(world.source(0), ":h hello"));
    await command();
    // Another program drains the command bucket.
    await world.clock.advance(19_900);
    const headers = { "server-key": world.key(0), "content-type": "application/json" };
    const body = JSON.stringify({ command: ":h theirs" });
    world.service.handle({ method: "POST", path: "/v2/server/command", headers, body, address: "10.0.0.9" });
    await world.clock.advance(200);
    world.service.handle({ method: "POST", path: "/v2/server/command", headers, body, address: "10.0.0.9" });
    await assert.rejects(command(), isFailure("rate-limited", "no"));
    const leftMs = (world.client.halt()?.untilMs ?? 0) - world.clock.nowMs();
    assert.ok(leftMs > 17_000 && leftMs <= 22_000, `${leftMs}`);
    await world.close();
  });

  test("one without a body, or with half of one, is told as a limit and not as a block", async () => {
    for (const fault of [{ envelope: "empty" }, { truncate: 1 }] as const) {
      const world = await worldWithPlayers(10, 2);
      world.service.faults.next({ ...fault, tooMany: 1, tooManyRetryAfterMs: 120_000 });
      await assert.rejects(within(world, poll(world, 0)), (error) => {
        assert.ok(isFailure("rate-limited")(error));
        assert.doesNotMatch((error as Failure).message, /page|block/);
        return true;
      });
      const halt = world.client.halt();
      assert.equal(halt?.why, "rate-limited");
      assert.ok((halt?.untilMs ?? 0) >= world.clock.nowMs() + 119_000);
      assert.doesNotMatch(halt?.message ?? "", /page|block/);
      await world.close();
    }
  });
});

describe("answers that do not say whether a command ran", () => {
  for (const status of [408, 409, 499])
    test(`status ${status}: it ran, and the outcome is unknown`, async () => {
      const world = await worldWithPlayers(11, 1);
      world.service.faults.next({ commandGivenUp: 1, commandGivenUpStatus: status, only: "commands" });
      await assert.rejects(within(world, world.client.command(world.source(0), ":h hello")), (error) => {
        assert.ok(error instanceof Failure && error.ran === "unknown");
        return true;
      });
      assert.equal(world.service.counts.executions.length, 1);
      await world.close();
    });

  test("a page of 408 gives up that request alone: something on the way waited too long, and blocks nobody", async () => {
    const world = await worldWithPlayers(13, 2);
    for (const only of ["reads", "commands"] as const) {
      world.service.faults.next({ html: 1, htmlStatus: 408, only });
      const asked: Promise<unknown> =
        only === "reads" ? poll(world, 0) : world.client.command(world.source(0), ":h hello");
      await assert.rejects(within(world, asked), isFailure("platform", only === "reads" ? "no" : "unknown"));
      assert.equal(world.client.halt(), undefined);
    }
    await within(world, poll(world, 1));
    await world.close();
  });

  test("200 with an error in it is no success, of commands and of reads", async () => {
    const world = await worldWithPlayers(12, 1);
    const fault = { envelope: "error-only", code: 1001, codeChance: 1, codeStatus: 200 } as const;
    world.service.faults.next({ ...fault, only: "commands" });
    await assert.rejects(
      within(world, world.client.command(world.source(0), ":h hello")),
      (error) => error instanceof Failure && error.ran === "unknown" && /communicating/.test(error.message),
    );
    world.service.faults.next({ ...fault, only: "reads" });
    await assert.rejects(within(world, poll(world, 0)), isFailure("bad-response"));
    await world.close();
  });
});
