import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { isFailure } from "../../support/failures.ts";
import { stranger, World, within } from "../../support/limit-run.ts";

function read(world: World, n = 0, priority: "person" | "poll" = "person") {
  return world.client.read(world.source(n), [], { priority });
}

function parkedSources(world: World): SourceId[] {
  return world.events.flatMap((event) => (event.kind === "key-parked" ? [event.source] : []));
}

const MINUTE_MS = 60_000;

/** Lets the caution about an earlier process's last command pass. */
async function settled(world: World): Promise<void> {
  await world.clock.advance(5_000);
}

test("a regenerated key costs one request, then its server is parked and told about, and nothing more is sent", async () => {
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
  assert.equal(world.service.counts.badKeyRequests.get(world.key(0)), 1);
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
  assert.equal(world.texts.rejected.size, 0);
  await world.close();
});

test("a request with a key of which nothing is known leaves only once a killed process would be known to have sent it", async () => {
  const world = new World({ seed: 31, keys: 1 });
  const { keyBudget } = world.documents;
  const set = keyBudget.set.bind(keyBudget);
  const disk = Promise.withResolvers<void>();
  keyBudget.set = async (key, value) => {
    await disk.promise;
    await set(key, value);
  };
  const asked = read(world, 0);
  await world.clock.advance(2_000);
  assert.equal(world.service.counts.requests, 0);
  disk.resolve();
  await within(world, asked);
  assert.equal(world.service.counts.requests, 1);
  await world.close();
});

test("a key that was refused by a slip of the service is asked once more after an hour, and goes on", async () => {
  const world = new World({ seed: 3, keys: 2 });
  await within(world, read(world, 0));
  world.service.faults.next({ code: 2002, codeChance: 1 });
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  assert.ok(world.client.parked(world.source(0)) !== undefined);
  const sent = world.service.counts.requests;
  await world.clock.advance(59 * MINUTE_MS);
  assert.equal(world.service.counts.requests, sent);
  await world.clock.advance(2 * MINUTE_MS);
  assert.equal(world.service.counts.requests, sent + 1);
  assert.equal(world.client.parked(world.source(0)), undefined);
  assert.ok(world.events.some(({ kind }) => kind === "key-taken-again"));
  await within(world, read(world, 0));
  await world.close();
});

test("a parked key that is refused once more is not asked a third time, also after a restart", async () => {
  const world = new World({ seed: 23, keys: 2 });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(30 * MINUTE_MS);
  await world.restart();
  await world.clock.advance(12 * 60 * MINUTE_MS);
  await world.restart();
  await world.clock.advance(12 * 60 * MINUTE_MS);
  assert.equal(world.service.counts.badKeyRequests.get(world.key(0)), 2);
  assert.equal(parkedSources(world).length, 1, "told once");
  await world.close();
});

test("4000, 4002, 4003 and 9998 are the outcome of their request, the key is fine", async () => {
  const world = new World({ seed: 4, keys: 1, service: { town: { intensity: "busy" } } });
  await settled(world);
  for (const code of [4002, 4003, 9998]) {
    world.service.faults.next({ code, codeChance: 1, only: "commands" });
    await assert.rejects(
      within(world, world.client.command(world.source(0), ":h x")),
      (error) => error instanceof Failure && error.serviceCode === code && error.ran === "no",
    );
  }
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
  assert.deepEqual(parkedSources(world), []);
  await within(world, read(world, 0));
  await world.close();
});

test("after a silence an answer of an old version shows that the key is fine: reads and commands reach the service at once", async () => {
  const world = new World({ seed: 4, keys: 2, service: { town: { intensity: "busy" } } });
  await settled(world);
  await within(world, read(world, 0));
  const { faults } = world.service;
  for (let turn = 0; turn < 3; turn++) {
    faults.set({ silent: 1 });
    await assert.rejects(within(world, read(world, 0)), isFailure("unreachable"));
    faults.clear();
    await within(world, read(world, 1));
  }
  faults.set({ code: 9999, codeChance: 1 });
  let first: Failure | undefined;
  for (let waited = 0; waited < 70 && first?.code !== "module-outdated"; waited++) {
    first = await within(world, read(world, 0)).then(
      () => undefined,
      (error) => error,
    );
    await world.clock.advance(10_000);
  }
  for (let turn = 0; turn < 4; turn++) {
    await assert.rejects(within(world, read(world, 0)), isFailure("module-outdated"));
    await world.clock.advance(1_000);
  }
  await assert.rejects(
    within(world, world.client.command(world.source(0), ":h x")),
    isFailure("module-outdated"),
  );
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

test("two proven keys refused without a code within a minute: a third is asked first, and if it works both are what they seem", async () => {
  const world = new World({ seed: 7, keys: 4, service: { faults: { envelope: "message" } } });
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  for (const n of [0, 1]) world.service.regenerateKey(world.key(n));
  const before = world.service.counts.byKey.get(world.key(2)) ?? 0;
  const asks = [0, 1].map((n) => assert.rejects(within(world, read(world, n)), isFailure("key-rejected")));
  await Promise.all(asks);
  await world.clock.advance(10_000);
  assert.ok((world.service.counts.byKey.get(world.key(2)) ?? 0) > before, "the third key was asked");
  assert.deepEqual(new Set(parkedSources(world)), new Set([world.source(0), world.source(1)]));
  assert.equal(world.client.halt(), undefined);
  for (const n of [0, 1]) assert.ok((world.service.counts.badKeyRequests.get(world.key(n)) ?? 0) <= 3);
  await world.close();
});

test("who waits for a second opinion is answered at the end of the process, also where the refusal comes while it ends", async () => {
  const world = new World({ seed: 20, keys: 4, service: { faults: { envelope: "message" } } });
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  for (const n of [0, 1]) world.service.regenerateKey(world.key(n));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  let answer: unknown;
  void read(world, 1).catch((error: unknown) => {
    answer = error;
  });
  await world.clock.until(() => world.service.counts.badKeyRequests.get(world.key(1)) === 1);
  assert.equal(answer, undefined, "the refusal is on its way");
  await world.close();
  assert.ok(isFailure("key-rejected")(answer));
});

test("when keys that worked are all refused without a code it is us: everything halts and nothing is parked", async () => {
  const world = new World({ seed: 8, keys: 6 });
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  world.service.faults.set({ refuseKey: 1, refusal: "bare" });
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await assert.rejects(within(world, read(world, 1)));
  await world.clock.advance(10_000);
  assert.equal(world.client.halt()?.why, "blocked");
  assert.deepEqual(parkedSources(world), []);
  assert.ok(world.service.counts.badKeysAtMs.length <= 4);
  await world.clock.advance(60 * MINUTE_MS);
  assert.ok(world.service.counts.badKeysAtMs.length <= 9);
  world.service.faults.clear();
  world.service.forgive();
  await world.clock.advance(4 * 60 * MINUTE_MS);
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  await world.close();
});

test("a banned address, met by the first request since the start: one refusal, then a halt and a probe; nothing is parked", async () => {
  const world = new World({ seed: 18, keys: 8, service: { faults: { refuseKey: 1, refusal: "bare" } } });
  for (let second = 0; second < 8; second++) {
    void read(world, second, "poll").catch(() => {});
    await world.clock.advance(1_000);
  }
  assert.equal(world.service.counts.requests, 1);
  assert.ok(world.client.halt() !== undefined);
  await world.clock.advance(2 * MINUTE_MS);
  assert.equal(world.service.counts.requests, 2, "one probe, with another key");
  assert.equal(world.service.counts.byKey.size, 2);
  assert.equal(world.client.halt()?.why, "blocked");
  assert.deepEqual(parkedSources(world), []);
  world.service.faults.clear();
  world.service.forgive();
  await world.clock.advance(24 * 60 * MINUTE_MS);
  for (const n of [0, 1, 2]) await within(world, read(world, n));
  await world.close();
});

test("one bad key, the first to be asked by a service without codes, holds the others up for a minute", async () => {
  const world = new World({ seed: 19, keys: 3, service: { faults: { envelope: "message" } } });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(62_000);
  for (const n of [1, 2]) await within(world, read(world, n));
  assert.deepEqual(parkedSources(world), [world.source(0)]);
  assert.equal(world.service.counts.badKeyRequests.get(world.key(0)), 2);
  await world.close();
});

test("the only linked key, refused twice by a service without codes, is parked: there is no other to compare it with", async () => {
  const world = new World({ seed: 20, keys: 1, service: { faults: { envelope: "message" } } });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
  await world.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(parkedSources(world), [world.source(0)]);
  assert.equal(world.client.halt(), undefined);
  await world.close();
});

/** A read and a command on their way together, both refused: what the second opinion then says may have a code. */
async function readAndCommandRefused(world: World, opinion: "message" | "standard"): Promise<void> {
  for (const n of [0, 1]) await within(world, read(world, n));
  await settled(world);
  world.service.regenerateKey(world.key(0));
  const asks = [read(world, 0), world.client.command(world.source(0), ":h x")];
  await world.clock.advance(1);
  world.service.faults.set({ envelope: opinion });
  await within(world, Promise.allSettled(asks));
}

for (const opinion of ["message", "standard"] as const)
  test(`a key that was refused without a code and then ${opinion === "message" ? "without" : "with"} one is not asked once more an hour later, nor after a restart`, async () => {
    const world = new World({ seed: 27, keys: 2, jitterMs: 0, service: { faults: { envelope: "message" } } });
    await readAndCommandRefused(world, opinion);
    await world.clock.advance(2_000);
    assert.deepEqual(parkedSources(world), [world.source(0)]);
    const refused = () => world.service.counts.badKeyRequests.get(world.key(0));
    assert.equal(refused(), 3, "the first, the one on its way with it, and the second opinion");
    world.clock.step(2 * 60 * MINUTE_MS);
    await world.restart();
    await world.clock.advance(24 * 60 * MINUTE_MS);
    assert.equal(refused(), 3);
    await world.close();
  });

for (const end of ["restart", "kill"] as const)
  test(`a key of which only the probe's word is missing is judged after a ${end} without being asked again`, async () => {
    const world = new World({ seed: 28, keys: 2, jitterMs: 0, service: { strictSpec: true } });
    for (const n of [0, 1]) await within(world, read(world, n));
    await settled(world);
    world.service.faults.set({ silent: 1, onlyKeys: [world.key(1)] });
    world.service.regenerateKey(world.key(0));
    for (const ask of [read(world, 0), world.client.command(world.source(0), ":h x")]) ask.catch(() => {});
    await world.clock.advance(1_000);
    const refused = () => world.service.counts.badKeyRequests.get(world.key(0));
    assert.equal(refused(), 3);
    assert.deepEqual(parkedSources(world), [], "the probe has not been answered");
    world.service.faults.set({ silent: 0 });
    await world[end]();
    await world.clock.advance(2 * MINUTE_MS);
    assert.deepEqual(parkedSources(world), [world.source(0)]);
    await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
    assert.equal(refused(), 3);
    await within(world, read(world, 1));
    await world.close();
  });

test("a read that a 429 sent back is not sent again with a key that was parked meanwhile", async () => {
  const world = new World({ seed: 29, keys: 2, jitterMs: 0 });
  for (const n of [0, 1]) await within(world, read(world, n));
  world.service.regenerateKey(world.key(0));
  const first = read(world, 0, "poll");
  await world.clock.advance(1);
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 1_000 });
  const second = read(world, 0, "poll");
  for (const ask of [first, second]) await assert.rejects(within(world, ask), isFailure("key-rejected"));
  await world.clock.advance(10 * MINUTE_MS);
  assert.equal(world.service.counts.badKeyRequests.get(world.key(0)), 1);
  await world.close();
});

test("a wrong key typed again costs nothing for a day", async () => {
  const world = new World({ seed: 9, keys: 1 });
  const wrong = new ServerKey("wrong-key-1");
  await assert.rejects(
    within(world, world.client.verifyKey(wrong, stranger("g1"))),
    isFailure("key-rejected"),
  );
  await assert.rejects(
    within(world, world.client.verifyKey(wrong, stranger("g2"))),
    isFailure("key-rejected"),
  );
  await world.restart();
  await assert.rejects(
    within(world, world.client.verifyKey(wrong, stranger("g1"))),
    isFailure("key-rejected"),
  );
  assert.equal(world.service.counts.requests, 1);
  await world.clock.advance(25 * 3_600_000);
  world.service.addServer("wrong-key-1");
  const status = await within(world, world.client.verifyKey(wrong, stranger("g1")));
  assert.ok(status.name.length > 0);
  await world.close();
});

for (const isRestarted of [false, true]) {
  const words = isRestarted ? ", over restarts" : "";
  test(`a key that was refused while the clock was a month ahead is refused for a day and no longer${words}`, async () => {
    const world = new World({ seed: 9, keys: 2 });
    const wrong = new ServerKey("wrong-key-1");
    const type = () => within(world, world.client.verifyKey(wrong, stranger("g1")));
    const rest = async () => {
      if (isRestarted) await world.restart();
      await world.clock.advance(12 * 3_600_000);
    };
    await assert.rejects(type(), isFailure("key-rejected"));
    world.service.regenerateKey(world.key(0));
    await assert.rejects(within(world, read(world, 0)), isFailure("key-rejected"));
    world.clock.step(-30 * 24 * 3_600_000);
    await assert.rejects(type(), isFailure("key-rejected"));
    await rest();
    await assert.rejects(type(), isFailure("key-rejected"));
    const { sinceMs = Number.POSITIVE_INFINITY } = world.client.parked(world.source(0)) ?? {};
    assert.ok(sinceMs <= world.clock.nowMs(), "nothing is known since a time to come");
    await rest();
    await rest();
    world.service.addServer("wrong-key-1");
    const status = await type();
    assert.ok(status.name.length > 0);
    await world.close();
  });
}

test("wrong keys have a third of the budget, two for one guild, one kept for guilds that are known, and linked keys go on", async () => {
  const world = new World({ seed: 10, keys: 2 });
  await within(world, read(world, 0));
  const prove = (n: number, guildId: string, isKnown = false) =>
    within(world, world.client.verifyKey(new ServerKey(`wrong-${n}`), { guildId, isKnown }));
  await assert.rejects(prove(1, "g1"), isFailure("key-rejected"));
  await assert.rejects(prove(2, "g1"), isFailure("key-rejected"));
  await assert.rejects(prove(3, "g1"), isFailure("denied"));
  await assert.rejects(prove(10, "g10"), isFailure("denied"), "the last unit is kept");
  await assert.rejects(prove(11, "g11", true), isFailure("key-rejected"));
  await assert.rejects(prove(12, "g11", true), isFailure("denied"), "a third of the budget in all");
  assert.equal(world.service.counts.bans, 0);
  await within(world, read(world, 0));
  await world.clock.advance(75 * MINUTE_MS);
  await assert.rejects(prove(50, "g1"), isFailure("key-rejected"));
  await world.close();
});

/** What the answer to a wrong key says of further ones. */
async function refusalOf(world: World, key: string, guild = "g"): Promise<Failure> {
  const refused = await within(world, world.client.verifyKey(new ServerKey(key), stranger(guild))).catch(
    (error) => error,
  );
  assert.ok(refused instanceof Failure, key);
  return refused;
}

test("the answer to a wrong key says how many more can be tried, the last one when, and what it says is what happens", async () => {
  for (const badKeyBudget of [4, 9, 12, 40]) {
    for (const byOthers of [0, 1, 3]) {
      const service = { limits: { banAfter: badKeyBudget + 2 } };
      const world = new World({ seed: 40 + badKeyBudget, keys: 1, badKeyBudget, service });
      await within(world, read(world));
      let foreign = 0;
      for (let n = 0; n < byOthers; n++) {
        if ((await refusalOf(world, `other-${n}`, `other-${n}`)).code === "key-rejected") foreign += 1;
      }
      const told: (number | undefined)[] = [];
      let last: Failure | undefined;
      for (let n = 0; last?.code !== "denied"; n++) {
        last = await refusalOf(world, `wrong-${n}`);
        told.push(last.code === "denied" ? undefined : moreKeys(last));
        await world.clock.advance(MINUTE_MS);
      }
      const tried = told.length - 1;
      const expected = Math.min(
        2,
        Math.max(1, Math.floor(badKeyBudget / 3) - 1) - foreign,
        badKeyBudget - 1 - foreign,
      );
      assert.equal(tried, expected, `budget ${badKeyBudget}, ${foreign} by others`);
      assert.deepEqual(told, [...Array.from({ length: tried }, (_, n) => tried - 1 - n), undefined]);
      assert.ok(last.retryAtMs !== undefined);
      await world.clock.advance(last.retryAtMs - world.clock.nowMs());
      assert.equal((await refusalOf(world, "wrong-later")).code, "key-rejected", "the time that was told");
      await world.close();
    }
  }
});

/** The number in the words; 0 where they say that none can be tried, and then there is a time. */
function moreKeys({ message, retryAtMs }: Failure): number {
  const count = / (\d+) (?:try|tries) left, then you have to wait up to an hour/.exec(message);
  assert.equal(count === null, retryAtMs !== undefined, message);
  if (count === null) assert.match(message, / No tries left for now/);
  return count === null ? 0 : Number(count[1]);
}

test("a wrong key that is typed again uses up no try and says so, with the tries that are left", async () => {
  const world = new World({ seed: 41, keys: 1 });
  assert.equal(moreKeys(await refusalOf(world, "wrong-1")), 1);
  const again = await refusalOf(world, "wrong-1");
  assert.match(again.message, /refused in the last day, so Marshal did not try it again/);
  assert.ok(world.client.wasRefused(new ServerKey("wrong-1")));
  assert.ok(!world.client.wasRefused(new ServerKey("wrong-2")));
  assert.equal(world.client.typedTries(stranger("g")).hasUnanswered, false);
  assert.equal(moreKeys(again), 1);
  const second = await refusalOf(world, "wrong-2");
  assert.equal(moreKeys(second), 0);
  const third = await refusalOf(world, "wrong-1");
  assert.equal(moreKeys(third), 0);
  assert.equal(third.retryAtMs, second.retryAtMs);
  await world.close();
});

test("a typed key that got no answer is known as one, to its own community, until it is answered", async () => {
  const world = new World({ seed: 43, keys: 1 });
  const hasUnanswered = (guild: string) => world.client.typedTries(stranger(guild)).hasUnanswered;
  world.service.faults.set({ silent: 1 });
  assert.equal((await refusalOf(world, "wrong-1")).code, "unreachable");
  assert.deepEqual(["g", "other"].map(hasUnanswered), [true, false]);
  world.service.faults.set({ silent: 0 });
  assert.equal((await refusalOf(world, "wrong-1")).code, "key-rejected");
  assert.equal(hasUnanswered("g"), false);
  await world.close();
});

test("the old key of a server that this community has linked is counted as a wrong one, in words too", async () => {
  const world = new World({ seed: 42, keys: 2 });
  await within(world, read(world, 1));
  world.service.regenerateKey(world.key(0));
  assert.equal(moreKeys(await refusalOf(world, world.key(0))), 1);
  assert.equal(moreKeys(await refusalOf(world, "wrong-1")), 0);
  assert.equal((await refusalOf(world, "wrong-2")).code, "denied");
  await world.close();
});

test("a key that is refused unsent says nothing of tries", async () => {
  const world = new World({ seed: 43, keys: 1 });
  assert.doesNotMatch((await refusalOf(world, "two words")).message, /tried/);
  await world.close();
});

test("wrong keys tried at the same time share the budget too", async () => {
  const world = new World({ seed: 11, keys: 1 });
  const tries = Array.from({ length: 40 }, (_, n) =>
    world.client.verifyKey(new ServerKey(`wrong-${n}`), stranger(`g${n}`)),
  );
  await within(world, Promise.allSettled(tries));
  assert.equal(world.service.counts.requests, 2);
  assert.equal(world.service.counts.bans, 0);
  await world.close();
});

test("a key with spaces, a line break or nothing in it is refused unsent", async () => {
  const world = new World({ seed: 12, keys: 1 });
  for (const text of ["", "two words", "key\r\nX-Evil: 1", "kéy"])
    await assert.rejects(
      world.client.verifyKey(new ServerKey(text), stranger("g")),
      isFailure("key-rejected"),
    );
  assert.equal(world.service.counts.requests, 0);
  await world.close();
});

test("four guilds that type two different wrong keys each silence nobody", async () => {
  const world = new World({ seed: 13, keys: 20 });
  for (let n = 0; n < 20; n++) await within(world, read(world, n));
  const typed = Array.from({ length: 8 }, (_, n) =>
    within(
      world,
      world.client.verifyKey(new ServerKey(`typed-${n}`), { guildId: `guild-${n % 4}`, isKnown: true }),
    ),
  );
  const results = await Promise.allSettled(typed);
  assert.equal(results.filter(({ status }) => status === "rejected").length, 8);
  assert.equal(world.service.counts.badKeysAtMs.length, 3);
  for (let n = 0; n < 20; n++) await within(world, read(world, n, "poll"));
  world.ring.add("linked-later-1");
  world.service.addServer("linked-later-1");
  await within(
    world,
    world.client.read(world.ring.sourceOf(new ServerKey("linked-later-1")), [], { priority: "poll" }),
  );
  await world.close();
});

test("a typed key whose answer was lost may be typed again, though its first request may have been a refusal", async () => {
  const world = new World({ seed: 26, keys: 1 });
  await assert.rejects(within(world, world.client.verifyKey(new ServerKey("wrong-1"), stranger("g1"))));
  world.service.faults.next({ resetAfter: 1 });
  const good = new ServerKey("typed-good-1");
  world.service.addServer("typed-good-1");
  await assert.rejects(within(world, world.client.verifyKey(good, stranger("g4"))), isFailure("unreachable"));
  await assert.rejects(
    within(world, world.client.verifyKey(new ServerKey("wrong-4"), stranger("g5"))),
    isFailure("denied"),
  );
  await within(world, world.client.verifyKey(good, stranger("g4")));
  await assert.rejects(
    within(world, world.client.verifyKey(new ServerKey("wrong-4"), stranger("g5"))),
    isFailure("key-rejected"),
  );
  await world.close();
});

test("nine refusals in an hour are the end: nothing leaves until the oldest is an hour old, and it is said why", async () => {
  const world = new World({ seed: 21, keys: 30 });
  for (let n = 0; n < 30; n++) await within(world, read(world, n, "poll"));
  for (const n of [0, 1]) world.service.regenerateKey(world.key(n));
  for (const n of [0, 1]) await assert.rejects(within(world, read(world, n, "poll")));
  // The wave is open: the next ones are taken in it, so they are fresh, and then change their keys one by one.
  for (let n = 2; n < 9; n++) await within(world, read(world, n));
  for (let n = 2; n < 9; n++) {
    world.service.regenerateKey(world.key(n));
    await assert.rejects(within(world, read(world, n, "poll")), isFailure("key-rejected"));
  }
  const sent = world.service.counts.requests;
  const { spentUntilMs, refusedLastHour } = world.client.badKeys();
  assert.equal(refusedLastHour, 9);
  assert.ok(spentUntilMs !== undefined && spentUntilMs > world.clock.nowMs() + 50 * MINUTE_MS);
  await assert.rejects(within(world, read(world, 20)), isFailure("rate-limited"));
  await assert.rejects(
    within(world, world.client.verifyKey(new ServerKey("typed-1"), stranger("g"))),
    isFailure("rate-limited"),
  );
  await world.restart();
  await assert.rejects(within(world, read(world, 20)), isFailure("rate-limited"));
  assert.equal(world.service.counts.requests, sent);
  await world.clock.advance(61 * MINUTE_MS);
  await within(world, read(world, 20));
  assert.equal(world.service.counts.bans, 0);
  await world.close();
});

test("a step of the wall clock makes the budget no larger, neither in a run nor over a restart", async () => {
  for (const stepMs of [3 * 60 * MINUTE_MS, -3 * 60 * MINUTE_MS]) {
    const world = new World({ seed: 22, keys: 10 });
    for (const n of [0, 1, 2]) world.service.regenerateKey(world.key(n));
    for (const n of [0, 1, 2]) await assert.rejects(within(world, read(world, n)));
    world.clock.step(stepMs);
    await world.clock.advance(1_000);
    assert.equal(world.client.badKeys().refusedLastHour, 3);
    await world.restart();
    assert.equal(world.client.badKeys().refusedLastHour, 3);
    world.clock.step(stepMs);
    await world.kill();
    assert.equal(world.client.badKeys().refusedLastHour, 3);
    await world.close();
  }
});

test("a typed key that a linked server uses and that is parked stays parked, and its guilds are told once", async () => {
  const world = new World({ seed: 24, keys: 2 });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(within(world, read(world, 0)));
  const key = new ServerKey(world.key(0));
  await assert.rejects(
    within(world, world.client.verifyKey(key, stranger("other"))),
    isFailure("key-rejected"),
  );
  await world.clock.advance(25 * 60 * MINUTE_MS);
  await assert.rejects(
    within(world, world.client.verifyKey(key, stranger("other"))),
    isFailure("key-rejected"),
  );
  const sent = world.service.counts.requests;
  assert.ok(world.client.parked(world.source(0)) !== undefined);
  await assert.rejects(within(world, read(world, 0, "poll")), isFailure("key-rejected"));
  assert.equal(world.service.counts.requests, sent);
  assert.equal(parkedSources(world).length, 1);
  await world.close();
});

test("a typed key that a linked server uses and that turns out bad is parked for that server, too", async () => {
  const world = new World({ seed: 25, keys: 2 });
  world.service.regenerateKey(world.key(0));
  await assert.rejects(
    within(world, world.client.verifyKey(new ServerKey(world.key(0)), stranger("other"))),
    isFailure("key-rejected"),
  );
  assert.deepEqual(parkedSources(world), [world.source(0)]);
  await assert.rejects(within(world, read(world, 0, "poll")), isFailure("key-rejected"));
  assert.equal(world.service.counts.requests, 1);
  await world.close();
});

test("a source that nobody has linked any more is not-linked, unsent", async () => {
  const world = new World({ seed: 14, keys: 1 });
  world.ring.remove(world.source(0));
  await assert.rejects(read(world, 0), isFailure("not-linked"));
  assert.equal(world.service.counts.requests, 0);
  await world.close();
});

test("a linked key whose stored copy does not open can be linked again, which mends it", async () => {
  const world = new World({ seed: 77, keys: 1 });
  world.ring.keyOf = () => Promise.reject(new Error("a sealed key does not open"));
  const status = await within(world, world.client.verifyKey(new ServerKey(world.key(0)), stranger("guild")));
  assert.notEqual(status.name, "");
  await world.close();
});
