import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isFailure } from "../../support/failures.ts";
import { CasesWorld } from "./cases-world.ts";

const ann = { name: "Ann_Lee", id: 11 };
const bob = { name: "Bob", id: 12 };

async function world(): Promise<CasesWorld> {
  const made = new CasesWorld();
  made.join(bob);
  await made.start();
  await made.look();
  await made.clock.advance(10_000);
  return made;
}

const watch = (made: CasesWorld, changes: { readonly untilMs?: number; readonly playerId?: number } = {}) =>
  made.room.watches.put({
    guildId: "g1",
    playerId: 11,
    name: "Ann_Lee",
    byId: "u1",
    atMs: made.clock.nowMs(),
    reason: "scams",
    ...changes,
  });
const alerts = (made: CasesWorld) => made.sink.messages("watches").length;

describe("a watched player who joins", () => {
  test("is told once, with the name of now, however often the window shows it", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    made.join({ ...ann, name: "Ann_New" });
    for (let look = 0; look < 3; look += 1) {
      await made.look();
      await made.clock.advance(5_000);
    }
    assert.equal(alerts(made), 1);
    assert.match(made.sink.text("watches"), /Ann\\_New.*joined.*Watched as \*\*Ann\\_Lee\*\*.*scams/s);
  });

  test("is told no more where what was kept of the guild is erased", async () => {
    const made = await world();
    await watch(made);
    made.room.onErased("g1");
    assert.deepEqual(await made.room.watches.list("g1"), []);
    await made.clock.advance(5_000);
    made.join(ann);
    await made.look();
    assert.equal(alerts(made), 0);
  });

  test("is told for each join, in the list of players or in the log, whichever shows it first", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    // The list is ahead of the log.
    made.players.push(ann);
    await made.look();
    assert.equal(alerts(made), 1);
    made.joins.push({ kind: "join", atS: made.nowS + 4, player: ann, joined: true });
    await made.clock.advance(60_000);
    await made.look();
    assert.equal(alerts(made), 1);
    made.leave(ann);
    await made.clock.advance(60_000);
    made.join(ann);
    await made.look();
    assert.equal(alerts(made), 2);
  });

  test("is told of each join, late but once, where Discord takes nothing for an hour", async () => {
    const made = await world();
    await watch(made);
    made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
    for (let join = 0; join < 2; join += 1) {
      await made.clock.advance(60_000);
      made.join(ann);
      await made.look();
      made.leave(ann);
    }
    await made.clock.advance(3_600_000);
    assert.equal(alerts(made), 0);
    made.sink.fault = () => undefined;
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 2);
    const joins = made.joins.filter(({ joined }) => joined).map(({ atS }) => atS);
    const told = made.sink.messages("watches").map(({ body }) => String(body.cards?.[0]?.description));
    for (const [at, text] of told.entries()) {
      assert.match(text, new RegExp(`joined <t:${joins.at(at - 2)}:T>.*Late: this message`, "s"));
    }
    await made.clock.advance(3_600_000);
    assert.equal(alerts(made), 2);
  });

  test("is not said to be told late where the message gets through at the second try", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    made.sink.fault = (call) => (call === "send" ? "lost" : undefined);
    made.join(ann);
    await made.look();
    made.sink.fault = () => undefined;
    await made.clock.advance(2_000);
    assert.equal(alerts(made), 1);
    assert.doesNotMatch(made.sink.text("watches"), /Late/);
    assert.deepEqual(made.watches.rows.get("g1 11")?.alerts, []);
  });

  test("who comes and goes while Discord takes nothing is told of in five messages at most, which count the rest", async () => {
    const made = await world();
    await watch(made);
    made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
    for (let join = 0; join < 8; join += 1) {
      await made.clock.advance(60_000);
      made.join(ann);
      await made.look();
      made.leave(ann);
    }
    made.sink.fault = () => undefined;
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 5);
    assert.match(made.sink.text("watches"), /3 joins before this one had no message of their own/);
  });

  test("is told no more when a day has gone by, nor is the alert kept", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
    made.join(ann);
    await made.look();
    await made.clock.advance(25 * 3_600_000);
    made.sink.fault = () => undefined;
    await made.clock.advance(3_600_000);
    assert.equal(alerts(made), 0);
    assert.deepEqual(made.watches.rows.get("g1 11")?.alerts, []);
  });

  test("is told after a watch that has ended by itself meanwhile", async () => {
    const made = await world();
    await made.clock.advance(5_000);
    await watch(made, { untilMs: made.clock.nowMs() + 60_000 });
    await made.clock.advance(5_000);
    made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
    made.join(ann);
    await made.look();
    await made.clock.advance(61_000);
    assert.deepEqual(await made.room.watches.list("g1"), []);
    made.sink.fault = () => undefined;
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 1);
    await made.room.watches.list("g1");
    assert.equal(made.watches.rows.size, 0);
  });

  test("is not new in the first list of a server that was unlinked and linked again", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    made.room.forgetServer(made.snapshot().source);
    // In the list without a row of the join log: they may have been there for hours.
    made.players.push(ann);
    await made.look();
    assert.equal(alerts(made), 0);
  });

  test("was there before the watch: nothing is told; nor after it expired or was ended", async () => {
    const made = await world();
    made.join(ann);
    await made.look();
    await made.clock.advance(5_000);
    await watch(made, { untilMs: made.clock.nowMs() + 60_000 });
    await made.look();
    assert.equal(alerts(made), 0);
    made.leave(ann);
    await made.clock.advance(61_000);
    made.join(ann);
    await made.look();
    assert.equal(alerts(made), 0);
    assert.deepEqual(await made.room.watches.list("g1"), []);
    assert.equal(made.watches.rows.size, 0);
  });

  test("is told once although the process is killed at any moment", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const made = await world();
      made.sink.nonceMemoryMs = 0;
      await watch(made);
      await made.clock.advance(5_000);
      made.join(ann);
      made.room.take(made.snapshot());
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await made.kill();
      await made.look();
      await made.clock.advance(20_000);
      assert.equal(alerts(made), 1, `after ${turns} turns`);
    }
  });

  test("is told by the process that serves the guild, not by another one on the same database", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(5_000);
    made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
    made.join(ann);
    await made.look();
    made.sink.fault = () => undefined;
    made.anothersGuild = "g1";
    await made.kill();
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 0);
    assert.deepEqual(await made.room.watches.list("g1"), []);
    made.anothersGuild = "";
    await made.kill();
    assert.equal(alerts(made), 1);
  });

  test("pings the role that was chosen and no other", async () => {
    const made = await world();
    made.settings = { ...made.settings, watchRoleId: "77" };
    await watch(made);
    await made.clock.advance(5_000);
    made.join({ ...ann, name: "<@&5> @everyone" });
    await made.look();
    assert.deepEqual(made.sink.messages("watches")[0]?.sent.pingRoleIds, ["77"]);
  });
});

describe("the watchlist", () => {
  test("survives a restart, newest first; a second watch of a player replaces the first", async () => {
    const made = await world();
    await watch(made);
    await made.clock.advance(1_000);
    await watch(made, { playerId: 15 });
    await watch(made);
    await made.kill();
    assert.deepEqual((await made.room.watches.list("g1")).map(({ playerId }) => playerId).sort(), [11, 15]);
    assert.equal((await made.room.watches.of("g1", 11))?.reason, "scams");
    assert.equal((await made.room.watches.remove("g1", 11))?.playerId, 11);
    assert.equal(await made.room.watches.remove("g1", 11), undefined);
    assert.equal(await made.room.watches.of("g2", 15), undefined);
  });

  test("takes 200 and says so beyond", async () => {
    const made = await world();
    for (let n = 0; n < 200; n += 1) await watch(made, { playerId: 100 + n });
    await assert.rejects(watch(made, { playerId: 999 }), isFailure("bad-command"));
    await watch(made, { playerId: 100 });
  });

  test("says that it cannot be read as long as the database does not answer", async () => {
    const made = new CasesWorld();
    made.watches.isDown = true;
    await made.start();
    await assert.rejects(made.room.watches.list("g1"), isFailure("store"));
    made.watches.isDown = false;
    await made.clock.advance(5_000);
    assert.deepEqual(await made.room.watches.list("g1"), []);
  });
});
