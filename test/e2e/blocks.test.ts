import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Fleet } from "../support/fleet.ts";
import { needsRedis } from "../support/redis-server.ts";
import { assertExact, MAX_CONCURRENCY, openBlocks, SHARDS } from "./blocks-fleet.ts";

describe("blocks of shards on one Redis", needsRedis(), () => {
  let fleet: Fleet;
  /** Shards in the order in which Discord let their sessions begin. */
  const begun: number[] = [];
  before(async () => {
    fleet = await openBlocks(3);
    fleet.discord.on((event) => {
      if (event.type === "gateway-connected" && !event.resumed) begun.push(event.shard[0]);
    });
    await fleet.begin();
  });
  after(() => fleet.close());
  afterEach((t) => {
    if ("passed" in t && t.passed === false) fleet.tell();
  });

  test("each process serves its own shards, one stands by, and every shard is connected once", async () => {
    const held = await fleet.holders();
    assert.deepEqual([...held.keys()].sort(), ["0-3/8", "4-7/8"]);
    const shards = fleet.discord.sessions.map(({ shard }) => shard.join("/"));
    assert.deepEqual(
      shards.toSorted(),
      Array.from({ length: 2 * SHARDS }, (_, shard) => `${shard}/8`),
    );
    fleet.run();
    await fleet.until("something to post", () => (fleet.asked.length >= 3 ? true : undefined));
    await assertExact(fleet);
  });

  test("sessions of different turns begin at once, those of one turn after each other, over all processes", () => {
    const turns = begun.map((shard) => shard % MAX_CONCURRENCY);
    assert.deepEqual(turns.slice(0, MAX_CONCURRENCY).toSorted(), [0, 1, 2, 3], begun.join(" "));
    assert.deepEqual(turns.slice(MAX_CONCURRENCY).toSorted(), [0, 1, 2, 3], begun.join(" "));
    assert.equal(fleet.discord.refusedSessions, 0);
  });

  test("a block is killed: the standby serves it, the others go on, and each entry stands once", async () => {
    fleet.run();
    const [name, killed] = [...(await fleet.holders())][0] ?? assert.fail();
    await killed.kill();
    const heir = await fleet.until("the block served again", async () => (await fleet.holders()).get(name));
    assert.notEqual(heir, killed);
    await assertExact(fleet);
    killed.start();
  });

  test("two blocks become one and two again over the same store", async () => {
    fleet.run();
    const two = [...fleet.bots];
    await Promise.all(two.map((bot) => bot.stop()));
    const [one] = await fleet.add(1, 1);
    one?.start();
    await fleet.served(1);
    assert.deepEqual([...(await fleet.holders()).keys()], ["0-7/8"]);
    await assertExact(fleet);
    fleet.run();
    await one?.kill();
    for (const bot of two) bot.start();
    await fleet.served(2);
    await assertExact(fleet);
  });
});
