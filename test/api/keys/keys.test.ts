import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { ServerKey } from "../../../src/domain/secret.ts";
import { World } from "../../support/limit-run.ts";

function isFailure(code: string, ran?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof Failure && error.code === code && (ran === undefined || error.ran === ran);
}

async function within<T>(world: World, work: Promise<T>, ms = 60_000): Promise<T> {
  let done = false;
  const settled = work.finally(() => {
    done = true;
  });
  settled.catch(() => {});
  await world.clock.until(() => done, ms);
  return settled;
}

function read(world: World, n = 0, priority: "person" | "poll" = "person") {
  return world.client.read(world.source(n), [], { priority });
}

function parkedSources(world: World): SourceId[] {
  return world.events.flatMap((event) => (event.kind === "key-parked" ? [event.source] : []));
}

/** Lets the caution about an earlier process's last command pass. */
async function settled(world: World): Promise<void> {
  await world.clock.advance(5_000);
}

test("a regenerated key costs two requests, then its server is parked and told about, and nothing more is sent", async () => {
  const world = new World({ seed: 1, keys: 4 });
  for (const n of [0, 1]) await within(world, read(world, n));
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(5_000);
  for (let turn = 0; turn < 5; turn++)
    await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await assert.rejects(
    within(world, world.client.command(world.source(0), ":h x")),
    isFailure("key-rejected", "no"),
  );
  assert.equal(world.service.counts.badKeyRequests.get(world.key(0)), 2);
  assert.deepEqual(parkedSources(world), [world.source(0)]);
  assert.ok(world.client.parked(world.source(0)) !== undefined);
  await within(world, read(world, 1));
  await world.close();
});

test("however many ask at once, a key that is refused sees at most two requests after its first 403", async () => {
  for (let seed = 10; seed < 30; seed++) {
    const world = new World({ seed, keys: 3, jitterMs: 60 });
    if (seed % 2 === 0) await within(world, read(world, 0));
    await settled(world);
    world.service.regenerateKey(world.key(0));
    const asks = Array.from({ length: 12 }, (_, n) =>
      n % 3 === 0
        ? world.client.command(world.source(0), ":h x")
        : read(world, 0, n % 2 === 0 ? "poll" : "person"),
    );
    await within(world, Promise.allSettled(asks));
    await world.clock.advance(60_000);
    assert.ok((world.service.counts.badKeyRequests.get(world.key(0)) ?? 0) <= 3, `seed ${seed}`);
    await world.close();
  }
});

test("a parked key stays parked over a restart until it is linked again", async () => {
  const world = new World({ seed: 2, keys: 2 });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(5_000);
  await world.restart();
  const sent = world.service.counts.requests;
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  assert.equal(world.service.counts.requests, sent);
  await world.client.unpark(world.source(0));
  world.service.addServer(world.key(0));
  await within(world, read(world, 0));
  assert.equal(world.client.parked(world.source(0)), undefined);
  assert.equal(world.rejectedTexts.size, 0);
  await world.close();
});

test("one 403 that was a slip of the service parks nobody", async () => {
  const world = new World({ seed: 3, keys: 2 });
  await within(world, read(world, 0));
  world.service.faults.next({ code: 2002, codeChance: 1 });
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(2_000);
  assert.equal(world.client.parked(world.source(0)), undefined);
  await within(world, read(world, 0));
  await world.close();
});

test("4000, 4002, 4003 and 9998 are the outcome of their request, the key is fine", async () => {
  const world = new World({ seed: 4, keys: 1, service: { town: { intensity: "busy" } } });
  await settled(world);
  world.service.keyBook.setCommandsAllowed(world.key(0), false);
  for (let turn = 0; turn < 3; turn++)
    await assert.rejects(
      within(world, world.client.command(world.source(0), ":h x")),
      (error) =>
        error instanceof Failure &&
        error.code === "not-authorised" &&
        error.serviceCode === 4000 &&
        error.ran === "no",
    );
  world.service.keyBook.setCommandsAllowed(world.key(0), true);
  for (const code of [4002, 4003, 9998]) {
    world.service.faults.next({ code, codeChance: 1, only: "commands" });
    await assert.rejects(
      within(world, world.client.command(world.source(0), ":h x")),
      (error) => error instanceof Failure && error.serviceCode === code && error.ran === "no",
    );
  }
  assert.deepEqual(parkedSources(world), []);
  await within(world, read(world, 0));
  await world.close();
});

test("a bare 403 on a command counts against the key only once a GET gets one too", async () => {
  const world = new World({ seed: 5, keys: 2, service: { faults: { envelope: "message" } } });
  await settled(world);
  world.service.keyBook.setCommandsAllowed(world.key(0), false);
  await assert.rejects(
    within(world, world.client.command(world.source(0), ":h x")),
    isFailure("not-authorised", "no"),
  );
  assert.deepEqual(parkedSources(world), []);
  await within(world, read(world, 0));
  world.service.regenerateKey(world.key(1));
  await assert.rejects(
    within(world, world.client.command(world.source(1), ":h x")),
    isFailure("key-rejected", "no"),
  );
  assert.deepEqual(parkedSources(world), [world.source(1)]);
  assert.equal(world.service.counts.badKeyRequests.get(world.key(1)), 2);
  await world.close();
});

test("a banned key is parked at once, with its own text", async () => {
  const world = new World({ seed: 6, keys: 2 });
  world.service.keyBook.setBanned(world.key(0), true);
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  assert.match(world.client.parked(world.source(0))?.why ?? "", /banned/);
  assert.equal(world.service.counts.requests, 1);
  await world.close();
});

test("two proven keys refused within a minute: a third is asked first, and if it works both are what they seem", async () => {
  const world = new World({ seed: 7, keys: 4 });
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  for (const n of [0, 1]) world.service.regenerateKey(world.key(n));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  const before = world.service.counts.byKey.get(world.key(2)) ?? 0;
  await assert.rejects(within(world, read(world, 1)), isFailure("key-rejected"));
  await world.clock.advance(10_000);
  assert.ok((world.service.counts.byKey.get(world.key(2)) ?? 0) > before, "the third key was asked");
  assert.deepEqual(new Set(parkedSources(world)), new Set([world.source(0), world.source(1)]));
  assert.equal(world.client.halt(), undefined);
  for (const n of [0, 1]) assert.ok((world.service.counts.badKeyRequests.get(world.key(n)) ?? 0) <= 3);
  await world.close();
});

test("when the third proven key is refused too it is us: everything halts and nobody stays parked", async () => {
  const world = new World({ seed: 8, keys: 4 });
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  world.service.faults.set({ code: 2002, codeChance: 1 });
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await assert.rejects(within(world, read(world, 1)), isFailure("key-rejected"));
  await world.clock.advance(10_000);
  assert.equal(world.client.halt()?.why, "blocked");
  assert.equal(world.client.state().parkedKeys, 0);
  world.service.faults.clear();
  await world.clock.advance(3_600_000);
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  await world.close();
});

test("a wrong key typed again costs nothing for a day", async () => {
  const world = new World({ seed: 9, keys: 1 });
  const wrong = new ServerKey("wrong-key-1");
  await assert.rejects(within(world, world.client.prove(wrong, "g1")), isFailure("key-rejected"));
  await assert.rejects(within(world, world.client.prove(wrong, "g2")), isFailure("key-rejected"));
  await world.restart();
  await assert.rejects(within(world, world.client.prove(wrong, "g1")), isFailure("key-rejected"));
  assert.equal(world.service.counts.requests, 1);
  await world.clock.advance(25 * 3_600_000);
  world.service.addServer("wrong-key-1");
  const status = await within(world, world.client.prove(wrong, "g1"));
  assert.ok(status.name.length > 0);
  await world.close();
});

test("wrong keys have a budget: a quarter for one guild, then the host's, and proven keys go on", async () => {
  const world = new World({ seed: 10, keys: 2 });
  await within(world, read(world, 0));
  const prove = (n: number, guild: string) =>
    within(world, world.client.prove(new ServerKey(`wrong-${n}`), guild));
  await assert.rejects(prove(1, "g1"), isFailure("key-rejected"));
  await assert.rejects(prove(2, "g1"), isFailure("key-rejected"));
  await assert.rejects(prove(3, "g1"), isFailure("denied"));
  let refusedAt = 0;
  for (let n = 10; n < 30 && refusedAt === 0; n++)
    await prove(n, `guild-${n}`).catch((error) => {
      if (isFailure("denied")(error)) refusedAt = n;
    });
  assert.equal(refusedAt, 16, "eight distinct wrong keys in all");
  assert.equal(world.service.counts.bans, 0);
  await within(world, read(world, 0));
  await world.clock.advance(3_601_000);
  await assert.rejects(prove(50, "g1"), isFailure("key-rejected"));
  await world.close();
});

test("wrong keys tried at the same time share the budget too", async () => {
  const world = new World({ seed: 11, keys: 1 });
  const tries = Array.from({ length: 40 }, (_, n) =>
    world.client.prove(new ServerKey(`wrong-${n}`), `g${n}`),
  );
  await within(world, Promise.allSettled(tries));
  assert.equal(world.service.counts.requests, 8);
  assert.equal(world.service.counts.bans, 0);
  await world.close();
});

test("a key with spaces, a line break or nothing in it is refused unsent", async () => {
  const world = new World({ seed: 12, keys: 1 });
  for (const text of ["", "two words", "key\r\nX-Evil: 1", "kéy"])
    await assert.rejects(world.client.prove(new ServerKey(text), "g"), isFailure("key-rejected"));
  assert.equal(world.service.counts.requests, 0);
  await world.close();
});

test("once the budget is spent a refused key gets no second opinion, so that the address stays unbanned", async () => {
  const world = new World({ seed: 13, keys: 9 });
  for (let n = 0; n < 9; n++) await within(world, read(world, n));
  for (let n = 0; n < 7; n++) {
    world.service.regenerateKey(world.key(n));
    await assert.rejects(within(world, read(world, n)), isFailure("key-rejected"));
    await world.clock.advance(90_000);
  }
  const requests = [...world.service.counts.badKeyRequests.values()].reduce((sum, n) => sum + n, 0);
  assert.equal(requests, 2 * 2 + 5, "two second opinions, then none");
  assert.equal(parkedSources(world).length, 7);
  assert.equal(world.service.counts.bans, 0);
  await world.close();
});

test("a source that nobody has linked any more is not-linked, unsent", async () => {
  const world = new World({ seed: 14, keys: 1 });
  world.ring.remove(world.source(0));
  await assert.rejects(read(world, 0), isFailure("not-linked"));
  assert.equal(world.service.counts.requests, 0);
  await world.close();
});
