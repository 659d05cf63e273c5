import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createClient } from "@redis/client";
import { parseHalt, parseRejected } from "../../../src/api/stored-records.ts";
import { openRedisLimits, type RedisLimits } from "../../../src/cluster/limits/redis-limits.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Departing, SharedLimits, SharedUnits } from "../../../src/domain/ports/shared-limits.ts";
import { createLog } from "../../../src/log.ts";
import type { Store } from "../../../src/store/keyv-documents.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { needsRedis, type RedisServer, startRedis } from "../../support/redis-server.ts";

const SERVER = "server-1" as SourceId;
const OTHER = "server-2" as SourceId;
const NOTHING: SharedUnits = { refusals: [], open: [], firstsAgeMs: [] };

/** A read of `SERVER`, with this many requests of this process under way. */
function reading(more: Partial<Departing> = {}): Departing {
  return {
    source: SERVER,
    isCommand: false,
    isProbe: false,
    isCovered: false,
    asksRefused: false,
    mostTogether: 6,
    own: under(1),
    ...more,
  };
}

function under(count: number): SharedUnits {
  const one = { source: SERVER, ageMs: 0, isHeld: false };
  return { ...NOTHING, open: Array.from({ length: count }, () => one) };
}

describe("limits that processes share in a real Redis", needsRedis(), () => {
  let server: RedisServer;
  let redisLimits: RedisLimits;
  let store: Store;
  let operator: Awaited<ReturnType<typeof operatorOf>>;
  let first: SharedLimits;
  let second: SharedLimits;
  before(async () => {
    server = await startRedis();
    redisLimits = await openRedisLimits(server.url, createLog({ level: "error", write: () => {} }));
    store = await openStore(server.url);
    operator = await operatorOf(server);
  });
  after(async () => {
    await redisLimits.close();
    await store.close();
    await operator.close();
    await server.stop();
  });
  beforeEach(async () => {
    await operator.flushAll();
    first = redisLimits.limitsOf("first")("address");
    second = redisLimits.limitsOf("second")("address");
  });

  const halts = () => store.documents("halts", parseHalt, "full", { writers: "anyone-raises" });
  const rejected = () =>
    store.documents("rejected-keys", parseRejected, "full", { writers: "anyone-raises" });
  const kindOf = async (limits: SharedLimits, more?: Partial<Departing>) =>
    (await limits.depart(reading(more))).departure.kind;

  test("shares together are the limit, also when many ask at the same moment", async () => {
    const limits = ["a", "b", "c", "d", "e"].map((token) => redisLimits.limitsOf(token)("address"));
    const look = { own: NOTHING, shares: [{ bucket: "one", limit: 35 }], demand: 1, parked: [] };
    for (let round = 0; round < 3; round++) await Promise.all(limits.map((one) => one.look(look)));
    const shares = await Promise.all(
      limits.map(async (one) => (await one.look(look)).granted.get("one") ?? 0),
    );
    assert.deepEqual(shares, [7, 7, 7, 7, 7]);
  });

  test("requests of all processes together stay within the budget, also when many leave at the same moment", async () => {
    const limits = ["a", "b", "c", "d"].map((token) => redisLimits.limitsOf(token)("address"));
    const left = await Promise.all(limits.map((one) => kindOf(one, { own: under(2), mostTogether: 6 })));
    assert.deepEqual(left.toSorted(), ["go", "go", "go", "spent"]);
    await limits[left.indexOf("go")]?.keep(NOTHING);
    assert.equal(await kindOf(limits[left.indexOf("spent")] ?? first, { own: under(2) }), "go");
  });

  test("a halt stops everybody at once; when it is over one probe goes, and clears it for all", async () => {
    assert.equal(await kindOf(second), "go");
    const told = { leftMs: 300, why: "rate-limited" as const, message: "slow down", strikes: 1 };
    await halts().set("address", told);
    const { departure, view } = await second.depart(reading({ isProbe: true }));
    assert.equal(departure.kind, "halted");
    assert.deepEqual(view.halt?.document, told);
    assert.ok((view.halt?.leftMs ?? 0) > 0 && (view.halt?.leftMs ?? 0) <= 300);
    await operator.hSet("marshal:rank:halts", "address", "1");
    assert.equal(await kindOf(second), "halted", "only a probe may go");
    assert.equal(await kindOf(first, { isProbe: true }), "go");
    assert.equal(await kindOf(second, { isProbe: true }), "halted", "one is enough");
    await first.clearHalt();
    assert.equal(await kindOf(second), "go");
    assert.equal(await halts().get("address"), undefined);
  });

  test("a probe does not clear a halt that was made longer while it was on its way", async () => {
    await halts().set("address", { leftMs: 0, why: "rate-limited", message: "", strikes: 1 });
    await operator.hSet("marshal:rank:halts", "address", "1");
    assert.equal(await kindOf(first, { isProbe: true }), "go");
    await halts().set("address", { leftMs: 60_000, why: "rate-limited", message: "", strikes: 2 });
    await first.clearHalt();
    assert.equal(await kindOf(second), "halted");
  });

  test("a key that one saw refused is known to all, until it is linked anew", async () => {
    const record = { atMs: 1, why: "no such key", parked: true };
    await rejected().set(SERVER, record);
    const { departure } = await second.depart(reading());
    assert.deepEqual(departure, { kind: "refused-key", document: record });
    assert.equal(await kindOf(second, { asksRefused: true }), "go");
    const look = { own: NOTHING, shares: [], demand: 1, parked: [SERVER, OTHER] };
    assert.deepEqual((await second.look(look)).unparked, [OTHER]);
    await rejected().delete(SERVER);
    assert.equal(await kindOf(second), "go");
  });

  test("commands of one server wait for the command of another process, and for its window", async () => {
    const command = { isCommand: true, mostTogether: 20 };
    assert.equal(await kindOf(first, command), "go");
    const waits = await second.depart(reading(command));
    assert.equal(waits.departure.kind, "command-waits");
    assert.equal(await kindOf(second), "go", "reads do not wait");
    assert.equal(await kindOf(second, { ...command, source: OTHER }), "go", "nor do other servers");
    await first.endCommand(SERVER, 60_000);
    await second.endCommand(SERVER, 0);
    assert.equal(await kindOf(second, command), "command-waits", "its window is not over");
    const state = JSON.parse((await operator.get("marshal:service-limits")) ?? "");
    state.commands[SERVER].untilMs = 0;
    await operator.set("marshal:service-limits", JSON.stringify(state));
    assert.equal(await kindOf(second, command), "go");
  });

  test("what a killed process had on its way is held, and taken over by who serves those servers", async () => {
    await first.keep({ ...under(3), refusals: [{ ageMs: 0 }] });
    assert.deepEqual((await second.takeOver(() => true)).units.open, [], "it is alive");
    const state = JSON.parse((await operator.get("marshal:service-limits")) ?? "");
    state.members.first.seenMs -= 6_000;
    await operator.set("marshal:service-limits", JSON.stringify(state));
    const { view } = await second.depart(reading({ mostTogether: 20 }));
    assert.deepEqual(
      view.others.open.map(({ isHeld }) => isHeld),
      [true, true, true],
    );
    assert.equal((await second.takeOver((source) => source === OTHER)).units.open.length, 0);
    assert.equal((await second.takeOver((source) => source === SERVER)).units.open.length, 3);
    const after = await redisLimits
      .limitsOf("third")("address")
      .depart(reading({ mostTogether: 20 }));
    assert.equal(after.view.others.refusals.length, 1, "refusals stay where they are, and count");
  });

  test("sessions begin one after the other in each slot, whoever begins them", async () => {
    assert.equal(await redisLimits.takeIdentify(0, 500_000), 0);
    const waitMs = await redisLimits.takeIdentify(0, 500_000);
    assert.ok(waitMs > 0 && waitMs <= 500_000);
    await redisLimits.extendIdentify(0, 900_000);
    assert.ok((await redisLimits.takeIdentify(0, 500_000)) > 500_000, "the extended turn");
    assert.equal(await redisLimits.takeIdentify(1, 500_000), 0);
  });

  test("while Redis is away every call rejects", async () => {
    await server.kill();
    await assert.rejects(first.depart(reading()));
    await assert.rejects(first.look({ own: NOTHING, shares: [], demand: 1, parked: [] }));
    await assert.rejects(redisLimits.takeIdentify(0, 1));
    await server.start();
    let isBack = false;
    while (!isBack) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isBack = await kindOf(first).then(
        (kind) => kind === "go",
        () => false,
      );
    }
  });
});

async function operatorOf({ url }: RedisServer) {
  const client = createClient({ url });
  client.on("error", () => undefined);
  return await client.connect();
}
