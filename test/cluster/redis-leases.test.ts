import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createClient } from "@redis/client";
import type { Claim, LeaseId } from "../../src/cluster/leases.ts";
import { fenceKeyOf, openRedisLeases, type RedisLeases } from "../../src/cluster/redis-leases.ts";
import { type ShardBlock, wholeBlock } from "../../src/cluster/shard-block.ts";
import { createLog } from "../../src/log.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const LEFT: ShardBlock = { ids: [0, 1], count: 4 };
const RIGHT: ShardBlock = { ids: [2, 3], count: 4 };

describe("leases in a real Redis", needsRedis(), () => {
  let server: RedisServer;
  let leases: RedisLeases;
  let operator: Awaited<ReturnType<typeof operatorOf>>;
  before(async () => {
    server = await startRedis();
    leases = await openRedisLeases(server.url, createLog({ level: "error", write: () => {} }));
    operator = await operatorOf(server);
  });
  after(async () => {
    await operator.close();
    await leases.close();
    await server.stop();
  });
  beforeEach(async () => {
    await operator.flushAll();
    await leases.claim(LEFT, "first");
    await pastTheWait();
  });

  /** The length of a lease has passed since this Redis was first seen. */
  async function pastTheWait(): Promise<void> {
    await operator.hSet("marshal:generation", "sinceMs", "0");
  }

  async function claimed(block: ShardBlock, token: string): Promise<LeaseId> {
    const claim = await leases.claim(block, token);
    assert.equal(claim.kind, "claimed");
    return { block, token, generation: claim.kind === "claimed" ? claim.generation : 0 };
  }

  const kindOf = ({ kind }: Claim) => kind;

  test("nobody claims for one lease after Redis was first seen, or seen anew", async () => {
    await operator.flushAll();
    const first = await leases.claim(LEFT, "a");
    assert.ok(first.kind === "wait" && first.forMs > 8_000 && first.forMs <= 9_000);
    await pastTheWait();
    const lease = await claimed(LEFT, "a");
    await operator.hSet("marshal:generation", "run", "another");
    assert.equal(await leases.renew(lease), "changed");
    assert.equal(kindOf(await leases.claim(RIGHT, "b")), "wait");
  });

  test("a block is claimed as a whole or not at all, and nobody of another count beside it", async () => {
    await claimed(LEFT, "a");
    assert.deepEqual(await leases.claim({ ids: [1, 2], count: 4 }, "b"), { kind: "taken" });
    assert.equal(await operator.exists("marshal:lease:4:2"), 0);
    assert.deepEqual(await leases.claim(wholeBlock(2), "b"), { kind: "other-count", count: 4 });
    await claimed(RIGHT, "b");
    assert.equal(await leases.liveCount(), 4);
    assert.equal(await operator.get(fenceKeyOf(LEFT)), "a");
    for (const key of await operator.keys("marshal:lease*")) {
      const leftMs = await operator.pTTL(key);
      assert.ok(leftMs > 0 && leftMs <= 9_000, `${key}: ${leftMs}`);
    }
  });

  test("a renewal says what became of the lease", async () => {
    const lease = await claimed(LEFT, "a");
    await operator.pExpire("marshal:lease:4:1", 1_000);
    assert.equal(await leases.renew(lease), "renewed");
    assert.ok((await operator.pTTL("marshal:lease:4:1")) > 5_000);
    await operator.set("marshal:lease:4:1", "another");
    assert.equal(await leases.renew(lease), "taken");
    await operator.del("marshal:lease:4:1");
    assert.equal(await leases.renew(lease), "gone");
  });

  test("a lease is given up by its holder alone; the count goes with the last one", async () => {
    const [left, right] = [await claimed(LEFT, "a"), await claimed(RIGHT, "b")];
    await leases.release({ ...left, token: "not mine" });
    assert.equal(await leases.renew(left), "renewed");
    await leases.release(left);
    assert.equal(await leases.liveCount(), 4);
    await leases.release(right);
    assert.equal(await leases.liveCount(), undefined);
    await claimed(wholeBlock(1), "c");
  });

  test("who gives up a lease that is long over leaves the count of those who work now", async () => {
    const old = await claimed(wholeBlock(1), "a");
    await operator.del([fenceKeyOf(old.block), "marshal:lease-count"]);
    await claimed(wholeBlock(2), "b");
    await leases.release(old);
    assert.equal(await leases.liveCount(), 2);
    assert.deepEqual(await leases.claim(wholeBlock(1), "c"), { kind: "other-count", count: 2 });
  });

  test("after a change the store of a block is in doubt until it was looked through", async () => {
    await operator.hSet("marshal:generation", "number", "2");
    const first = await leases.claim(LEFT, "a");
    assert.ok(first.kind === "claimed" && first.isStoreInDoubt);
    const lease = { block: LEFT, token: "a", generation: first.generation };
    await leases.settle({ ...lease, token: "not mine" });
    await leases.release(lease);
    const second = await leases.claim(LEFT, "b");
    assert.ok(second.kind === "claimed" && second.isStoreInDoubt);
    await leases.settle({ ...lease, token: "b" });
    await leases.release({ ...lease, token: "b" });
    const third = await leases.claim(LEFT, "c");
    assert.ok(third.kind === "claimed" && !third.isStoreInDoubt);
    for (const one of [first, second, third]) assert.ok(!one.isOlderCopy, "seconds may be gone, and no more");
  });

  test("a block knows of an older copy that was put back until it was looked through, also after a restart", async () => {
    await operator.hSet("marshal:generation", { run: "of the copy", copied: "1" });
    const restarted = async () => {
      await leases.claim(LEFT, "sees it");
      await pastTheWait();
    };
    await restarted();
    const first = await leases.claim(LEFT, "a");
    assert.ok(first.kind === "claimed" && first.isStoreInDoubt && first.isOlderCopy);
    await leases.release({ block: LEFT, token: "a", generation: first.generation });
    await operator.hSet("marshal:generation", "run", "restarted before it was looked through");
    await restarted();
    const second = await leases.claim(LEFT, "b");
    assert.ok(second.kind === "claimed" && second.isOlderCopy);
    const lease = { block: LEFT, token: "b", generation: second.generation };
    await leases.settle(lease);
    await leases.release(lease);
    const third = await leases.claim(LEFT, "c");
    assert.ok(third.kind === "claimed" && !third.isOlderCopy);
    const other = await leases.claim(RIGHT, "d");
    assert.ok(other.kind === "claimed" && other.isOlderCopy, "each block by itself");
  });

  test("a replica grants nothing", async () => {
    const lease = await claimed(LEFT, "a");
    await operator.sendCommand(["REPLICAOF", "127.0.0.1", "1"]);
    try {
      await assert.rejects(leases.renew(lease), /READONLY/);
      await assert.rejects(leases.claim(RIGHT, "b"), /READONLY/);
    } finally {
      await operator.sendCommand(["REPLICAOF", "NO", "ONE"]);
    }
  });
});

async function operatorOf(server: RedisServer) {
  const client = createClient({ url: server.url });
  client.on("error", () => {});
  return await client.connect();
}
