import assert from "node:assert/strict";
import { test } from "node:test";
import { Halt } from "../../../src/api/limits/halt.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { isFailure } from "../../support/failures.ts";
import { World, within } from "../../support/limit-run.ts";

const HOUR_MS = 3_600_000;

function read(world: World, n = 0, priority: "person" | "poll" = "person") {
  return world.client.read(world.source(n), [], { priority });
}

test("a 429 stops every route of everyone for the whole told wait, then one probe goes, then all", async () => {
  const world = new World({ seed: 1, keys: 5 });
  await within(world, read(world, 0));
  await within(world, read(world, 1));
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 30_000 });
  await assert.rejects(within(world, read(world, 2)), isFailure("rate-limited"));
  const sent = world.service.counts.requests;
  const until = world.client.halt()?.untilMs ?? 0;
  assert.ok(until >= world.clock.nowMs() + 29_000);
  await assert.rejects(within(world, read(world, 3)), (error) => {
    assert.ok(error instanceof Failure && error.code === "rate-limited");
    assert.equal(error.retryAtMs, until);
    return true;
  });
  await assert.rejects(
    within(world, world.client.command(world.source(4), ":h hi")),
    isFailure("rate-limited", "no"),
  );
  await world.clock.advanceTo(until - 1);
  assert.equal(world.service.counts.requests, sent);
  await world.clock.advance(500);
  assert.equal(world.service.counts.requests, sent + 1, "one probe, unasked");
  assert.equal(world.client.halt(), undefined);
  await within(world, read(world, 3));
  assert.equal(world.service.counts.avoidable, 0);
  assert.deepEqual(
    world.events.map((event) => event.kind),
    ["halted", "resumed"],
  );
  await world.close();
});

test("a late 200 ends no halt", async () => {
  const world = new World({ seed: 2, keys: 5 });
  await within(world, read(world, 0));
  world.service.faults.next({ late: 1, lateMs: 2_000 });
  const late = read(world, 1);
  await world.clock.advance(1);
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 20_000 });
  await assert.rejects(within(world, read(world, 2)), isFailure("rate-limited"));
  const until = world.client.halt()?.untilMs;
  await within(world, late);
  assert.equal(world.client.halt()?.untilMs, until);
  await assert.rejects(within(world, read(world, 3)), isFailure("rate-limited"));
  assert.equal(world.service.counts.avoidable, 0);
  await world.close();
});

test("a 429 that names no wait, or none that can be read, means a longer one, never zero", async () => {
  for (const retryAfter of ["none", "garbage"] as const) {
    const world = new World({ seed: 3, keys: 3 });
    await within(world, read(world, 0));
    world.service.faults.next({ tooMany: 1, retryAfter });
    await assert.rejects(within(world, read(world, 1)), isFailure("rate-limited"));
    assert.ok((world.client.halt()?.untilMs ?? 0) >= world.clock.nowMs() + 59_000, retryAfter);
    await world.close();
  }
});

test("a page instead of an answer halts too, longer each time that the probe meets it again", async () => {
  const world = new World({ seed: 4, keys: 3 });
  await within(world, read(world, 0));
  world.service.blocks.showPage("127.0.0.1", world.clock.nowMs(), 2 * HOUR_MS);
  await assert.rejects(within(world, read(world, 1)), isFailure("blocked"));
  const sent = world.service.counts.requests;
  await world.clock.advance(3 * HOUR_MS);
  // 15, 30, 60 minutes and 2 hours after each other, the last of which is past the page.
  assert.equal(world.service.counts.requests, sent + 3);
  assert.equal(world.client.halt()?.why, "blocked");
  await world.clock.advance(HOUR_MS);
  assert.equal(world.client.halt(), undefined);
  await within(world, read(world, 1));
  await world.close();
});

test("a block page in JSON speaks of this host: it halts as a page does, and is held against no key", async () => {
  for (const keys of [1, 3]) {
    const world = new World({ seed: 4, keys });
    await within(world, read(world, 0));
    world.service.faults.set({ blockPage: "json" });
    world.service.blocks.showPage("127.0.0.1", world.clock.nowMs(), 2 * HOUR_MS);
    const sent = world.service.counts.requests;
    const refusal = within(world, read(world, keys - 1));
    await assert.rejects(refusal, isFailure("blocked"));
    await assert.rejects(within(world, read(world, 0)), isFailure("blocked"));
    assert.equal(world.service.counts.requests, sent + 1, "nobody asks on");
    assert.equal(world.client.halt()?.why, "blocked");
    await world.clock.advance(4 * HOUR_MS);
    assert.equal(world.client.halt(), undefined);
    await within(world, read(world, 0));
    assert.deepEqual(
      world.events.map(({ kind }) => kind).filter((kind) => kind === "key-parked"),
      [],
    );
    await world.close();
  }
});

test("an invalid-request block is waited out to the time that its words name", async () => {
  const world = new World({ seed: 5, keys: 3 });
  await within(world, read(world, 0));
  world.service.faults.set({ retryAfter: "none" });
  world.service.blocks.block(
    { address: "127.0.0.1", application: undefined },
    world.clock.nowMs(),
    5 * HOUR_MS,
  );
  const lifts = world.clock.nowMs() + 5 * HOUR_MS;
  await assert.rejects(within(world, read(world, 1)), isFailure("blocked"));
  const until = world.client.halt()?.untilMs ?? 0;
  // Read against the service's own clock, which whole seconds of `Date` tell to a second.
  assert.ok(until >= lifts && until <= lifts + 2_100);
  assert.equal(world.client.halt()?.why, "blocked");
  const event = world.events.find(({ kind }) => kind === "halted");
  assert.ok(event?.kind === "halted" && event.why === "blocked" && event.untilMs === until);
  const sent = world.service.counts.requests;
  await world.clock.advanceTo(until + 1_000);
  assert.equal(world.service.counts.requests, sent + 1);
  assert.equal(world.client.halt(), undefined);
  assert.equal(world.service.counts.avoidable, 0);
  await world.close();
});

test("after a kill that kept a 429 from being stored one probe goes and nothing else; its answer halts everybody", async () => {
  const world = new World({ seed: 12, keys: 6 });
  for (let n = 0; n < 6; n++) await within(world, read(world, n));
  world.documents.halts.refuseWrites = new Error("the process is killed before the disk has it");
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 30_000 });
  await assert.rejects(within(world, read(world, 0)), isFailure("rate-limited"));
  const until = world.client.halt()?.untilMs ?? 0;

  const sent = world.service.counts.requests;
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 30_000 });
  await world.kill();
  const asked = world.sources.map((_, n) => read(world, n).catch((error: unknown) => error));
  await within(world, Promise.all(asked));
  assert.equal(world.service.counts.requests, sent + 1, "the probe alone");
  assert.equal(world.service.counts.avoidable, 1);
  const again = world.client.halt()?.untilMs ?? 0;
  assert.ok(again >= until - 2_000, "what it met is waited for");
  await world.clock.advanceTo(again + 2_000);
  for (let n = 0; n < 6; n++) await within(world, read(world, n));
  assert.equal(world.service.counts.avoidable, 1);
  await world.close();
});

test("after any other kill that probe is answered and everything goes on; after a stop in order there is none", async () => {
  const world = new World({ seed: 13, keys: 4 });
  for (let n = 0; n < 4; n++) await within(world, read(world, n));
  for (const [end, probes] of [
    ["kill", 1],
    ["restart", 0],
  ] as const) {
    const sent = world.service.counts.requests;
    await world[end]();
    await within(world, Promise.all(world.sources.map((_, n) => read(world, n))));
    assert.equal(world.service.counts.requests, sent + 4 + probes, end);
  }
  await world.close();
});

test("a restart keeps the halt, and the first request after it is a probe", async () => {
  const world = new World({ seed: 6, keys: 3 });
  await within(world, read(world, 0));
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 600_000 });
  await assert.rejects(within(world, read(world, 1)), isFailure("rate-limited"));
  const until = world.client.halt()?.untilMs ?? 0;
  await world.restart();
  assert.equal(world.client.halt()?.untilMs, until);
  const sent = world.service.counts.requests;
  await assert.rejects(within(world, read(world, 1)), isFailure("rate-limited"));
  await world.clock.advanceTo(until + 1_000);
  assert.equal(world.service.counts.requests, sent, "no key is proven yet, so nobody is asked");
  await within(world, read(world, 1));
  assert.equal(world.service.counts.requests, sent + 2);
  assert.equal(world.texts.halts.size, 0);
  assert.equal(world.service.counts.avoidable, 0);
  await world.close();
});

test("a bad global key stops everything, tells the operator, and parks nobody", async () => {
  const world = new World({
    seed: 7,
    keys: 3,
    globalKey: "app-key-1",
    service: { globalKeys: ["app-key-2"] },
  });
  await assert.rejects(within(world, read(world, 0)), isFailure("blocked"));
  await assert.rejects(within(world, read(world, 1)), isFailure("blocked"));
  assert.equal(world.service.counts.requests, 1);
  assert.ok(world.events.some(({ kind }) => kind === "global-key-rejected"));
  assert.equal(world.client.state().parkedKeys, 0);
  assert.ok(!JSON.stringify([...world.texts.halts]).includes("app-key-1"));
  await world.close();
});

test("with another global key the service counts another identity: the old halt is not its own", async () => {
  const world = new World({
    seed: 8,
    keys: 3,
    globalKey: "app-key-1",
    service: { globalKeys: ["app-key-2"] },
  });
  await assert.rejects(within(world, read(world, 0)), isFailure("blocked"));
  const other = new World({ seed: 8, keys: 3 });
  for (const [key, value] of world.texts.halts) other.texts.halts.set(key, value);
  await other.client.restore();
  assert.equal(other.client.halt(), undefined);
  await world.close();
  await other.close();
});

test("requests that wait in the gate when a halt begins are told, and leave unsent", async () => {
  const world = new World({
    seed: 9,
    keys: 30,
    service: { limits: { global: { limit: 5, windowMs: 60_000 } } },
  });
  await within(world, read(world, 0));
  const waiting = Array.from({ length: 20 }, (_, n) => read(world, n, "poll"));
  const settled = Promise.allSettled(waiting);
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 90_000 });
  const outcomes = await within(world, settled);
  const refused = outcomes.filter(
    (one) => one.status === "rejected" && isFailure("rate-limited")(one.reason),
  );
  assert.ok(refused.length >= 16);
  assert.ok(world.service.counts.requests <= 6);
  assert.equal(world.client.state().waiting.poll, 0);
  await world.close();
});

test("a short wait is waited out inside the gate: the reader only notices the time", async () => {
  const world = new World({ seed: 10, keys: 3 });
  await within(world, read(world, 0));
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 1_000 });
  const startMs = world.clock.nowMs();
  await within(world, read(world, 1));
  assert.ok(world.clock.nowMs() - startMs >= 1_000);
  assert.equal(world.service.counts.avoidable, 0);
  await world.close();
});

test("a probe that reaches nobody is repeated, and nothing else is sent before it was answered", async () => {
  const world = new World({ seed: 11, keys: 3 });
  await within(world, read(world, 0));
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 10_000 });
  await assert.rejects(within(world, read(world, 1)), isFailure("rate-limited"));
  world.service.faults.set({ resetBefore: 1 });
  await world.clock.advance(20_000);
  assert.ok(world.client.halt() !== undefined);
  world.service.faults.clear();
  await world.clock.advance(10_000);
  assert.equal(world.client.halt(), undefined);
  await world.close();
});

test("of two waits that are told the longer one counts, whichever answer comes first", () => {
  const call = { cause: "limit", saysBlocked: false, message: "" } as const;
  for (const waits of [
    [60_000, 5_000],
    [5_000, 60_000],
  ]) {
    const halt = new Halt();
    for (const toldMs of waits) halt.refuse({ ...call, toldMs }, 0);
    assert.equal(halt.current?.untilMs, 60_000);
  }
});
