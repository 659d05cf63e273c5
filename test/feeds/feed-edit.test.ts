import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Feed } from "../../src/domain/guild.ts";
import { type FeedsRig, guildId, joined, withRig } from "../support/feeds-rig.ts";

const into = (channelId: string) => (feed: Feed) => ({ ...feed, channelId });

/** A feed that has posted A. */
async function posting(rig: FeedsRig): Promise<Feed> {
  const feed = await rig.add({ channelId: "one" });
  await rig.poll();
  rig.join("A");
  await rig.pollAndFlush();
  assert.deepEqual(joined(rig, "one"), ["A"]);
  return feed;
}

describe("a feed that is changed where it is", () => {
  test("what waits goes to the new channel, once; what was posted stays as it is", () =>
    withRig(async (rig) => {
      const feed = await posting(rig);
      rig.join("B");
      await rig.poll();
      await rig.wing.feeds.edit(guildId, feed.id, into("two"));
      rig.join("C");
      await rig.pollAndFlush();
      assert.deepEqual([joined(rig, "one"), joined(rig, "two")], [["A"], ["B", "C"]]);
      await rig.restart();
      rig.join("D");
      await rig.pollAndFlush();
      assert.deepEqual([joined(rig, "one"), joined(rig, "two")], [["A"], ["B", "C", "D"]]);
      assert.deepEqual(
        (await rig.wing.feeds.list(guildId)).map(({ id, createdAtMs }) => [id, createdAtMs]),
        [[feed.id, feed.createdAtMs]],
      );
    }));

  test("a filter holds for what has not been posted yet, and nothing comes twice", () =>
    withRig(async (rig) => {
      const feed = await posting(rig);
      rig.join("B");
      await rig.poll();
      await rig.wing.feeds.edit(guildId, feed.id, (one) => ({ ...one, filter: { players: ["c"] } }));
      rig.join("C");
      await rig.pollAndFlush();
      await rig.wing.feeds.edit(guildId, feed.id, (one) => ({ ...one, filter: {} }));
      rig.join("D");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "one"), ["A", "C", "D"]);
    }));

  test("while nobody knows whether a message arrived its feed stays in its channel, and loses nothing", () =>
    withRig(async (rig) => {
      const feed = await posting(rig);
      rig.sink.fault = (call) => (call === "send" ? "lost" : call === "readBack" ? "unknown" : undefined);
      rig.join("B");
      await rig.pollAndFlush();
      const edit = rig.wing.feeds.edit(guildId, feed.id, into("two"));
      const refused = assert.rejects(edit, /Try again in a minute/);
      await rig.clock.advance(60_000);
      await refused;
      rig.sink.fault = () => undefined;
      await rig.calmDown();
      assert.deepEqual(joined(rig, "one"), ["A", "B"]);
      await rig.wing.feeds.edit(guildId, feed.id, into("two"));
      rig.join("C");
      await rig.pollAndFlush();
      assert.deepEqual([joined(rig, "one"), joined(rig, "two")], [["A", "B"], ["C"]]);
    }));

  test("an edit that the store refused leaves the feed as it was, where it was", () =>
    withRig(async (rig) => {
      const feed = await posting(rig);
      rig.stores.feeds.refuseWrites = new Error("disk full");
      await assert.rejects(rig.wing.feeds.edit(guildId, feed.id, into("two")), /disk full/);
      rig.join("B");
      await rig.poll();
      rig.stores.feeds.refuseWrites = undefined;
      await rig.clock.advance(60_000);
      assert.deepEqual([joined(rig, "one"), joined(rig, "two")], [["A", "B"], []]);
    }));

  test("a stopped feed posts again in another channel, from now on; a paused one stays paused", () =>
    withRig(async (rig) => {
      const feed = await posting(rig);
      rig.sink.fault = (_, channelId) => (channelId === "one" ? "gone" : undefined);
      rig.join("B");
      await rig.pollAndFlush();
      assert.equal((await rig.wing.feeds.list(guildId))[0]?.state, "parked");
      const moved = await rig.wing.feeds.edit(guildId, feed.id, into("two"));
      assert.deepEqual([moved?.state, moved?.parkedWhy], ["live", undefined]);
      await rig.poll();
      rig.join("C");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "two"), ["C"]);

      await rig.wing.feeds.pause(guildId, feed.id);
      assert.equal((await rig.wing.feeds.edit(guildId, feed.id, into("three")))?.state, "paused");
      rig.join("D");
      await rig.pollAndFlush();
      assert.deepEqual([joined(rig, "two"), joined(rig, "three")], [["C"], []]);
    }));
});
