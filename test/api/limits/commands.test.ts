import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { isFailure } from "../../support/failures.ts";
import { World, type WorldOptions, within } from "../../support/limit-run.ts";

async function worldWithPlayers(options: WorldOptions): Promise<World> {
  const world = new World(options);
  for (const key of world.keyTexts) world.service.town(key).join("Ann", 1);
  await world.clock.advance(5_000);
  return world;
}

test("commands of one server go one by one, each a window after the previous answer, and none draws a 429", async () => {
  const world = await worldWithPlayers({ seed: 1, keys: 1, jitterMs: 80 });
  const asks = Array.from({ length: 12 }, (_, n) => world.client.command(world.source(0), `:h ${n}`));
  const answers = await within(world, Promise.all(asks));
  for (let n = 1; n < answers.length; n++)
    assert.ok((answers[n]?.sentAtMs ?? 0) >= (answers[n - 1]?.answeredAtMs ?? 0) + 5_000);
  const lastMs = (answers.at(-1)?.answeredAtMs ?? 0) - (answers[0]?.sentAtMs ?? 0);
  assert.ok(lastMs <= 11 * (5_000 + 260) + 260, "no slower than the window and a round trip each");
  assert.equal(world.service.counts.answers429, 0);
  assert.deepEqual(
    world.service.counts.executions.map(({ text }) => text),
    asks.map((_, n) => `:h ${n}`),
  );
  await world.close();
});

test("a window that is not the published one is learned from what answers tell", async () => {
  for (const windowMs of [2_000, 9_000]) {
    const world = await worldWithPlayers({
      seed: 2,
      keys: 1,
      service: { limits: { command: { limit: 1, windowMs } } },
    });
    const asks = Array.from({ length: 8 }, (_, n) => world.client.command(world.source(0), `:h ${n}`));
    const answers = await within(world, Promise.all(asks), 600_000);
    const spanMs = (answers.at(-1)?.answeredAtMs ?? 0) - (answers[0]?.sentAtMs ?? 0);
    assert.equal(world.service.counts.answers429, 0, `window ${windowMs}`);
    assert.ok(spanMs <= 7 * (windowMs + 2_500), `${spanMs} for window ${windowMs}`);
    await world.close();
  }
});

test("an answer that comes late does not make the window look shorter: the next command draws no 429", async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const world = await worldWithPlayers({ seed, keys: 1, jitterMs: 20 });
    // A busy server, by whose reads it is learned that stated resets are rounded up.
    const reads = Array.from({ length: 80 }, () =>
      world.client.read(world.source(0), [], { priority: "poll" }),
    );
    await within(world, Promise.all(reads));
    for (let n = 0; n < 8; n++) {
      if (n === 2) world.service.faults.next({ only: "commands", late: 1, lateMs: 1_800 });
      await within(world, world.client.command(world.source(0), `:h ${n}`));
    }
    assert.equal(world.service.counts.answers429, 0, `seed ${seed}`);
    await world.close();
  }
});

test("an unknown outcome is never sent again: reset after the effect, silence, half an answer, 500", async () => {
  const world = await worldWithPlayers({ seed: 3, keys: 1 });
  const faults = [
    { resetAfter: 1 },
    { resetBefore: 1 },
    { silent: 1 },
    { truncate: 1 },
    { command500: 1, command500Executed: 1 },
    { html: 1, htmlStatus: 502 },
  ];
  for (const [n, fault] of faults.entries()) {
    world.service.faults.next({ ...fault, only: "commands" });
    await assert.rejects(within(world, world.client.command(world.source(0), `:h ${n}`)), (error) => {
      assert.ok(error instanceof Failure, String(error));
      assert.equal(error.ran, "unknown", JSON.stringify(fault));
      return true;
    });
    await world.clock.advance(60_000);
  }
  assert.equal(world.service.counts.commands, faults.length - 2, "two never arrived, the others once");
  for (const times of world.service.counts.executionsByText.values()) assert.equal(times, 1);
  await world.close();
});

test("an empty server, a missing command and an aborted wait surely did not run", async () => {
  const world = new World({ seed: 4, keys: 1, service: { town: { intensity: "quiet" } } });
  world.service.town(world.key(0)).empty();
  await world.clock.advance(5_000);
  world.service.town(world.key(0)).empty();
  await assert.rejects(within(world, world.client.command(world.source(0), ":h x")), (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, "server-empty");
    assert.equal(error.ran, "no");
    assert.match(error.commandId ?? "", /^[0-9a-f-]{36}$/);
    return true;
  });
  const abort = new AbortController();
  const waiting = world.client.command(world.source(0), ":h y", { signal: abort.signal });
  abort.abort(new Failure("expired", "it waited too long"));
  await assert.rejects(waiting, isFailure("expired", "no"));
  await assert.rejects(
    world.client.command(world.source(0), ":h z", { signal: abort.signal }),
    isFailure("expired", "no"),
  );
  await world.clock.advance(30_000);
  assert.equal(world.service.counts.commands, 1);
  await world.close();
});

test("a command of which no byte could be written surely did not run, and its words leave no doubt of it", async () => {
  const world = await worldWithPlayers({ seed: 4, keys: 1 });
  world.isUnwritable = true;
  const sent = world.client.command(world.source(0), ":h x");
  await assert.rejects(within(world, sent), {
    code: "unreachable",
    ran: "no",
    message: "Marshal could not send it.",
  });
  assert.equal(world.service.counts.commands, 0);
  await world.close();
});

test("an abort after it was written leaves the outcome unknown, and the next one still waits for answer and window", async () => {
  const world = await worldWithPlayers({ seed: 5, keys: 1 });
  const abort = new AbortController();
  const sent = world.client.command(world.source(0), ":h a", { signal: abort.signal });
  await world.clock.advance(10);
  abort.abort();
  await assert.rejects(sent, isFailure("expired", "unknown"));
  const abortedMs = world.clock.nowMs();
  const next = await within(world, world.client.command(world.source(0), ":h b"));
  assert.ok(next.sentAtMs >= abortedMs + 5_000);
  assert.equal(world.service.counts.answers429, 0);
  assert.equal(world.service.counts.executionsByText.get(":h a"), 1);
  await world.close();
});

test("the first command of a process waits a window: an earlier process may have just sent one", async () => {
  const world = new World({ seed: 6, keys: 1 });
  world.service.town(world.key(0)).join("Ann", 1);
  const startMs = world.clock.nowMs();
  const answer = await within(world, world.client.command(world.source(0), ":h a"));
  assert.equal(answer.sentAtMs, startMs + 5_000);
  await world.close();
});

test("a guild whose command bucket another program drains stalls the others ever less", async () => {
  const world = await worldWithPlayers({ seed: 7, keys: 3 });
  let served = 0;
  let asked = 0;
  const drain = () =>
    world.service.handle({
      method: "POST",
      path: "/v2/server/command",
      headers: { "server-key": world.key(0), "content-type": "application/json" },
      body: JSON.stringify({ command: ":h other" }),
      // Ever another address, so that it is not blocked for going on.
      address: `10.0.${asked >> 8}.${asked & 255}`,
    });
  const endMs = world.clock.nowMs() + 20 * 60_000;
  while (world.clock.nowMs() < endMs) {
    drain();
    world.client.command(world.source(0), ":h mine").catch(() => {});
    asked += 1;
    world.client.read(world.source(1), [], { priority: "poll" }).then(
      () => {
        served += 1;
      },
      () => {},
    );
    await world.clock.advance(1_000);
  }
  const refusals = world.events.filter(({ kind }) => kind === "halted").length;
  assert.ok(refusals >= 3 && refusals <= 10, `${refusals} refusals in 20 minutes`);
  assert.ok(served / asked >= 0.9, `${served} of ${asked} reads of another guild`);
  assert.equal(world.service.counts.avoidableByIdentity.get("127.0.0.1") ?? 0, 0);
  await world.close();
});

test("commands of a server whose window is a second reach most of what is possible in 20 s, and draw no 429", async () => {
  let share = 0;
  const seeds = 6;
  for (let seed = 1; seed <= seeds; seed++) {
    const world = await worldWithPlayers({
      seed,
      keys: 1,
      latencyMs: 60,
      jitterMs: 40,
      service: { limits: { command: { limit: 1, windowMs: 1_000 } } },
    });
    const answers: { readonly sentAtMs: number; readonly answeredAtMs: number }[] = [];
    const first = await within(world, world.client.command(world.source(0), ":h first"));
    while (world.clock.nowMs() < first.sentAtMs + 20_000)
      answers.push(await within(world, world.client.command(world.source(0), `:h ${answers.length}`)));
    const last = answers.at(-1) ?? first;
    const roundTripMs =
      answers.reduce((sum, one) => sum + one.answeredAtMs - one.sentAtMs, 0) / answers.length;
    share += ((1_000 + roundTripMs) * answers.length) / (last.sentAtMs - first.sentAtMs) / seeds;
    assert.equal(world.service.counts.answers429, 0, `seed ${seed}`);
    await world.close();
  }
  assert.ok(share >= 0.7, `${share.toFixed(3)} of 1/(window + round trip)`);
});

test("a server that nobody has linked any more leaves nothing behind; linked again at once it still draws no 429", async () => {
  const world = await worldWithPlayers({ seed: 8, keys: 2 });
  for (const n of [0, 1]) await within(world, world.client.command(world.source(n), ":h a"));
  const before = world.client.state().buckets.length;
  const held = world.client.command(world.source(0), ":h waits");
  held.catch(() => {});
  await world.clock.advance(1);
  world.client.forget(world.source(0));
  await assert.rejects(within(world, held), isFailure("not-linked", "no"));
  assert.equal(world.client.state().buckets.length, before - 1, "its command bucket is forgotten");
  await within(world, world.client.command(world.source(0), ":h again"));
  assert.equal(world.service.counts.answers429, 0);
  await world.close();
});

test("that windows of commands go by the clock, servers learn from one refusal of one of them", async () => {
  const limits = { align: "clock", global: { limit: 35, windowMs: 1_000 } } as const;
  const world = new World({ seed: 901, keys: 4, jitterMs: 20, service: { limits } });
  const { clock, client, service } = world;
  for (const [n, source] of world.sources.entries()) {
    service.town(world.key(n)).join("Ann", 1);
    await within(world, client.read(source, [], { priority: "person" }));
    for (let count = 0; count < 10; count++)
      await within(
        world,
        client.command(source, ":h hello").catch(() => clock.sleep(1_000)),
      );
  }
  assert.equal(service.counts.answers429, 1);
  await world.close();
});
