import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FeedsRig, joined, withRig } from "../support/feeds-rig.ts";

const HOUR_MS = 60 * 60_000;

/** A feed that Discord refused for want of permissions, and was told of. */
async function parked(rig: FeedsRig): Promise<void> {
  await rig.add();
  await rig.poll();
  rig.channelAccess.set("channel-1", { kind: "missing", permissions: ["Send Messages"] });
  rig.sink.fault = () => "no-access";
  rig.join("A");
  await rig.pollAndFlush();
  assert.equal(await stateOf(rig), "parked");
  assert.match(rig.told[0]?.body.content ?? "", /continues by itself/);
}

const stateOf = async (rig: FeedsRig) => (await rig.wing.feeds.list("guild-1"))[0]?.state;
const open = (rig: FeedsRig) => {
  rig.sink.fault = () => undefined;
  rig.channelAccess.set("channel-1", { kind: "open" });
};

describe("a feed that has stopped for want of permissions", () => {
  test("goes on when they change, with a notice, and starts at the head", () =>
    withRig(async (rig) => {
      await parked(rig);
      open(rig);
      rig.wing.permissionsChanged("guild-1");
      rig.wing.permissionsChanged("guild-1");
      await rig.clock.advance(2_000);
      assert.equal(await stateOf(rig), "live");
      assert.equal(rig.told.length, 2, "told once that it stopped, once that it goes on");
      assert.match(rig.told[1]?.body.content ?? "", /is back/);
      await rig.pollAndFlush();
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["B"]);
    }));

  test("stays as it is while something is missing, and where another guild changes", () =>
    withRig(async (rig) => {
      await parked(rig);
      rig.wing.permissionsChanged("guild-1");
      await rig.clock.advance(2_000);
      assert.equal(await stateOf(rig), "parked");
      open(rig);
      rig.wing.permissionsChanged("guild-2");
      await rig.clock.advance(2_000);
      assert.equal(await stateOf(rig), "parked");
    }));

  test("is looked at every hour, also after a restart", () =>
    withRig(async (rig) => {
      await parked(rig);
      await rig.clock.advance(HOUR_MS);
      assert.equal(await stateOf(rig), "parked");
      await rig.crash();
      open(rig);
      await rig.clock.advance(HOUR_MS);
      assert.equal(await stateOf(rig), "live");
    }));

  test("is tried ever more rarely where it is refused although the channel looks open", () =>
    withRig(async (rig) => {
      await parked(rig);
      rig.channelAccess.set("channel-1", { kind: "open" });
      for (let hour = 0; hour < 24; hour++) {
        await rig.clock.advance(HOUR_MS);
        rig.join(`P${hour}`);
        await rig.pollAndFlush();
      }
      const stops = rig.told.filter(({ body }) => /has stopped/.test(body.content ?? "")).length;
      assert.ok(stops >= 3 && stops <= 6, `${stops} notices in a day`);
    }));

  test("waits for people where they paused or removed it, or its channel is gone", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      rig.sink.fault = () => "gone";
      rig.join("A");
      await rig.pollAndFlush();
      assert.match(rig.told[0]?.body.content ?? "", /button in `\/diagnose`/);
      open(rig);
      await rig.clock.advance(2 * HOUR_MS);
      assert.equal(await stateOf(rig), "parked");
      await rig.wing.feeds.pause("guild-1", feed.id);
      rig.wing.permissionsChanged("guild-1");
      await rig.clock.advance(2 * HOUR_MS);
      assert.equal(await stateOf(rig), "paused");
    }));
});
