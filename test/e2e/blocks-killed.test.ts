import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Fleet } from "../support/fleet.ts";
import { needsRedis } from "../support/redis-server.ts";
import { assertExact, openBlocks, SHARDS } from "./blocks-fleet.ts";

describe("a process of a block that is killed in the middle of something", needsRedis(), () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await openBlocks(4);
    await fleet.begin();
  });
  after(() => fleet.close());
  afterEach((t) => {
    if ("passed" in t && t.passed === false) fleet.tell();
  });

  test("a process is killed while its sessions begin: the next one serves its block", async () => {
    fleet.run();
    const [name, first] = [...(await fleet.holders())][0] ?? assert.fail();
    const shards = Array.from({ length: SHARDS }, (_, n) => Number.parseInt(name, 10) + n);
    // Discord takes no session of these shards: whoever claims them stands in the middle of its login.
    fleet.discord.faults.set({ shardsAway: shards });
    await first.kill();
    const second = await fleet.until("the heir's claim", async () => await fleet.claimant(name));
    await fleet.until("an identify", () => fleet.discord.unansweredSessions > 0 || undefined);
    await second.kill();
    first.start();
    fleet.discord.faults.clear();
    await fleet.until("the block served again", async () => (await fleet.holders()).get(name));
    await assertExact(fleet);
    second.start();
  });

  for (const [when, line] of [
    ["has just begun to stop", "stopping"],
    ["gives up its lease", "the lease is over"],
  ] as const)
    test(`a process is killed when it ${when}: its block is served on, and nothing is lost or repeated`, async () => {
      fleet.run();
      const [name, bot] = [...(await fleet.holders())][0] ?? assert.fail();
      const said = Promise.withResolvers<void>();
      const end = bot.onLine((text) => text.includes(`"${line}"`) && said.resolve());
      const stopped = bot.stop();
      await said.promise;
      end();
      await Promise.all([bot.kill(), stopped]);
      const heir = await fleet.until("the block served again", async () => (await fleet.holders()).get(name));
      assert.notEqual(heir, bot);
      await assertExact(fleet);
      bot.start();
    });
});
