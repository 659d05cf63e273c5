import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Fleet } from "../support/fleet.ts";
import { needsRedis } from "../support/redis-server.ts";

/** Of the real clock, and only for what never comes. */
const POSTED_WITHIN_MS = 300_000;

describe("blocks of shards on one Redis", needsRedis(), () => {
  let fleet: Fleet;
  before(async () => {
    const size = { communities: 8, blocks: 2, shardsOfBlock: 2, standbys: 1 };
    fleet = await Fleet.open({ ...size, seed: 3, perMinute: 240, perSecond: 12 });
    await fleet.begin();
  });
  after(() => fleet.close());
  afterEach((t) => {
    if ("passed" in t && t.passed === false) fleet.tell();
  });

  async function assertExact(): Promise<void> {
    await fleet.rest();
    const { due, lost, repeated, gaps } = await fleet.judged(POSTED_WITHIN_MS);
    assert.ok(due > 0);
    assert.deepEqual({ lost, repeated, gaps }, { lost: [], repeated: [], gaps: [] });
    assert.deepEqual(fleet.repeatedCommands, []);
    const { answers429, avoidable, bans } = fleet.service.counts;
    assert.deepEqual({ answers429, avoidable, bans }, { answers429: 0, avoidable: 0, bans: 0 });
  }

  test("each process serves its own shards, one stands by, and every shard is connected once", async () => {
    const held = await fleet.holders();
    assert.deepEqual([...held.keys()].sort(), ["0-1/4", "2-3/4"]);
    const shards = fleet.discord.sessions.map(({ shard }) => shard.join("/"));
    assert.deepEqual(shards.toSorted(), ["0/4", "1/4", "2/4", "3/4"]);
    fleet.run();
    await fleet.until("something to post", () => (fleet.asked.length >= 3 ? true : undefined));
    await assertExact();
  });

  test("a block is killed: the standby serves it, the others go on, and each entry stands once", async () => {
    fleet.run();
    const [name, killed] = [...(await fleet.holders())][0] ?? assert.fail();
    await killed.kill();
    const heir = await fleet.until("the block served again", async () => (await fleet.holders()).get(name));
    assert.notEqual(heir, killed);
    await assertExact();
    killed.start();
  });

  test("two blocks become one and two again over the same store", async () => {
    fleet.run();
    const two = [...fleet.bots];
    await Promise.all(two.map((bot) => bot.stop()));
    const [one] = await fleet.add(1, 1);
    one?.start();
    await fleet.served(1);
    assert.deepEqual([...(await fleet.holders()).keys()], ["0-3/4"]);
    await assertExact();
    fleet.run();
    await one?.kill();
    for (const bot of two) bot.start();
    await fleet.served(2);
    await assertExact();
  });
});
