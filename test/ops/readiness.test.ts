import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readinessWords } from "../../src/discord/render/service-notices.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type { Bindings } from "../../src/domain/ports/bindings.ts";
import { createMetrics } from "../../src/ops/metrics.ts";
import { assessReadiness, type Facts, NOTHING_SEEN, type ReadinessMemory } from "../../src/ops/readiness.ts";
import { collectFacts, type FactSources } from "../../src/ops/readiness-facts.ts";
import { createReadinessNotices } from "../../src/ops/readiness-notices.ts";
import { ReadinessWatch } from "../../src/ops/readiness-watch.ts";
import { settle, VirtualClock } from "../support/clock.ts";
import { FakeWorld, keptLog } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const well: Facts = {
  loggedIn: true,
  shardsAway: [],
  storeTrouble: undefined,
  sending: { waiting: 0, taken: 0 },
  backlog: { waiting: 0, oldestWaitMs: 0 },
  polling: { due: 0, kept: 0 },
  blockedUntilMs: undefined,
  badKeysSpentUntilMs: undefined,
};

/** The codes after looking at these facts every ten seconds for so long. */
function after(ms: number, factsAt: (ms: number) => Partial<Facts>): readonly string[] {
  let memory: ReadinessMemory = NOTHING_SEEN;
  let codes: readonly string[] = [];
  for (let nowMs = 0; nowMs <= ms; nowMs += 10_000) {
    const judged = assessReadiness(memory, { ...well, ...factsAt(nowMs) }, nowMs);
    memory = judged.memory;
    codes = judged.reasons.map(({ code }) => code);
  }
  return codes;
}

describe("what keeps the bot from its work", () => {
  test("nothing does while all is well, however long nothing happens", () => {
    assert.deepEqual(
      after(24 * 3_600_000, () => ({})),
      [],
    );
  });

  test("a shard that is away for a minute, and not one that reconnects", () => {
    const away = (forMs: number) => after(0, () => ({ shardsAway: [{ id: 3, forMs }] }));
    assert.deepEqual([away(59_999), away(60_000)], [[], ["shard-away"]]);
  });

  test("a store that cannot be written, at once", () => {
    assert.deepEqual(
      after(0, () => ({ storeTrouble: "the disk is full" })),
      ["store"],
    );
  });

  test("messages that wait for a minute while none goes out, and not while some do", () => {
    assert.deepEqual(
      after(50_000, () => ({ sending: { waiting: 2, taken: 0 } })),
      [],
    );
    assert.deepEqual(
      after(60_000, () => ({ sending: { waiting: 2, taken: 0 } })),
      ["sending"],
    );
    assert.deepEqual(
      after(600_000, (ms) => ({ sending: { waiting: 2, taken: ms / 10_000 } })),
      [],
    );
    assert.deepEqual(
      after(600_000, (ms) => ({ sending: { waiting: (ms / 10_000) % 2, taken: 0 } })),
      [],
    );
  });

  test("a backlog that grows for three minutes while something waits for three, and not one that is only old or only grows", () => {
    const at = (waiting: (ms: number) => number, oldestWaitMs: number) => (ms: number) => ({
      sending: { waiting: 1, taken: ms },
      backlog: { waiting: waiting(ms), oldestWaitMs },
    });
    const grows = (ms: number) => 1_000 + ms / 100;
    const upAndDown = (ms: number) => 5_000 + 500 * Math.sin(ms / 25_000);
    assert.deepEqual(after(230_000, at(grows, 180_000)), ["backlog"]);
    assert.deepEqual(after(170_000, at(grows, 180_000)), []);
    assert.deepEqual(after(230_000, at(grows, 179_000)), []);
    assert.deepEqual(
      after(
        230_000,
        at(() => 9_000, 900_000),
      ),
      [],
    );
    for (let ms = 0; ms < 1_200_000; ms += 10_000) assert.deepEqual(after(ms, at(upAndDown, 900_000)), []);
  });

  test("a block by the service, at once", () => {
    assert.deepEqual(
      after(0, () => ({ blockedUntilMs: 1_800_000_000_000 })),
      ["blocked"],
    );
  });

  test("five minutes without a read although servers are due, and not while none is", () => {
    assert.deepEqual(
      after(290_000, () => ({ polling: { due: 1, kept: 0 } })),
      [],
    );
    assert.deepEqual(
      after(300_000, () => ({ polling: { due: 1, kept: 0 } })),
      ["polling"],
    );
    assert.deepEqual(
      after(900_000, (ms) => ({ polling: { due: 9, kept: Math.floor(ms / 240_000) } })),
      [],
    );
    assert.deepEqual(
      after(900_000, () => ({ polling: { due: 0, kept: 0 } })),
      [],
    );
  });

  test("a spent budget of refused keys, with the time", () => {
    const { reasons } = assessReadiness(
      NOTHING_SEEN,
      { ...well, badKeysSpentUntilMs: Date.UTC(2026, 0, 1) },
      0,
    );
    assert.match(reasons[0]?.text ?? "", /BAD_KEY_BUDGET.*2026-01-01T00:00/);
  });

  test("several at once are all named", () => {
    assert.deepEqual(
      after(0, () => ({ loggedIn: false, storeTrouble: "x" })),
      ["discord", "store"],
    );
  });
});

function watched() {
  const clock = new VirtualClock();
  const log = keptLog();
  const metrics = createMetrics();
  const told: string[] = [];
  let facts: Facts = well;
  const watch = new ReadinessWatch({
    clock,
    log,
    metrics,
    facts: async () => facts,
    onBegun: ({ code }) => void told.push(`begun ${code}`),
    onEnded: ({ code }) => void told.push(`ended ${code}`),
  });
  return {
    clock,
    log,
    metrics,
    told,
    watch,
    set: (changes: Partial<Facts>) => (facts = { ...well, ...changes }),
  };
}

describe("the watch of readiness", () => {
  test("is not ready before its first look", () => {
    assert.deepEqual(watched().watch.reasons(), ["not logged in to Discord"]);
  });

  test("logs, counts and tells each reason once when it begins and once when it ends", async () => {
    const { clock, log, metrics, told, watch, set } = watched();
    await watch.start();
    assert.deepEqual([watch.reasons(), log.lines], [[], []]);
    set({ storeTrouble: "the disk is full" });
    await clock.advance(60_000);
    assert.deepEqual(watch.reasons(), ["the store cannot be written: the disk is full"]);
    set({});
    await clock.advance(60_000);
    watch.stop();
    assert.deepEqual(watch.reasons(), []);
    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [
        ["warn", "the store cannot be written: the disk is full"],
        ["info", "over: the store cannot be written: the disk is full"],
      ],
    );
    assert.deepEqual(told, ["begun store", "ended store"]);
    assert.match(await metrics.text(), /marshal_not_ready_total\{reason="store"\} 1/);
    assert.equal(clock.pending, 0);
  });

  test("reports each shard on its own", async () => {
    const { clock, told, watch, set } = watched();
    set({ shardsAway: [{ id: 1, forMs: 60_000 }] });
    await watch.start();
    set({ shardsAway: [1, 2].map((id) => ({ id, forMs: 90_000 })) });
    await clock.advance(10_000);
    watch.stop();
    assert.deepEqual(told, ["begun shard-away", "begun shard-away"]);
  });
});

test("a store that hangs is a reason after five seconds, and a card that waits for its turn is none", async () => {
  const clock = new VirtualClock();
  const sources = (failing: boolean): FactSources => ({
    clock,
    store: { checkWritable: () => new Promise(() => {}) },
    discord: { state: () => ({ ready: true, shards: [], sending: { taken: 4, failing } }) },
    feeds: { counts: async () => ({ undelivered: 1, cards: { unshown: 2 } }) },
    outbox: { state: () => ({ posts: 3, oldestWaitMs: 4 }) },
    watch: { progress: async () => ({ due: 1, kept: 2 }) },
    service: {
      badKeys: () => ({ spentUntilMs: 7 }),
      halt: () => ({ untilMs: 8, why: failing ? "blocked" : "rate-limited" }),
    },
  });
  for (const [failing, waiting] of [
    [false, 1],
    [true, 3],
  ] as const) {
    const collected = collectFacts(sources(failing));
    await clock.advance(5_000);
    const facts = await collected;
    assert.equal(facts.storeTrouble, "it does not answer");
    assert.equal(facts.sending.waiting, waiting);
    assert.equal(facts.badKeysSpentUntilMs, 7);
    assert.deepEqual(facts.backlog, { waiting: 4, oldestWaitMs: 4 });
    assert.equal(facts.blockedUntilMs, failing ? 8 : undefined);
  }
});

test("guilds are notified of what they lose: all of the store, those of a shard of its absence, none of the rest", async () => {
  const world = new FakeWorld();
  const guilds = ["10", "11", "12"];
  for (const guildId of guilds) await world.linkServer(guildId, serverStatus(), `key-${guildId}`);
  const told: [string, MessageBody][] = [];
  const bindings: Pick<Bindings, "linked"> = { linked: () => world.bindingsById.values() };
  const clock = new VirtualClock();
  const notices = createReadinessNotices({
    bindings,
    clock,
    log: keptLog(),
    words: readinessWords,
    notifier: { guild: async (guildId, body) => void told.push([guildId, body]) },
    shardOf: (guildId) => Number(guildId) % 2,
  });
  notices.onBegun({ code: "shard-away", text: "", shard: 0 });
  notices.onEnded({ code: "shard-away", text: "", shard: 0 });
  for (const code of ["sending", "polling", "bad-keys", "discord"] as const)
    notices.onBegun({ code, text: "" });
  // One check that a slow disk held up: what began is over at the next.
  notices.onBegun({ code: "store", text: "" });
  await clock.advance(10_000);
  notices.onEnded({ code: "store", text: "" });
  await clock.advance(60_000);
  assert.equal(told.length, 4);
  notices.onBegun({ code: "store", text: "" });
  await clock.advance(15_000);
  notices.onEnded({ code: "store", text: "" });
  await settle();
  const { shardAway, shardBack, storeStuck, storeBack } = readinessWords;
  assert.deepEqual(told, [
    ["10", shardAway()],
    ["12", shardAway()],
    ["10", shardBack()],
    ["12", shardBack()],
    ...guilds.map((guildId) => [guildId, storeStuck()]),
    ...guilds.map((guildId) => [guildId, storeBack()]),
  ]);
});
