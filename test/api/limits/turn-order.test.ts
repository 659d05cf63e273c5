import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TurnOrder, type Waiter } from "../../../src/api/limits/turn-order.ts";
import { World } from "../../support/limit-run.ts";

interface Ask extends Waiter {
  readonly id: number;
}

const never = () => undefined;

test("people go before polls, but polls keep 30 % while both wait", () => {
  const room = new TurnOrder<Ask>();
  for (let id = 0; id < 1_000; id++) {
    room.add({ id, waitingClass: "person", turn: "" });
    room.add({ id, waitingClass: "poll", turn: "" });
  }
  const taken: string[] = [];
  for (let n = 0; n < 1_000; n++) {
    const next = room.take(0, () => 0, never);
    assert.ok("next" in next);
    taken.push(next.next.waitingClass);
  }
  const polls = taken.filter((one) => one === "poll").length;
  assert.ok(polls >= 299 && polls <= 301, `${polls}`);
  assert.equal(taken[0], "person");
});

test("our own checks go before everybody", () => {
  const room = new TurnOrder<Ask>();
  room.add({ id: 1, waitingClass: "person", turn: "" });
  room.add({ id: 2, waitingClass: "internal", turn: "" });
  const taken = room.take(0, () => 0, never);
  assert.ok("next" in taken && taken.next.id === 2);
});

test("first come, first served among those that may start; who may not blocks nobody", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 30 }), (readyAt) => {
      const room = new TurnOrder<Ask>();
      for (const id of readyAt.keys()) room.add({ id, waitingClass: "poll", turn: "" });
      const order: number[] = [];
      for (let nowMs = 0; nowMs <= 3; nowMs++) {
        for (;;) {
          const taken = room.take(nowMs, ({ id }) => readyAt[id] ?? 0, never);
          if (!("next" in taken)) break;
          order.push(taken.next.id);
        }
      }
      const expected = [...readyAt.keys()].sort((a, b) => (readyAt[a] ?? 0) - (readyAt[b] ?? 0) || a - b);
      assert.deepEqual(order, expected);
    }),
    { numRuns: 200 },
  );
});

test("who was put back comes first again", () => {
  const room = new TurnOrder<Ask>();
  for (const id of [1, 2, 3]) room.add({ id, waitingClass: "poll", turn: "" });
  const first = room.take(0, () => 0, never);
  assert.ok("next" in first);
  room.addFirst(first.next);
  const again = room.take(0, () => 0, never);
  assert.ok("next" in again && again.next.id === 1);
});

test("at the service: under twice the load people get their share at once and polls are not starved", async () => {
  const world = new World({
    seed: 1,
    keys: 40,
    service: { limits: { global: { limit: 10, windowMs: 1_000 } } },
  });
  const done = { person: 0, poll: 0 };
  let personWaitMs = 0;
  const waiting = { person: 0, poll: 0 };
  const ask = (n: number, priority: "person" | "poll") => {
    const askedMs = world.clock.nowMs();
    waiting[priority] += 1;
    world.client.read(world.source(n % 40), [], { priority }).then(
      () => {
        waiting[priority] -= 1;
        done[priority] += 1;
        if (priority === "person") personWaitMs += world.clock.nowMs() - askedMs;
      },
      () => {},
    );
  };
  for (let n = 0; n < 2_400; n++) {
    if (waiting.person < 15) ask(n, "person");
    if (waiting.poll < 15) ask(n + 20, "poll");
    await world.clock.advance(50);
  }
  const share = done.poll / (done.poll + done.person);
  assert.ok(share >= 0.29 && share <= 0.45, `polls had ${share.toFixed(3)}`);
  assert.equal(world.service.counts.answers429, 0);
  const meanMs = personWaitMs / done.person;
  assert.ok(meanMs < 3_000, `people waited ${meanMs.toFixed(0)} ms`);
  await world.close();
});

test("a read tells when it has left the gate, and not while it waits there", async () => {
  const world = new World({
    seed: 2,
    keys: 3,
    service: { limits: { global: { limit: 1, windowMs: 10_000 } } },
  });
  const sent: number[] = [];
  const startMs = world.clock.nowMs();
  const reads = [0, 1, 2].map((n) =>
    world.client.read(world.source(n), [], {
      priority: "poll",
      onSent: () => sent.push(world.clock.nowMs() - startMs),
    }),
  );
  await world.clock.advance(5_000);
  assert.equal(sent.length, 1);
  await world.clock.advance(40_000);
  await Promise.all(reads);
  assert.equal(sent.length, 3);
  assert.ok((sent[1] ?? 0) >= 5_000 && (sent[2] ?? 0) >= (sent[1] ?? 0) + 5_000, sent.join());
  await world.close();
});

test("a read that is refused or given up at the gate has never left it", async () => {
  const world = new World({
    seed: 3,
    keys: 3,
    service: { limits: { global: { limit: 1, windowMs: 10_000 } } },
  });
  const left: string[] = [];
  const ask = (n: number, name: string, signal?: AbortSignal) => {
    const extra = signal === undefined ? {} : { signal };
    return world.client.read(world.source(n), [], {
      priority: "poll",
      onSent: () => left.push(name),
      ...extra,
    });
  };
  const abort = new AbortController();
  const first = ask(0, "first");
  const givenUp = ask(1, "given up", abort.signal);
  await world.clock.until(() => left.length > 0);
  abort.abort(new Error("no longer wanted"));
  await assert.rejects(givenUp);
  await world.clock.advance(15_000);
  await first;
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 60_000 });
  const refusedByService = ask(2, "refused by the service");
  refusedByService.catch(() => {});
  await world.clock.advance(15_000);
  await assert.rejects(refusedByService);
  await assert.rejects(ask(0, "refused at the door"));
  assert.deepEqual(left, ["first", "refused by the service"]);
  await world.close();
});

test("a read that a 429 sent back to wait has left once, and each of two reads of one server leaves for itself", async () => {
  const world = new World({ seed: 4, keys: 1 });
  let left = 0;
  const ask = () => world.client.read(world.source(0), [], { priority: "poll", onSent: () => left++ });
  world.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 1_000 });
  const again = ask();
  await world.clock.advance(10_000);
  await again;
  assert.equal(world.service.counts.answers429, 1);
  assert.ok(world.service.counts.requests > 1, "it was asked again");
  assert.equal(left, 1);
  const both = [ask(), ask()];
  await world.clock.advance(10_000);
  await Promise.all(both);
  assert.equal(left, 3, "the client shares no request: who wants that asks Snapshots");
  await world.close();
});

test("people are served in turn over guilds, first come first served within one", () => {
  const room = new TurnOrder<Ask>();
  for (let id = 0; id < 6; id++) room.add({ id, waitingClass: "person", turn: "busy" });
  for (const [id, turn] of [
    [10, "b"],
    [20, "c"],
    [11, "b"],
  ] as const)
    room.add({ id, waitingClass: "person", turn });
  const order: number[] = [];
  for (;;) {
    const taken = room.take(0, () => 0, never);
    if (!("next" in taken)) break;
    order.push(taken.next.id);
  }
  assert.deepEqual(order, [0, 10, 20, 1, 11, 2, 3, 4, 5]);
  assert.equal(room.isEmpty, true);
});

test("who may not start keeps its place, and its guild does not hold up the others", () => {
  const room = new TurnOrder<Ask>();
  for (const [id, turn] of [
    [1, "a"],
    [2, "a"],
    [3, "b"],
  ] as const)
    room.add({ id, waitingClass: "person", turn });
  const order: number[] = [];
  for (let nowMs = 0; nowMs < 2; nowMs++)
    for (;;) {
      const taken = room.take(nowMs, ({ id }) => (id === 1 ? 1 : 0), never);
      if (!("next" in taken)) break;
      order.push(taken.next.id);
    }
  assert.deepEqual(order, [2, 3, 1]);
});

test("at the service: a guild that asks without end leaves the others their turn", async () => {
  const world = new World({
    seed: 9,
    keys: 12,
    service: { limits: { global: { limit: 5, windowMs: 1_000 } } },
  });
  let busy = 0;
  let quiet = 0;
  let quietMs = 0;
  for (let n = 0; n < 600; n++) {
    if (busy < 200) {
      busy += 1;
      world.client.read(world.source(n % 10), [], { priority: "person", guildId: "busy" }).finally(() => {
        busy -= 1;
      });
    }
    if (n % 40 === 0) {
      const askedMs = world.clock.monotonicMs();
      void world.client.read(world.source(11), [], { priority: "person", guildId: "quiet" }).then(() => {
        quiet += 1;
        quietMs += world.clock.monotonicMs() - askedMs;
      });
    }
    await world.clock.advance(50);
  }
  assert.ok(busy > 100, "far more was asked than the limit lets through");
  assert.ok(quiet >= 14, `${quiet} of the quiet guild's 15 were answered`);
  assert.ok(quietMs / quiet <= 2_000, `${(quietMs / quiet).toFixed(0)} ms on average`);
  world.service.limits.global.limit = 1_000;
  await world.clock.advance(30_000);
  await world.close();
});

test("where polls have to wait, a guild whose people ask on and on gets its share, and others' people go at once", () => {
  const room = new TurnOrder<Ask>();
  for (let id = 0; id < 200; id++) room.add({ id, waitingClass: "person", turn: "busy", isShared: true });
  for (let id = 1_000; id < 2_000; id++) room.add({ id, waitingClass: "poll", turn: "" });
  const startMs = 1_000_000;
  assert.ok("wakeAtMs" in room.take(startMs, () => startMs + 1, never), "nobody may start yet");

  let nowMs = startMs + 1;
  const take = (count: number) => {
    const taken: Ask[] = [];
    for (; taken.length < count; nowMs += 250) {
      // The limit opens now and then; in between all wait.
      room.take(nowMs, () => nowMs + 1, never);
      const one = room.take(nowMs, () => nowMs, never);
      assert.ok("next" in one);
      taken.push(one.next);
    }
    return taken;
  };
  const burst = take(40).filter(({ turn }) => turn === "busy").length;
  assert.ok(burst >= 20 && burst <= 26, `${burst}: what it may have at once, and what comes in ten seconds`);
  take(20);
  room.add({ id: 3_000, waitingClass: "person", turn: "quiet", isShared: true });
  assert.equal(take(2).filter(({ id }) => id === 3_000).length, 1);

  const inAMinute = take(240).filter(({ turn }) => turn === "busy").length;
  assert.ok(inAMinute >= 28 && inAMinute <= 31, `${inAMinute}: one in two seconds`);
});

test("at the service: a command does not wait for the share of reads that its guild has used up", async () => {
  const world = new World({
    seed: 11,
    keys: 40,
    badKeyBudget: 40,
    service: { limits: { global: { limit: 10, windowMs: 1_000 } }, town: { intensity: "busy" } },
  });
  let [reading, polling] = [0, 0];
  const goOn = async (ticks: number) => {
    for (let n = 0; n < ticks; n++) {
      for (; reading < 40; reading++)
        void world.client
          .read(world.source(n % 10), [], { priority: "person", guildId: "busy" })
          .finally(() => {
            reading -= 1;
          });
      for (; polling < 20; polling++)
        void world.client
          .read(world.source(10 + ((n + polling) % 29)), [], { priority: "poll" })
          .finally(() => {
            polling -= 1;
          });
      await world.clock.advance(50);
    }
  };
  await goOn(600);
  let isAnswered = false;
  void world.client.command(world.source(39), ":h hello", { guildId: "busy" }).then(() => {
    isAnswered = true;
  });
  await goOn(40);
  assert.ok(isAnswered, "forty reads of its guild still wait, one of which goes every two seconds");
  world.service.limits.global.limit = 1_000;
  await world.clock.advance(100_000);
  await world.close();
});

test("where no poll has to wait, a guild's people get all that they ask for", () => {
  const room = new TurnOrder<Ask>();
  for (let id = 0; id < 100; id++) room.add({ id, waitingClass: "person", turn: "busy", isShared: true });
  for (let id = 0; id < 100; id++) {
    const taken = room.take(0, () => 0, never);
    assert.ok("next" in taken && taken.next.id === id);
  }
});

test("at the service: what one guild's people ask for without end takes hardly anything from polls, and no guild may fill the queue", async () => {
  const polled = async (isBusy: boolean) => {
    const world = new World({
      seed: 10,
      keys: 40,
      badKeyBudget: 40,
      service: { limits: { global: { limit: 20, windowMs: 1_000 } } },
    });
    const counts = { polls: 0, refused: 0 };
    let polling = 0;
    for (let n = 0; n < 1_200; n++) {
      if (isBusy)
        for (let times = 0; times < 2; times++)
          world.client
            .read(world.source(n % 10), [], { priority: "person", guildId: "busy" })
            .catch((failure: { code: string }) => {
              if (failure.code === "queue-full") counts.refused += 1;
            });
      for (; polling < 4; polling++)
        world.client.read(world.source(10 + ((n + polling) % 30)), [], { priority: "poll" }).then(
          () => {
            counts.polls += 1;
            polling -= 1;
          },
          () => {},
        );
      await world.clock.advance(50);
    }
    assert.equal(world.service.counts.answers429, 0);
    await world.close();
    return counts;
  };
  const [alone, beside] = [await polled(false), await polled(true)];
  assert.ok(beside.polls >= 0.9 * alone.polls, `${beside.polls} polls of ${alone.polls}`);
  assert.ok(beside.refused > 0);
});
