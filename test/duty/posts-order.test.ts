import assert from "node:assert/strict";
import { test } from "node:test";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, START_S, snapshotOf } from "../history/rig.ts";
import { member, openDutyRig } from "./duty-rig.ts";

const mona = { name: "Mona", id: 13 };
const startS = START_S + 1_000;
const MOST_ROUNDS = 30;

onBothDatabases("the message of a shift where the database is slow", (databases) => {
  test("stands once, also when the shift is over before an earlier look at it was answered", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    await rig.addType({ name: "Posted", start: "declared", channelId: "c9" });
    const look = async (atS: number, isThere: boolean) => {
      await rig.clock.advanceTo(atS * 1_000);
      const came = [mona, startS - 50, true] as const;
      const town = isThere
        ? { joins: [came], players: [mona] }
        : { joins: [came, [mona, atS, false] as const], players: [] };
      await rig.take(snapshotOf(town, atS));
    };
    const text = async (pattern: RegExp) => {
      for (let round = 0; round < MOST_ROUNDS && !pattern.test(rig.sink.text("c9")); round++) {
        await rig.clock.advance(10_000);
        await rig.wing.duty.now(GUILD);
      }
      assert.match(rig.sink.text("c9"), pattern);
    };
    await look(startS, true);
    await rig.wing.duty.start(member("u13"), "posted");
    for (let s = 10; s <= 40; s += 10) await look(startS + s, true);
    await text(/Since/);

    const held = Promise.withResolvers<void>();
    const { rows } = rig.store;
    let isHeld = false;
    rig.store.rows = async (wanted) => {
      if (!isHeld && wanted.isOpen === true && wanted.kinds.join() === "post") {
        isHeld = true;
        await held.promise;
      }
      return await rows(wanted);
    };
    await look(startS + 60, true);
    await rig.wing.duty.end(member("u13"));
    for (const s of [120, 300, 900]) await look(startS + s, false);
    await rig.clock.advance(60_000);
    assert.ok(isHeld);
    held.resolve();
    await text(/to <t:/);
    await rig.clock.advance(60_000);
    await rig.wing.duty.now(GUILD);
    assert.equal(rig.sink.messages("c9").length, 1);
    await rig.wing.stop();
  });

  test("whose channel is closed is tried every five minutes while it goes on; the community is told once", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    await rig.addType({ name: "Posted", start: "declared", channelId: "c9" });
    let sends = 0;
    let isClosed = true;
    rig.sink.fault = (call, channelId) => {
      if (call !== "send" || channelId !== "c9" || !isClosed) return undefined;
      sends += 1;
      return "closed";
    };
    const look = async (atS: number) => {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins: [[mona, startS - 50, true]], players: [mona] }, atS));
    };
    await look(startS);
    await rig.wing.duty.start(member("u13"), "posted");
    for (let s = 30; s <= 900; s += 30) await look(startS + s);
    assert.ok(sends >= 2 && sends <= 4, String(sends));
    isClosed = false;
    for (let s = 930; s <= 1_260; s += 30) await look(startS + s);
    assert.match(rig.sink.text("c9"), /Since/);
    await rig.wing.duty.end(member("u13"));
    isClosed = true;
    await rig.wing.duty.start(member("u13"), "posted");
    for (let s = 1_290; s <= 1_500; s += 30) await look(startS + s);
    await rig.wing.duty.end(member("u13"));
    for (let s = 1_530; s <= 3_000; s += 30) await look(startS + s);
    assert.ok(sends <= 10, String(sends));
    assert.equal(rig.told.length, 2, "once each time that it closed");
    assert.deepEqual(await rig.store.rows({ guildId: GUILD, kinds: ["post"], isOpen: true }), []);
    await rig.wing.stop();
  });

  test("whose thread Discord archived meanwhile says how the shift ended once the thread is open again", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    await rig.addType({ name: "Posted", start: "declared", channelId: "c9" });
    const look = async (atS: number) => {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins: [[mona, startS - 50, true]], players: [mona] }, atS));
    };
    await look(startS);
    await rig.wing.duty.start(member("u13"), "posted");
    for (let s = 30; s <= 300; s += 30) await look(startS + s);
    assert.match(rig.sink.text("c9"), /Since/);
    rig.sink.fault = (call) => (call === "edit" ? "closed" : undefined);
    await rig.wing.duty.end(member("u13"));
    for (let s = 330; s <= 900; s += 30) await look(startS + s);
    rig.sink.fault = () => undefined;
    const open = () => rig.store.rows({ guildId: GUILD, kinds: ["post"], isOpen: true });
    // The database answers by the machine's time, in which a busy machine gets through more looks.
    for (let s = 930; s <= 7_500 && (await open()).length > 0; s += 30) await look(startS + s);
    assert.match(rig.sink.text("c9"), /to <t:/);
    assert.deepEqual(rig.told, []);
    assert.deepEqual(await open(), []);
    await rig.wing.stop();
  });
});
