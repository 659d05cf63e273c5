import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceId } from "../../src/domain/model.ts";
import { FeedsRig, guildId, joined, source, withRig } from "../support/feeds-rig.ts";

const next = "source-new" as SourceId;

/** A feed that has posted A has its server's key replaced while the store fails: its move waits. */
async function moveThatWaits(rig: FeedsRig): Promise<{ readonly moved: Promise<unknown> }> {
  await rig.add({ channelId: "one" });
  await rig.poll();
  rig.join("A");
  await rig.pollAndFlush();
  rig.link("binding-1", "Town", next);
  rig.stores.heads.failure = new Error("disk full");
  const moved = rig.wing.replaced(source);
  await rig.clock.advance(30_000);
  return { moved };
}

describe("feeds of a process", () => {
  test("each feed demands exactly the lists that it reads, of its server", () =>
    withRig(async (rig) => {
      await rig.add({ kind: "joins" });
      await rig.add({ kind: "kills", filter: { teams: ["Police"] } });
      await rig.add({ kind: "emergencyCalls" });
      const lists = [...rig.demands.values()].flat().map((demand) => [demand.source, ...demand.lists]);
      assert.deepEqual(lists, [
        [source, "joinLogs"],
        [source, "killLogs", "players"],
        [source, "emergencyCalls", "players"],
      ]);
    }));

  test("two servers that get the same new key one after the other both take their feeds along", () =>
    withRig(async (rig) => {
      rig.link("binding-2", "Town", source);
      await rig.add({ channelId: "one" });
      await rig.add({ channelId: "two", bindingId: "binding-2" });
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      rig.link("binding-1", "Town", next);
      await rig.wing.replaced(source);
      assert.deepEqual(
        rig.wing.feeds.status("none"),
        { undelivered: 0 },
        "a feed that is not there has nothing to post",
      );
      rig.join("B");
      rig.link("binding-2", "Town", next);
      await rig.wing.replaced(source);
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig, "one"), ["A", "B"]);
      assert.deepEqual(joined(rig, "two"), ["A", "B"]);
    }));

  test("a store that fails while a key is replaced delays the move and loses nothing", () =>
    withRig(async (rig) => {
      const { moved } = await moveThatWaits(rig);
      rig.stores.heads.failure = undefined;
      await rig.clock.advance(60_000);
      await moved;
      rig.join("B");
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig, "one"), ["A", "B"]);
    }));

  test("a feed that was saved and could not be opened says so and is opened as soon as the store can", () =>
    withRig(async (rig) => {
      rig.stores.offsets.failure = new Error("disk full");
      const feed = await rig.add();
      assert.equal(rig.wing.feeds.status(feed.id).waitsForStore, true);
      await rig.clock.advance(30_000);
      assert.equal(rig.wing.feeds.status(feed.id).waitsForStore, true);
      assert.equal(rig.demands.size, 0);
      rig.stores.offsets.failure = undefined;
      await rig.clock.advance(60_000);
      assert.deepEqual(rig.wing.feeds.status(feed.id), { undelivered: 0, waitsForFirstLook: true });
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "channel-1"), ["A"]);
      assert.ok(rig.warnings.length > 0);
    }));

  test("a feed that was resumed and could not be opened is opened as soon as the store can", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      await rig.wing.feeds.pause(guildId, feed.id);
      rig.stores.heads.failure = new Error("disk full");
      await rig.wing.feeds.resume(guildId, feed.id);
      assert.equal(rig.wing.feeds.status(feed.id).waitsForStore, true);
      rig.stores.heads.failure = undefined;
      await rig.clock.advance(60_000);
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "channel-1"), ["A"]);
    }));

  test("a feed whose removal or pause the store refused stays live, where it was", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      for (const [change, name] of [
        [() => rig.wing.feeds.remove(guildId, feed.id), "A"],
        [() => rig.wing.feeds.pause(guildId, feed.id), "B"],
      ] as const) {
        rig.stores.feeds.refuseWrites = new Error("disk full");
        await assert.rejects(change(), /disk full/);
        rig.stores.feeds.refuseWrites = undefined;
        await rig.clock.advance(60_000);
        await rig.poll();
        rig.join(name);
        await rig.pollAndFlush();
      }
      assert.deepEqual(joined(rig, "channel-1"), ["A", "B"]);
      assert.deepEqual(rig.wing.feeds.status(feed.id), { undelivered: 0 });
    }));

  test("a pause that the store refused loses nothing that happened until then", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      rig.stores.feeds.refuseWrites = new Error("disk full");
      await assert.rejects(rig.wing.feeds.pause(guildId, feed.id), /disk full/);
      rig.join("A");
      await rig.poll();
      rig.stores.feeds.refuseWrites = undefined;
      await rig.clock.advance(60_000);
      assert.deepEqual(joined(rig, "channel-1"), ["A"]);
    }));

  test("a feed that the store took though it said that it did not is found and opened", () =>
    withRig(async (rig) => {
      const save = rig.stores.feeds.set.bind(rig.stores.feeds);
      rig.stores.feeds.set = async (key, value) => {
        await save(key, value);
        throw new Error("no answer");
      };
      await assert.rejects(rig.add(), /no answer/);
      rig.stores.feeds.set = save;
      await rig.clock.advance(60_000);
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "channel-1"), ["A"]);
    }));

  test("a feed that could not be parked to the end runs again once it is resumed", () =>
    withRig(async (rig) => {
      const feed = await rig.add({ kind: "modCalls" });
      await rig.poll();
      rig.sink.fault = () => "gone";
      rig.stores.offsets.refuseWrites = new Error("disk full");
      rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "C", id: 3 } });
      await rig.pollAndFlush();
      rig.stores.offsets.refuseWrites = undefined;
      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      await rig.wing.feeds.resume(guildId, feed.id);
      await rig.poll();
      rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "D", id: 4 } });
      await rig.pollAndFlush();
      assert.match(rig.sink.text("channel-1"), /D/);
    }));

  test("a process that stops while a move waits for the store ends, and the next one moves and loses nothing", () =>
    withRig(async (rig) => {
      const { moved } = await moveThatWaits(rig);
      await rig.stop();
      await moved;
      rig.stores.heads.failure = undefined;
      rig.join("B");
      await rig.restart();
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig, "one"), ["A", "B"]);
    }));

  test("a guild that keeps the revoked key stays with it", () =>
    withRig(async (rig) => {
      rig.link("binding-2", "Town", source);
      await rig.add({ channelId: "one" });
      await rig.add({ channelId: "two", bindingId: "binding-2" });
      await rig.poll();
      rig.link("binding-1", "Town", next);
      await rig.wing.replaced(source);
      const sources = [...rig.demands.values()].flat().map((demand) => demand.source);
      assert.deepEqual(sources.sort(), [source, next].sort());
      rig.join("A");
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig, "one"), ["A"]);
      assert.deepEqual(joined(rig, "two"), []);
    }));

  test("feeds of a server that was unlinked while the process was down go at the next start", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.bindings.delete("binding-1");
      await rig.crash();
      assert.deepEqual(await rig.wing.feeds.list(guildId), []);
      assert.deepEqual(rig.stores.offsets.keys, []);
    }));

  test("unlinking one server leaves the feeds of the other", () =>
    withRig(async (rig) => {
      rig.link("binding-2", "Other", next);
      await rig.add({ channelId: "one" });
      await rig.add({ channelId: "two", bindingId: "binding-2" });
      const gone = rig.bindings.get("binding-1");
      assert.ok(gone !== undefined);
      await rig.wing.unlinked(gone);
      assert.deepEqual(
        (await rig.wing.feeds.list(guildId)).map((feed) => feed.channelId),
        ["two"],
      );
      assert.equal(rig.demands.size, 1);
    }));

  test("a server that is not linked gets no feed", () =>
    withRig(async (rig) => {
      await assert.rejects(rig.add({ bindingId: "none" }), { code: "not-linked" });
      assert.deepEqual(await rig.wing.feeds.list(guildId), []);
    }));

  test("paused and resumed within the minutes that Discord remembers nonces: the next entry is posted", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      await rig.wing.feeds.pause(guildId, feed.id);
      await rig.wing.feeds.resume(guildId, feed.id);
      await rig.pollAndFlush();
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "channel-1"), ["A", "B"]);
    }));

  test("a record that a power cut set back makes no nonce twice: nothing is swallowed, nothing repeated", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      const before = await rig.stores.offsets.get(feed.id);
      assert.ok(before !== undefined);
      rig.join("A");
      await rig.pollAndFlush(3_000);
      // The journal of A and the offset are as they were before A was acknowledged.
      await rig.stores.offsets.set(feed.id, before);
      await rig.crash();
      await rig.poll();
      await rig.clock.advance(10_000);
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "channel-1"), ["A", "B"]);
    }));

  test("nothing goes on after a stop: no timer is left, whatever was going on", async () => {
    const rig = await new FeedsRig().start();
    await rig.add();
    await rig.add({ kind: "modCalls", channelId: "mods", pingRoleId: "7", escalateAfterMs: 600_000 });
    await rig.poll();
    rig.sink.fault = () => "unknown";
    rig.join("A");
    rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "C", id: 3 } });
    await rig.pollAndFlush();
    assert.ok(rig.clock.pending > 0);
    await rig.stop();
    assert.equal(rig.clock.pending, 0);
  });

  test("the metrics tell how late each kind of feed is, and how long the oldest entry waits", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = () => "unknown";
      rig.join("A");
      await rig.clock.advance(4_000);
      await rig.pollAndFlush(20_000);
      const { live, undelivered, oldestWaitMs, late } = await rig.wing.counts();
      assert.deepEqual([live, undelivered, oldestWaitMs, late], [1, 1, 20_000, 0]);

      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      const { oldestWaitMs: nothing } = await rig.wing.counts();
      assert.equal(nothing, 0);
      const [delay] = rig.observed;
      assert.deepEqual([delay?.name, delay?.kind], ["marshal_feed_delay_seconds", "joins"]);
      assert.ok((delay?.value ?? 0) >= 24);
    }));

  test("state tells what waits, without names of players or keys", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = () => "unknown";
      rig.join("Secret_Name");
      await rig.pollAndFlush();
      const state = await rig.wing.state();
      assert.equal(state.undelivered, 1);
      assert.equal(state.waiting[0]?.channelId, "channel-1");
      assert.ok(!JSON.stringify(state).includes("Secret_Name"));

      rig.sink.fault = () => undefined;
      await rig.clock.advance(60_000);
      const { undelivered, waiting, live } = await rig.wing.state();
      assert.deepEqual([undelivered, waiting, live], [0, [], 1]);
    }));
});
