import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { createClient } from "@redis/client";
import { StoreError } from "../../src/domain/failure.ts";
import type { Change, RowsChange } from "../../src/domain/ports/documents.ts";
import { createLog } from "../../src/log.ts";
import { openStore } from "../../src/store/open-store.ts";
import { settle } from "../support/clock.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { all, documentsContract, rowsContract, togetherContract } from "./contract.ts";
import { storeOnRedis } from "./redis-store.ts";

describe("the store on Redis", needsRedis(), () => {
  const redis = storeOnRedis();
  const subject = () => ({
    documents: <T>(namespace: string, parse: (value: unknown) => T) =>
      redis.store.documents(namespace, parse, "full"),
    write: (changes: readonly (Change | RowsChange)[]) => redis.store.write(changes),
    rows: <T>(table: string, parse: (value: unknown) => T) => redis.store.rows(table, parse),
  });
  documentsContract(subject);
  togetherContract(subject);
  rowsContract(subject);

  test("rejects at once while Redis is away, writes nothing later, and is back by itself", async () => {
    const documents = redis.store.documents("away", (value) => value, "full");
    await documents.set("kept", 1);
    await redis.server.kill();
    await assert.rejects(documents.get("kept"));
    await assert.rejects(documents.set("lost", 1));
    await assert.rejects(documents.delete("kept"));
    await assert.rejects(all(documents));
    await assert.rejects(redis.store.checkWritable());
    await redis.server.start();
    await untilResolves(() => redis.store.checkWritable());
    assert.equal(await documents.get("kept"), 1);
    assert.equal(await documents.get("lost"), undefined);
  });

  test("that Redis is away is one line of the log, however often it is tried again", async () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", write: (line) => void lines.push(line) });
    const store = await openStore(redis.server.url, { log });
    const said = (words: string) => lines.filter((line) => line.includes(words)).length;
    for (const times of [1, 2]) {
      await redis.server.kill();
      // In its place somebody who hangs up, and counts.
      const tried = Promise.withResolvers<void>();
      let tries = 0;
      const hangsUp = createServer((socket) => {
        socket.destroy();
        if (++tries === 3) tried.resolve();
      });
      hangsUp.listen(Number(new URL(redis.server.url).port), "127.0.0.1");
      await tried.promise;
      assert.equal(said("the connection to Redis is broken"), times);
      await new Promise((resolve) => hangsUp.close(resolve));
      await redis.server.start();
      await untilResolves(() => store.checkWritable());
      assert.equal(said("Redis is back"), times);
    }
    await store.close();
    await untilResolves(() => redis.store.checkWritable());
  });

  test("a close ends although Redis dies before it has answered, and who asked hears of it", async () => {
    const store = await openStore(redis.server.url);
    const documents = store.documents("closing", (value) => value, "full");
    await documents.set("kept", 1);
    process.kill(redis.server.pid, "SIGSTOP");
    const asked = documents.set("kept", 2);
    asked.catch(() => undefined);
    await settle();
    const closed = store.close();
    await assert.rejects(documents.set("late", 1), /closed/);
    await redis.server.kill();
    await assert.rejects(asked);
    await closed;
    await redis.server.start();
    await untilResolves(() => redis.store.checkWritable());
  });

  test("a Redis without memory is read well and not written: the probe says so", async () => {
    const operator = createClient({ url: redis.server.url });
    await operator.connect();
    try {
      const documents = redis.store.documents("memory", (value) => value, "full");
      await documents.set("kept", 1);
      await redis.store.checkWritable();
      await operator.configSet("maxmemory", "1");
      await assert.rejects(redis.store.checkWritable(), /Redis is out of memory \(OOM\)/);
      await assert.rejects(documents.set("lost", 1));
      assert.equal(await documents.get("kept"), 1);
      await operator.configSet("maxmemory", "0");
      await redis.store.checkWritable();
    } finally {
      await operator.configSet("maxmemory", "0");
      await operator.close();
    }
  });

  test("an address where nothing answers rejects in words, without the password", async () => {
    const url = new URL(redis.server.url);
    await redis.server.kill();
    try {
      await assert.rejects(
        openStore(`redis://:hunter2@${url.host}`, { waitMs: 1 }),
        (error: unknown) =>
          error instanceof StoreError &&
          error.message.includes(url.host) &&
          error.message.includes("ECONNREFUSED") &&
          !error.message.includes("hunter2"),
      );
    } finally {
      await redis.server.start();
      await untilResolves(() => redis.store.checkWritable());
    }
  });

  test("a Redis that takes the connection and says nothing is told of after the wait, without the password", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const asked = Promise.withResolvers<void>();
    const silent = createServer((socket) => socket.on("error", () => undefined).once("data", asked.resolve));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    t.after(() => silent.close());
    const address = silent.address();
    const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const refused = assert.rejects(openStore(`redis://:hunter2@${host}`, { waitMs: 5_000 }), {
      name: "StoreError",
      message: `Redis at ${host} cannot be used: nothing answers`,
    });
    await asked.promise;
    t.mock.timers.tick(5_000);
    await refused;
  });

  test("others' keys in the same Redis are neither listed nor touched", async () => {
    const foreign = createClient({ url: redis.server.url });
    await foreign.connect();
    try {
      await foreign.mSet({
        "shared::x": "theirs",
        "other:marshal:shared::x": "2",
      });
      const documents = redis.store.documents("shared", (value) => value, "full");
      await documents.set("x", "ours");
      assert.deepEqual(await all(documents), [["x", "ours"]]);
      await documents.delete("x");
      assert.equal(await foreign.get("shared::x"), "theirs");
    } finally {
      await foreign.close();
    }
  });

  test("listing a namespace looks at nothing else, and reads its documents in pages", async () => {
    const others = redis.store.documents("many", (value) => value, "full");
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => others.set(`other-${n}`, n)));
    const few = redis.store.documents("few", (value) => value, "full");
    for (let n = 0; n < 20; n++) await few.set(`few-${n}`, { n, text: "x".repeat(100) });
    const operator = await operatorOf(redis.server);
    try {
      await operator.configResetStat();
      assert.equal((await all(few)).length, 20);
      const calls = callsIn(await operator.info("commandstats"));
      assert.deepEqual(
        Object.keys(calls).filter((name) => /scan|get|keys/.test(name)),
        ["hscan"],
      );
      assert.equal(calls.hscan, 1);
    } finally {
      await operator.close();
    }
  });

  test("a replica takes no writes and says so; promoted, it is written again by itself", async () => {
    const operator = await operatorOf(redis.server);
    try {
      const documents = redis.store.documents("replica", (value) => value, "full");
      await documents.set("kept", 1);
      await operator.sendCommand(["REPLICAOF", "127.0.0.1", "1"]);
      await assert.rejects(documents.set("lost", 1), /is a read-only replica/);
      await untilResolves(() => assert.rejects(redis.store.checkWritable(), /read-only replica/));
      await operator.sendCommand(["REPLICAOF", "NO", "ONE"]);
      await untilResolves(() => redis.store.checkWritable());
      assert.equal(await documents.get("kept"), 1);
      assert.equal(await documents.get("lost"), undefined);
    } finally {
      await operator.sendCommand(["REPLICAOF", "NO", "ONE"]);
      await operator.close();
    }
  });

  test("a Redis that still loads its data is waited for, not taken for an empty one", async () => {
    const documents = redis.store.documents("loading", (value) => value, "full");
    await Promise.all(Array.from({ length: 300 }, (_, n) => documents.set(`k${n}`, { n })));
    await redis.server.kill();
    await redis.server.start({ loadsSlowly: true });
    const second = await openStore(redis.server.url);
    try {
      assert.equal((await all(second.documents("loading", (value) => value, "full"))).length, 300);
    } finally {
      await second.close();
      await untilResolves(() => redis.store.checkWritable());
    }
  });
});

describe("the form of a Redis", needsRedis(), () => {
  test("that no Marshal marked is refused where it holds documents, and left as it is", async (t) => {
    const server = await startRedis();
    t.after(() => server.stop());
    const operator = await operatorOf(server);
    t.after(() => operator.close());
    await operator.mSet({ "theirs:cards::card-1": "theirs", "marshal:bindings::g": "ours" });
    await assert.rejects(openStore(server.url), /can't update/);
    assert.deepEqual((await operator.keys("*")).sort(), ["marshal:bindings::g", "theirs:cards::card-1"]);
    await operator.del("marshal:bindings::g");
    await (await openStore(server.url)).close();
    assert.equal(await operator.get("marshal:form"), "2");
  });

  test("a store of a newer Marshal is refused and left as it is", async (t) => {
    const server = await startRedis();
    t.after(() => server.stop());
    const operator = await operatorOf(server);
    t.after(() => operator.close());
    await operator.mSet({ "marshal:form": "3", "marshal:cards::a": "1" });
    await assert.rejects(openStore(server.url), /newer Marshal/);
    assert.equal(await operator.get("marshal:cards::a"), "1");
  });
});

describe("a fence in Redis", needsRedis(), () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());

  async function fenced(token: string, generation?: number) {
    let refused = 0;
    const fence = { key: "marshal:lease:1:0", token, generation, onRefused: () => void refused++ };
    const store = await openStore(server.url, { fence });
    return { store, refused: () => refused };
  }

  test("a process whose token no longer stands under the lease reads, but neither writes nor deletes", async (t) => {
    const operator = await operatorOf(server);
    t.after(() => operator.close());
    const [one, two] = [await fenced("one"), await fenced("two")];
    t.after(() => Promise.all([one.store.close(), two.store.close()]));
    const documentsOf = ({ store }: typeof one) => store.documents("docs", (value) => value, "full");
    await operator.set("marshal:lease:1:0", "one");
    await documentsOf(one).set("a", 1);
    await operator.set("marshal:lease:1:0", "two");
    await documentsOf(two).set("a", 2);
    await assert.rejects(documentsOf(one).set("a", 3), /another process has taken over/);
    await assert.rejects(documentsOf(one).delete("a"), /another process has taken over/);
    const together = [
      { namespace: "docs", key: "b", value: 3 },
      { namespace: "docs", key: "a", deleted: true },
    ] as const;
    await assert.rejects(one.store.write(together), /another process has taken over/);
    assert.deepEqual(await all(documentsOf(one)), [["a", 2]]);
    assert.deepEqual([one.refused(), two.refused()], [3, 0]);
    await operator.del("marshal:lease:1:0");
    await assert.rejects(documentsOf(two).set("a", 4), /another process has taken over/);
  });

  test("on a Redis that was restarted or took the other's place, the token that it knows too writes nothing", async (t) => {
    const operator = await operatorOf(server);
    t.after(() => operator.close());
    const { store, refused } = await fenced("one", 3);
    t.after(() => store.close());
    const documents = store.documents("docs", (value) => value, "full");
    const run = /run_id:(\w+)/.exec(await operator.info("server"))?.[1] ?? assert.fail();
    await operator.set("marshal:lease:1:0", "one");
    await operator.hSet("marshal:generation", { run, number: "3" });
    await documents.set("b", 1);
    await operator.hSet("marshal:generation", { run: "of the one before" });
    await assert.rejects(documents.set("b", 2), /another process has taken over/);
    await operator.hSet("marshal:generation", { run, number: "4" });
    await assert.rejects(documents.delete("b"), /another process has taken over/);
    assert.equal(await documents.get("b"), 1);
    assert.equal(refused(), 2);
    await operator.del(["marshal:generation", "marshal:lease:1:0"]);
  });

  test("a halt is written by anyone, but never made shorter, and ended by the holder alone", async (t) => {
    const operator = await operatorOf(server);
    t.after(() => operator.close());
    const [holder, former] = [await fenced("holder"), await fenced("former")];
    t.after(() => Promise.all([holder.store.close(), former.store.close()]));
    await operator.set("marshal:lease:1:0", "holder");
    const haltsOf = ({ store }: typeof holder) =>
      store.documents("halts", (value) => value, "full", { writers: "anyone-raises" });
    await haltsOf(former).set("address", { leftMs: 60_000 });
    assert.deepEqual(await haltsOf(holder).get("address"), { leftMs: 60_000 });
    await haltsOf(holder).set("address", { leftMs: 90_000 });
    await haltsOf(former).set("address", { leftMs: 5_000 });
    assert.deepEqual(await haltsOf(holder).get("address"), { leftMs: 90_000 });
    await assert.rejects(haltsOf(former).delete("address"));
    await haltsOf(holder).delete("address");
    await haltsOf(former).set("address", { leftMs: 5_000 });
    assert.deepEqual(await haltsOf(holder).get("address"), { leftMs: 5_000 });
  });

  test("of two words on one key the later observed stands", async (t) => {
    const { store } = await fenced("nobody");
    t.after(() => store.close());
    const keys = store.documents("rejected", (value) => value, "full", { writers: "anyone-raises" });
    await keys.set("key", { atMs: 2_000, parked: true });
    await keys.set("key", { atMs: 1_000, parked: false });
    assert.deepEqual(await keys.get("key"), { atMs: 2_000, parked: true });
    await keys.set("key", { atMs: 2_000, parked: false });
    assert.deepEqual(await keys.get("key"), { atMs: 2_000, parked: false });
  });
});

async function operatorOf(server: RedisServer) {
  const operator = createClient({ url: server.url });
  // A server that a test kills is no reason to end the process.
  operator.on("error", () => {});
  return await operator.connect();
}

/** How often each command was called, by Redis's own count. */
function callsIn(info: string): Record<string, number> {
  const found = info.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm);
  return Object.fromEntries([...found].map(([, name, calls]) => [name, Number(calls)]));
}

/** Waits on the condition itself; each try gives the event loop its turn. */
/** For what never comes: a failover on a busy machine takes seconds. */
const RESOLVES_WITHIN_MS = 60_000;

async function untilResolves(attempt: () => Promise<unknown>): Promise<void> {
  const endMs = performance.now() + RESOLVES_WITHIN_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
