import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { Demand, Snapshot } from "../../src/domain/model.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { SnapshotListener } from "../../src/domain/ports/snapshots.ts";
import { currentRequest, inRequest } from "../../src/domain/request-scope.ts";
import { DemandRegistry } from "../../src/watch/demand-registry.ts";
import { createWatch, type Watch } from "../../src/watch/watch.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { GateClient, id } from "./watch-rig.ts";

interface Rig {
  readonly clock: VirtualClock;
  readonly client: GateClient;
  readonly watch: Watch;
  readonly taken: Snapshot[];
  readonly defects: unknown[];
}

function rig(
  listener?: SnapshotListener["take"],
  nextTurn?: () => Promise<void>,
  { timersLateMs = 0 } = {},
): Rig {
  const clock = new VirtualClock();
  const busy: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, work) => clock.after(delayMs + timersLateMs, work),
    sleep: (delayMs, signal) => clock.sleep(delayMs + timersLateMs, signal),
  };
  const client = new GateClient(clock);
  const taken: Snapshot[] = [];
  const defects: unknown[] = [];
  const take = async (snapshot: Snapshot) => {
    taken.push(snapshot);
    await listener?.(snapshot);
  };
  const watch = createWatch({
    client,
    health: client,
    clock: busy,
    random: seededRandom(3),
    metrics: { count: () => undefined, observe: () => undefined },
    nextTurn,
    onDefect: (error) => defects.push(error),
  });
  watch.listen({ take });
  return { clock, client, watch, taken, defects };
}

function demand(source: string, more: Partial<Demand> = {}): Demand {
  return { source: id(source), lists: ["joinLogs"], ...more };
}

describe("watch: polling", () => {
  test("polls nothing that nobody demands, and stops when the demand is withdrawn", async () => {
    const { clock, client, watch } = rig();
    watch.start();
    await clock.advance(10_000);
    assert.equal(client.calls.length, 0);
    watch.demands.put("feed", [demand("a")]);
    await clock.advance(10_000);
    assert.ok(client.calls.length >= 5);
    watch.demands.put("feed", []);
    await clock.advance(1_000);
    const before = client.calls.length;
    await clock.advance(60_000);
    assert.equal(client.calls.length, before);
    await watch.stop();
    assert.equal(clock.pending, 0);
  });

  test("asks for exactly the lists that somebody reads, once for all who read them", async () => {
    const { clock, client, watch, taken } = rig();
    watch.start();
    watch.demands.put("one", [demand("a", { lists: ["modCalls", "joinLogs"] })]);
    watch.demands.put("two", [demand("a", { lists: ["players", "joinLogs"] })]);
    await clock.advance(5_000);
    const last = client.calls.at(-1);
    assert.deepEqual(last?.lists, ["joinLogs", "modCalls", "players"]);
    assert.equal(last?.priority, "poll");
    assert.ok(client.calls.length <= 6);
    assert.equal(taken.at(-1)?.source, "a");
    watch.demands.put("two", []);
    await clock.advance(5_000);
    assert.deepEqual(client.calls.at(-1)?.lists, ["joinLogs", "modCalls"]);
    await watch.stop();
  });

  test("forgets a demand when its time is over", async () => {
    const { clock, client, watch } = rig();
    watch.start();
    watch.demands.put("proof", [demand("a", { untilMs: clock.nowMs() + 5_000 })]);
    await clock.advance(60_000);
    assert.ok(client.calls.length >= 3 && client.calls.length <= 6, `${client.calls.length} polls`);
    assert.equal((await watch.state()).sources, 0);
    await watch.stop();
  });

  test("keeps one read waiting at the gate and the next ones unchosen", async () => {
    const { clock, client, watch } = rig();
    client.tripMs = 1_000;
    watch.demands.put(
      "feeds",
      Array.from({ length: 50 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(30_000);
    assert.equal(client.mostWaiting, 1);
    assert.ok(client.mostInFlight >= 9, `${client.mostInFlight} in flight`);
    assert.ok(client.calls.length >= 290, `${client.calls.length} polls in 30 s at 10 a second`);
    await watch.stop();
  });

  test("does not let a read that the gate holds back hold up the others", async () => {
    const { clock, client, watch } = rig();
    for (const source of ["held1", "held2"]) client.heldUntilMs.set(id(source), clock.monotonicMs() + 60_000);
    const free = Array.from({ length: 50 }, (_, index) => demand(`s${index}`));
    watch.demands.put("feeds", [demand("held1"), demand("held2"), ...free]);
    watch.start();
    await clock.advance(59_000);
    assert.ok(client.calls.length >= 59 * 10 - 45, `${client.calls.length} polls in 59 s at 10 a second`);
    assert.equal(client.callsOf("held1").length, 0);
    await clock.advance(11_000);
    assert.ok(client.callsOf("held1").length > 0 && client.callsOf("held2").length > 0);
    await watch.stop();
  });

  test("takes in answers that come together one in each turn of the event loop, and has no more than 16 under way", async () => {
    const turns: (() => void)[] = [];
    const { clock, client, watch, taken } = rig(
      undefined,
      () => new Promise((resolve) => turns.push(resolve)),
    );
    client.everyMs = 1;
    client.tripMs = 5_000;
    watch.demands.put(
      "feeds",
      Array.from({ length: 50 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(6_000);
    assert.equal(client.mostInFlight, 16);
    for (let count = 0; count < 16; count++) {
      assert.equal(taken.length, count);
      assert.equal(turns.length, count + 1);
      turns[count]?.();
      await clock.advance(1);
    }
    await Promise.all([watch.stop(), clock.advance(10_000)]);
  });

  test("starts reads 10 ms apart where the gate would let them all go at once", async () => {
    const { clock, client, watch } = rig();
    client.everyMs = 0;
    client.tripMs = 1;
    watch.demands.put(
      "feeds",
      Array.from({ length: 12 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(1_000);
    const starts = client.calls.slice(0, 12).map(({ atMs }) => atMs);
    const gaps = starts.slice(1).map((atMs, index) => atMs - (starts[index] ?? 0));
    assert.deepEqual(new Set(gaps), new Set([10]));
    await watch.stop();
  });

  test("starts as many where timers come 25 ms late, as on a busy machine, and no more than six at once", async () => {
    const { clock, client, watch } = rig(undefined, undefined, { timersLateMs: 25 });
    client.everyMs = 1;
    client.tripMs = 1;
    watch.demands.put(
      "feeds",
      Array.from({ length: 400 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(2_000);
    const { length: before } = client.calls;
    await clock.advance(1_000);
    const starts = client.calls.slice(before).map(({ atMs }) => Math.floor(atMs / 10));
    assert.ok(starts.length >= 85, `${starts.length} reads in a second at one in 10 ms`);
    assert.ok(Math.max(...[...Map.groupBy(starts, (at) => at).values()].map(({ length }) => length)) <= 6);
    await Promise.all([watch.stop(), clock.advance(100)]);
  });

  test("uses a pace of 200 reads a second whole", async () => {
    const { clock, client, watch } = rig();
    client.everyMs = 5;
    client.tripMs = 5;
    watch.demands.put(
      "feeds",
      Array.from({ length: 2_000 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(120_000);
    const before = client.calls.length;
    await clock.advance(10_000);
    assert.ok(client.calls.length - before >= 1_900, `${client.calls.length - before} reads in 10 s`);
    await Promise.all([watch.stop(), clock.advance(1_000)]);
  });

  test("polls in nobody's course, also where what a person asked set them going", async () => {
    const { clock, client, watch } = rig();
    const references: (string | undefined)[] = [];
    client.players = () => {
      references.push(currentRequest());
      return 5;
    };
    watch.start();
    inRequest("a7f3", () => watch.demands.put("feed", [demand("a")]));
    await clock.advance(20_000);
    assert.ok(references.length >= 3);
    assert.deepEqual(new Set(references), new Set([undefined]));
    await watch.stop();
  });

  test("never polls one source twice at once, however slow its listeners are", async () => {
    let busy = 0;
    let most = 0;
    const its = rig(async () => {
      busy += 1;
      most = Math.max(most, busy);
      await its.clock.sleep(5_000);
      busy -= 1;
    });
    its.watch.demands.put("feed", [demand("a")]);
    its.watch.start();
    await its.clock.advance(60_000);
    assert.equal(most, 1);
    assert.ok(its.client.calls.length <= 13);
    await Promise.all([its.watch.stop(), its.clock.advance(10_000)]);
  });

  test("does not poll parked keys, and does again once they are linked anew", async () => {
    const { clock, client, watch } = rig();
    client.parkedSources.add(id("a"));
    watch.demands.put("feeds", [demand("a"), demand("b")]);
    watch.start();
    await clock.advance(30_000);
    assert.equal(client.callsOf("a").length, 0);
    assert.ok(client.callsOf("b").length > 10);
    client.parkedSources.clear();
    await clock.advance(30_000);
    assert.ok(client.callsOf("a").length > 5);
    await watch.stop();
  });

  test("notices that a parked key is linked again even when nothing else happens", async () => {
    const { clock, client, watch } = rig();
    client.parkedSources.add(id("a"));
    watch.demands.put("feeds", [demand("a")]);
    watch.start();
    await clock.advance(60_000);
    client.parkedSources.clear();
    await clock.advance(20_000);
    assert.ok(client.callsOf("a").length > 0);
    await watch.stop();
  });
});

describe("watch: failures", () => {
  test("backs off from a source that fails, further each time, and not from the others", async () => {
    const { clock, client, watch } = rig();
    client.failure = (source) => (source === "bad" ? new Failure("unreachable", "down") : undefined);
    watch.demands.put("feeds", [demand("bad"), demand("good")]);
    watch.start();
    await clock.advance(300_000);
    const bad = client.callsOf("bad").map((call) => call.atMs);
    assert.ok(bad.length >= 6 && bad.length <= 16, `${bad.length} polls of the bad one`);
    const pauses = bad.slice(1).map((atMs, index) => atMs - (bad[index] ?? 0));
    assert.ok((pauses[0] ?? 0) >= 1_000 && Math.max(...pauses) <= 61_000);
    assert.ok(client.callsOf("good").length > 250);
    assert.equal(
      (await watch.state()).lastPolls.find((poll) => poll.source === "bad")?.outcome,
      "unreachable",
    );
    client.failure = () => undefined;
    await clock.advance(61_000);
    const before = client.callsOf("bad").length;
    await clock.advance(10_000);
    assert.ok(client.callsOf("bad").length >= before + 9);
    await watch.stop();
  });

  test("tells since when every poll of a source has failed and why the latest did, and nothing where our own disk failed", async () => {
    let isDiskFull = true;
    const { clock, client, watch } = rig(async () => {
      if (isDiskFull) throw new Error("disk full");
    });
    client.failure = (source) => (source === "bad" ? new Failure("unreachable", "down") : undefined);
    watch.demands.put("feeds", [demand("bad"), demand("good")]);
    const fromMs = clock.monotonicMs();
    watch.start();
    await clock.advance(60_000);
    const { sinceMs, code } = watch.snapshots.failing(id("bad")) ?? {};
    assert.ok(sinceMs !== undefined && sinceMs - fromMs < 2_000, `since ${sinceMs}`);
    assert.equal(code, "unreachable");
    assert.equal(watch.snapshots.failing(id("good")), undefined);
    client.failure = (source) => (source === "bad" ? new Failure("module-outdated", "old") : undefined);
    await clock.advance(61_000);
    assert.deepEqual(watch.snapshots.failing(id("bad")), { sinceMs, code: "module-outdated" });
    isDiskFull = false;
    client.failure = () => undefined;
    await clock.advance(61_000);
    assert.equal(watch.snapshots.failing(id("bad")), undefined);
    await watch.stop();
  });

  test("an answer that a person got after the last failed poll ends what polls said, at once", async () => {
    const { clock, client, watch } = rig();
    client.failure = () => new Failure("module-outdated", "old");
    watch.demands.put("feeds", [demand("a")]);
    watch.start();
    await clock.advance(60_000);
    assert.equal(watch.snapshots.failing(id("a"))?.code, "module-outdated");

    client.failure = () => undefined;
    const polls = client.callsOf("a").filter(({ priority }) => priority === "poll").length;
    const read = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0 });
    await clock.advance(500);
    await read;
    assert.equal(client.callsOf("a").filter(({ priority }) => priority === "poll").length, polls);
    assert.equal(watch.snapshots.failing(id("a")), undefined);

    client.failure = () => new Failure("unreachable", "gone");
    const againMs = clock.monotonicMs();
    await clock.advance(120_000);
    const { sinceMs = 0, code } = watch.snapshots.failing(id("a")) ?? {};
    assert.equal(code, "unreachable");
    assert.ok(sinceMs >= againMs, "it is another trouble");
    await watch.stop();
  });

  test("an answer that is still being kept has no trouble beside it", async () => {
    const release = Promise.withResolvers<void>();
    let isSlow = false;
    const { clock, client, watch } = rig(async () => {
      if (isSlow) await release.promise;
    });
    client.failure = () => new Failure("module-outdated", "old");
    watch.demands.put("feeds", [demand("a")]);
    watch.start();
    await clock.advance(60_000);
    client.failure = () => undefined;
    isSlow = true;
    await clock.advance(61_000);
    assert.notEqual(watch.snapshots.latest(id("a")), undefined);
    assert.equal(watch.snapshots.failing(id("a")), undefined);
    release.resolve();
    await watch.stop();
  });

  test("asks a server that must not be read again in a quarter of an hour", async () => {
    const { clock, client, watch } = rig();
    client.failure = (source) => (source === "closed" ? new Failure("not-authorised", "4000") : undefined);
    watch.demands.put("feeds", [demand("closed"), demand("open")]);
    watch.start();
    await clock.advance(14 * 60_000);
    assert.equal(client.callsOf("closed").length, 1);
    await clock.advance(2 * 60_000);
    assert.equal(client.callsOf("closed").length, 2);
    assert.ok(client.callsOf("open").length > 900);
    await watch.stop();
  });

  test("does not ask for a server that the service does not let us read, until it may be asked again", async () => {
    const { clock, client, watch } = rig();
    const closed = id("closed");
    client.failure = (source) => {
      if (source !== closed) return undefined;
      client.unreadableSources.add(closed);
      return new Failure("read-refused", "9998");
    };
    watch.demands.put("feeds", [demand("closed"), demand("open")]);
    watch.start();
    await clock.advance(3_600_000);
    assert.equal(client.callsOf("closed").length, 1);
    assert.equal((await watch.progress()).due, 1, "it is not waited for");
    client.failure = () => undefined;
    client.unreadableSources.delete(closed);
    await clock.advance(30_000);
    assert.ok(client.callsOf("closed").length > 1);
    await watch.stop();
  });

  test("waits as a whole while the service halts us", async () => {
    const { clock, client, watch } = rig();
    const untilMs = clock.nowMs() + 60_000;
    client.halted = { untilMs, why: "rate-limited" };
    watch.demands.put("feeds", [demand("a"), demand("b")]);
    watch.start();
    await clock.advanceTo(untilMs - 1);
    assert.equal(client.calls.length, 0);
    client.halted = undefined;
    await clock.advance(1_000);
    assert.ok(client.calls.length >= 2);
    await watch.stop();
  });

  test("lets a read that was rate-limited pause everything and blame nobody", async () => {
    const { clock, client, watch } = rig();
    let refused = false;
    client.failure = () => {
      if (refused) return undefined;
      refused = true;
      return new Failure("rate-limited", "wait", { retryAtMs: clock.nowMs() + 20_000 });
    };
    watch.demands.put("feeds", [demand("a"), demand("b")]);
    watch.start();
    await clock.advance(19_000);
    assert.ok(client.calls.length <= 2);
    await clock.advance(5_000);
    assert.ok(client.callsOf("a").length >= 2 && client.callsOf("b").length >= 2);
    await watch.stop();
  });

  test("asks the gate again within a minute where it named an hour and nothing halts: an answer may have freed it", async () => {
    const { clock, client, watch } = rig();
    let isSpent = true;
    client.failure = () =>
      isSpent ? new Failure("rate-limited", "spent", { retryAtMs: clock.nowMs() + 3_600_000 }) : undefined;
    watch.demands.put("feeds", [demand("a"), demand("b")]);
    watch.start();
    await clock.advance(600_000);
    assert.ok(client.calls.length <= 24, `${client.calls.length} asked in ten minutes`);
    isSpent = false;
    const before = client.calls.length;
    await clock.advance(70_000);
    assert.ok(client.calls.length - before >= 2, `${client.calls.length - before} polls`);
    await watch.stop();
  });

  test("polls again what a listener could not keep, and says so", async () => {
    let failing = true;
    const { clock, client, watch, taken, defects } = rig(async () => {
      if (failing) throw new Error("disk full");
    });
    watch.demands.put("feed", [demand("a")]);
    watch.start();
    await clock.advance(10_000);
    assert.ok(defects.length >= 1 && client.calls.length <= 5);
    assert.equal((await watch.state()).lastPolls[0]?.outcome, "store");
    failing = false;
    await clock.advance(70_000);
    assert.equal((await watch.state()).lastPolls[0]?.outcome, "ok");
    assert.equal(taken.length, client.calls.length);
    await watch.stop();
  });

  test("reports an error that is not a Failure as a defect and goes on", async () => {
    const { clock, client, watch, defects } = rig();
    client.failure = () => (defects.length === 0 ? new TypeError("a bug") : undefined);
    watch.demands.put("feed", [demand("a")]);
    watch.start();
    await clock.advance(20_000);
    assert.match(String(defects[0]), /a bug/);
    assert.ok(client.calls.length > 5);
    await watch.stop();
  });

  test("stops at once: reads are given up, nothing starts, no timer is left", async () => {
    const { clock, client, watch } = rig();
    client.tripMs = 30_000;
    watch.demands.put(
      "feeds",
      Array.from({ length: 20 }, (_, index) => demand(`s${index}`)),
    );
    watch.start();
    await clock.advance(500);
    await watch.stop();
    const before = client.calls.length;
    await clock.advance(60_000);
    assert.equal(client.calls.length, before);
    assert.equal(client.inFlight, 0);
    assert.equal(clock.pending, 0);
  });
});

describe("watch: a wall clock that is set", () => {
  for (const stepMs of [3_600_000, -3_600_000]) {
    const words = stepMs > 0 ? "an hour forward" : "an hour back";

    test(`${words} neither stops polls nor hastens them`, async () => {
      const { clock, client, watch } = rig();
      client.failure = (source) => (source === "bad" ? new Failure("unreachable", "down") : undefined);
      watch.demands.put("feeds", [demand("a"), demand("b"), demand("bad")]);
      watch.start();
      await clock.advance(120_000);
      const before = { a: client.callsOf("a").length, bad: client.callsOf("bad").length };
      clock.step(stepMs);
      await clock.advance(10_000);
      const during = client.callsOf("a").length - before.a;
      assert.ok(during >= 9 && during <= 10, `${during} polls in 10 s`);
      assert.ok(client.callsOf("bad").length - before.bad <= 1, "its back-off goes on");
      await watch.stop();
    });

    test(`${words} neither ends a pause early nor prolongs it`, async () => {
      const { clock, client, watch } = rig();
      let isRefused = false;
      client.failure = () => {
        if (isRefused) return undefined;
        isRefused = true;
        return new Failure("rate-limited", "wait", { retryAtMs: clock.nowMs() + 20_000 });
      };
      watch.demands.put("feeds", [demand("a"), demand("b")]);
      watch.start();
      await clock.advance(5_000);
      const before = client.calls.length;
      clock.step(stepMs);
      await clock.advance(14_000);
      assert.equal(client.calls.length, before);
      await clock.advance(4_000);
      assert.ok(client.calls.length > before);
      await watch.stop();
    });

    test(`${words} leaves demands and ages of answers as long as they were`, async () => {
      const { clock, client, watch } = rig();
      watch.start();
      watch.demands.put("proof", [demand("a", { lists: ["players"], untilMs: clock.nowMs() + 60_000 })]);
      await clock.advance(30_000);
      clock.step(stepMs);
      await clock.advance(20_000);
      const before = client.calls.length;
      await clock.advance(9_000);
      assert.ok(client.calls.length >= before + 8);
      await clock.advance(3_000);
      const after = client.calls.length;
      await clock.advance(30_000);
      assert.equal(client.calls.length, after, "the demand has ended");
      clock.step(stepMs);
      const ageMs = clock.nowMs() - (watch.snapshots.latest(id("a"))?.statusAtMs ?? 0);
      assert.ok(ageMs > 29_000 && ageMs < 34_000, `${ageMs} ms`);

      const young = await watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 40_000 });
      assert.equal(client.calls.length, after, "young enough");
      const anew = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 20_000 });
      await clock.advance(1_000);
      const state = await anew;
      assert.equal(client.calls.length, after + 1);
      assert.ok(state.statusAtMs - young.statusAtMs >= 29_000, "the newer answer replaced the older");
      await watch.stop();
    });
  }
});

describe("demands", () => {
  test("with an age keep it for 15 minutes; their lists are read until they end", async () => {
    const clock = new VirtualClock();
    const demands = new DemandRegistry(clock);
    demands.put("deferred", [demand("a", { maxAgeMs: 5_000, untilMs: clock.nowMs() + 3_600_000 })]);
    demands.put("feed", [demand("b", { guildId: "g" })]);
    assert.equal(demands.wanted(id("a"))?.maxAgeMs, 5_000);
    assert.deepEqual(demands.wanted(id("b")), {
      lists: ["joinLogs"],
      maxAgeMs: undefined,
      finerMs: undefined,
      guildId: "g",
    });
    await clock.advance(15 * 60_000);
    assert.deepEqual(demands.wanted(id("a")), {
      lists: ["joinLogs"],
      maxAgeMs: undefined,
      finerMs: undefined,
      guildId: undefined,
    });
    await clock.advance(45 * 60_000);
    assert.equal(demands.wanted(id("a")), undefined);
  });
});

describe("demands for looks that are closer together", () => {
  test("name the closest, and end with the demand", async () => {
    const clock = new VirtualClock();
    const demands = new DemandRegistry(clock);
    demands.put("feed", [demand("a", { guildId: "g" })]);
    demands.put("one", [demand("a", { finerMs: 10_000, untilMs: clock.nowMs() + 20_000 })]);
    demands.put("two", [demand("a", { finerMs: 5_000, untilMs: clock.nowMs() + 10_000 })]);
    assert.equal(demands.wanted(id("a"))?.finerMs, 5_000);
    await clock.advance(10_000);
    assert.equal(demands.wanted(id("a"))?.finerMs, 10_000);
    await clock.advance(10_000);
    assert.deepEqual(demands.wanted(id("a")), {
      lists: ["joinLogs"],
      maxAgeMs: undefined,
      finerMs: undefined,
      guildId: "g",
    });
  });
});

describe("snapshots", () => {
  test("answers from the latest poll while it is young enough", async () => {
    const { clock, client, watch } = rig();
    watch.demands.put("feed", [demand("a", { lists: ["players"] })]);
    watch.start();
    await clock.advance(3_000);
    watch.demands.put("feed", []);
    await clock.advance(5_000);
    const before = client.calls.length;
    const state = await watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 20_000 });
    assert.equal(client.calls.length, before);
    assert.ok(clock.nowMs() - state.statusAtMs >= 5_000);
    await watch.stop();
  });

  test("asks for what is missing or too old, as a person", async () => {
    const { clock, client, watch } = rig();
    const first = watch.snapshots.fresh(id("a"), ["players", "queue"], { maxAgeMs: 10_000 });
    await clock.advance(1_000);
    await first;
    await clock.advance(5_000);
    const second = watch.snapshots.fresh(id("a"), ["players", "staff"], { maxAgeMs: 10_000 });
    await clock.advance(1_000);
    const state = await second;
    assert.deepEqual(
      client.calls.map((call) => [call.lists, call.priority]),
      [
        [["players", "queue"], "person"],
        [["staff"], "person"],
      ],
    );
    assert.deepEqual(Object.keys(state.lists).sort(), ["players", "queue", "staff"]);
    assert.ok((state.lists.staff?.atMs ?? 0) > (state.lists.players?.atMs ?? 0));
  });

  test("makes one call for all people who ask at once, and another for one who needs it fresher", async () => {
    const { clock, client, watch } = rig();
    client.tripMs = 2_000;
    const together = [1, 2, 3].map(() => watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 5_000 }));
    await clock.advance(1_000);
    const subset = watch.snapshots.fresh(id("a"), [], { maxAgeMs: 5_000 });
    const fresher = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0 });
    await clock.advance(5_000);
    await Promise.all([...together, subset, fresher]);
    assert.equal(client.calls.length, 2);
  });

  test("lets each caller leave, and gives the read up after the last", async () => {
    const { clock, client, watch } = rig();
    client.tripMs = 10_000;
    const [one, two] = [new AbortController(), new AbortController()];
    const first = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0, signal: one.signal });
    const second = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0, signal: two.signal });
    const left = [assert.rejects(first, /gone/), assert.rejects(second, /gone/)];
    await clock.advance(100);
    one.abort(new Error("gone"));
    await clock.advance(100);
    assert.equal(client.inFlight, 1);
    two.abort(new Error("gone"));
    await clock.advance(100);
    assert.equal(client.inFlight, 0);
    await Promise.all(left);
    const again = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0 });
    await clock.advance(20_000);
    assert.equal((await again).source, "a");
  });

  test("passes a failure on to everyone who waits, and keeps what it has", async () => {
    const { clock, client, watch } = rig();
    const first = watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0 });
    await clock.advance(1_000);
    await first;
    client.failure = () => new Failure("rate-limited", "wait");
    const failed = assert.rejects(watch.snapshots.fresh(id("a"), ["players"], { maxAgeMs: 0 }), {
      code: "rate-limited",
    });
    await clock.advance(1_000);
    await failed;
    assert.equal(watch.snapshots.latest(id("a"))?.status.name, "Server");
  });

  test("forgets lists that are stale, logs first, and in the end the server", async () => {
    const { clock, watch } = rig();
    const read = watch.snapshots.fresh(id("a"), ["players", "commandLogs"], { maxAgeMs: 0 });
    await clock.advance(1_000);
    await read;
    await clock.advance(700_000);
    assert.deepEqual(Object.keys(watch.snapshots.latest(id("a"))?.lists ?? {}), ["players"]);
    await clock.advance(7 * 3_600_000);
    assert.equal(watch.snapshots.latest(id("a")), undefined);
  });
});
