import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Exchange } from "../../src/sandbox/discord/types.ts";
import type { Community } from "../bench/communities.ts";
import { type Fleet, isWaiting } from "../support/fleet.ts";
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

  describe("commands of a server that communities of two blocks have linked", () => {
    const texts = () => fleet.service.counts.executions.map(({ text }) => text);
    const ask = async ({ moderator, general }: Community, text: string) =>
      await moderator.slash(general, "run command", { text });
    /** Waits until nobody of them waits any more, and holds their answers against what they should say. */
    const answered = async (asked: readonly Exchange[], says: RegExp) => {
      await fleet.until("all answered", () => asked.every((one) => !isWaiting(one)) || undefined);
      assert.deepEqual(
        asked.filter(({ text }) => !says.test(text)).map(({ text }) => text),
        [],
      );
      const { answers429, avoidable } = fleet.service.counts;
      assert.deepEqual({ answers429, avoidable }, { answers429: 0, avoidable: 0 });
    };

    test("go in turn, one in a window, and none is refused", async () => {
      const [host, guest] = fleet.neighbours;
      assert.notEqual(await fleet.holderOf(host), await fleet.holderOf(guest));
      const before = texts().length;
      const asked: Exchange[] = [];
      for (const text of [":h host 1", ":h host 2", ":h host 3"]) asked.push(await ask(host, text));
      for (const text of [":h guest 1", ":h guest 2"]) asked.push(await ask(guest, text));
      await answered(asked, /It ran/);
      const ran = texts().slice(before);
      assert.deepEqual(ran.toSorted(), [":h guest 1", ":h guest 2", ":h host 1", ":h host 2", ":h host 3"]);
      assert.deepEqual(
        ran.filter((text) => text.startsWith(":h host")),
        [":h host 1", ":h host 2", ":h host 3"],
      );
      assert.ok(ran.indexOf(":h guest 2") < ran.indexOf(":h host 3"), `in turn: ${ran.join(", ")}`);
    });

    test("a process that is killed with one under way frees them; what it sent is not sent again", async () => {
      const [host, guest] = fleet.neighbours;
      // Its answer never comes while the process lives.
      fleet.service.faults.set({ only: "commands", late: 1, lateMs: 60_000 });
      const cut = await ask(host, ":h cut off");
      await fleet.until("the command at the game", () => texts().includes(":h cut off") || undefined);
      fleet.service.faults.set({ only: "all", late: 0 });
      const killed = await fleet.holderOf(host);
      const next = await ask(guest, ":h the next one");
      await killed.kill();
      await answered([next], /It ran/);
      killed.start();
      await fleet.served();
      await answered([cut], /It may have run/);
      assert.equal(texts().filter((text) => text === ":h cut off").length, 1);
    });
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
