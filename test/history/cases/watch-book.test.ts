import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openContext } from "../../../src/history/queries/context.ts";
import { all, put } from "../../../src/history/queries/watches.ts";
import { isFailure } from "../../support/failures.ts";
import { onBothDatabases } from "../databases.ts";
import { CasesWorld } from "./cases-world.ts";

const ann = { name: "Ann_Lee", id: 11 };
const bob = { name: "Bob", id: 12 };

async function world(serviceAheadS = 0): Promise<CasesWorld> {
  const made = new CasesWorld();
  made.serviceAheadS = serviceAheadS;
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
/** A world whose watch of Ann is a few seconds old. */
async function watching(): Promise<CasesWorld> {
  const made = await world();
  await watch(made);
  await made.clock.advance(5_000);
  return made;
}

/** Discord answers no message, so that nobody knows whether it took it. */
function takesNothing(made: CasesWorld): void {
  made.sink.fault = (call) => (call === "send" ? "unknown" : undefined);
}
const alerts = (made: CasesWorld) => made.sink.messages("watches").length;

describe("the alert of a watched player who joins", () => {
  test("is posted once, with the present name, however often the window shows the join", async () => {
    const made = await watching();
    made.join({ ...ann, name: "Ann_New" });
    for (let look = 0; look < 3; look += 1) {
      await made.look();
      await made.clock.advance(5_000);
    }
    assert.equal(alerts(made), 1);
    assert.match(made.sink.text("watches"), /Ann\\_New.*joined.*Watched as \*\*Ann\\_Lee\*\*.*scams/s);
  });

  test("is not posted any more after what was kept of the guild is erased", async () => {
    const made = await world();
    await watch(made);
    made.room.onErased("g1");
    assert.deepEqual(await made.room.watches.list("g1"), []);
    await made.clock.advance(5_000);
    made.join(ann);
    await made.look();
    assert.equal(alerts(made), 0);
  });

  test("is posted for each join, by the list of players or the log, whichever shows it first", async () => {
    const made = await watching();
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

  for (const serviceAheadS of [-200, 200]) {
    test(`is posted once for each join after the watch began, also with a clock of the host that is ${-serviceAheadS} s off`, async () => {
      const made = await world(serviceAheadS);
      made.join(ann);
      await made.clock.advance(20_000);
      await watch(made);
      await made.look();
      assert.equal(alerts(made), 0, "they came before");
      made.leave(ann);
      await made.clock.advance(10_000);
      await made.look();
      await made.clock.advance(10_000);
      // The list is ahead of the log.
      made.players.push(ann);
      await made.look();
      made.joins.push({ kind: "join", atS: made.nowS + serviceAheadS, player: ann, joined: true });
      await made.clock.advance(10_000);
      await made.look();
      assert.equal(alerts(made), 1);
    });
  }

  for (const minutes of [4, 9, 60])
    test(`is posted for each join, once, also after one answer of the service that was dated ${minutes} minutes ahead`, async () => {
      const made = await watching();
      made.serviceAheadS = minutes * 60;
      // The list is ahead of the log.
      made.players.push(ann);
      await made.look();
      made.serviceAheadS = 0;
      made.joins.push({ kind: "join", atS: made.nowS, player: ann, joined: true });
      await made.clock.advance(5_000);
      await made.look();
      assert.equal(alerts(made), 1);
      for (const joins of [2, 3]) {
        made.leave(ann);
        await made.clock.advance(60_000);
        await made.look();
        await made.clock.advance(60_000);
        made.join(ann);
        await made.look();
        assert.equal(alerts(made), joins);
      }
    });

  test("is posted once for each join, late, where Discord takes nothing for an hour", async () => {
    const made = await world();
    await watch(made);
    takesNothing(made);
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
      assert.match(
        text,
        new RegExp(`joined <t:${joins.at(at - 2)}:T>.*Late: this could not be posted earlier`, "s"),
      );
    }
    await made.clock.advance(3_600_000);
    assert.equal(alerts(made), 2);
  });

  test("is not called late where the message gets through at the second try", async () => {
    const made = await watching();
    made.sink.fault = (call) => (call === "send" ? "lost" : undefined);
    made.join(ann);
    await made.look();
    made.sink.fault = () => undefined;
    await made.clock.advance(2_000);
    assert.equal(alerts(made), 1);
    assert.doesNotMatch(made.sink.text("watches"), /Late/);
    assert.deepEqual(made.watches.rows.get("g1 11")?.alerts, []);
  });

  test("has five messages at most, which count the rest, for joins while Discord takes nothing", async () => {
    const made = await world();
    await watch(made);
    takesNothing(made);
    for (let join = 0; join < 8; join += 1) {
      await made.clock.advance(60_000);
      made.join(ann);
      await made.look();
      made.leave(ann);
    }
    made.sink.fault = () => undefined;
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 5);
    assert.match(made.sink.text("watches"), /3 joins before this one were not posted/);
  });

  for (const hours of [0.13, 1, 7]) {
    test(`stands once where Discord was away for ${hours} hours, and pings nobody when that is of no use`, async () => {
      const made = await world();
      made.settings = { ...made.settings, watchRoleId: "77" };
      await watch(made);
      await made.clock.advance(5_000);
      made.sink.fault = () => "unknown";
      made.join(ann);
      await made.look();
      await made.clock.advance(hours * 3_600_000);
      made.sink.fault = () => undefined;
      await made.clock.advance(120_000);
      const [message, ...more] = made.sink.messages("watches");
      assert.deepEqual(more, []);
      assert.match(made.sink.text("watches"), /Late/);
      assert.deepEqual(message?.sent.pingRoleIds ?? [], hours > 6 ? [] : ["77"]);
    });
  }

  test("is posted without the words that Discord refuses, and nobody is told of a closed channel", async () => {
    const made = await watching();
    made.sink.fault = (_, __, body) => (JSON.stringify(body ?? {}).includes("Ann") ? "form" : undefined);
    made.join(ann);
    await made.look();
    assert.match(made.sink.text("watches"), /Player 11\b[\s\S]*Discord refuses/);
    assert.deepEqual([alerts(made), made.told], [1, []]);
    await made.clock.advance(600_000);
    assert.equal(alerts(made), 1);
  });

  for (const refusal of ["rejected", "edit-limit"] as const) {
    test(`is posted where Discord only wants to be asked again (${refusal}), and nobody is told of a closed channel`, async () => {
      const made = await watching();
      made.sink.fault = () => refusal;
      made.join(ann);
      await made.look();
      made.sink.fault = () => undefined;
      await made.clock.advance(600_000);
      assert.equal(alerts(made), 1);
      assert.deepEqual(made.told, []);
    });
  }

  test("is neither posted nor kept when a day has gone by", async () => {
    const made = await watching();
    takesNothing(made);
    made.join(ann);
    await made.look();
    await made.clock.advance(25 * 3_600_000);
    made.sink.fault = () => undefined;
    await made.clock.advance(3_600_000);
    assert.equal(alerts(made), 0);
    assert.deepEqual(made.watches.rows.get("g1 11")?.alerts, []);
  });

  test("is posted although its watch ran out before Discord took the message", async () => {
    const made = await world();
    await made.clock.advance(5_000);
    await watch(made, { untilMs: made.clock.nowMs() + 60_000 });
    await made.clock.advance(5_000);
    takesNothing(made);
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

  test("does not come from the first list of a server that was unlinked and linked again", async () => {
    const made = await watching();
    made.room.forgetServer(made.snapshot().source);
    // In the list without a row of the join log: they may have been there for hours.
    made.players.push(ann);
    await made.look();
    assert.equal(alerts(made), 0);
  });

  test("is not posted for a player who was there before the watch, nor after the watch expired or was ended", async () => {
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

  test("is posted once although the process is killed at any moment", async () => {
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

  test("is posted by the process that serves the guild, not by another one on the same database", async () => {
    const made = await watching();
    takesNothing(made);
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

  test("comes once the database is back, also where the log shows the join no more and its player is gone", async () => {
    const made = await watching();
    made.watches.isDown = true;
    made.join(ann);
    await made.look();
    // Others come and go meanwhile: what fails is not this join.
    for (let other = 20; other < 40; other += 1) {
      await made.clock.advance(60_000);
      made.joins = [];
      made.players = [bob];
      made.join({ name: `P${other}`, id: other });
      await made.look();
    }
    made.watches.isDown = false;
    for (let look = 0; look < 2; look += 1) await made.look();
    assert.equal(alerts(made), 1);
    assert.match(made.sink.text("watches"), /Ann\\_Lee/);
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

onBothDatabases("watches of which one cannot be read", (databases) => {
  test("are told all the same: the odd one is left out, counted and logged", async () => {
    const { db } = await databases.open();
    const context = await openContext({ db }, new Uint8Array(32));
    const row = (guildId: string, playerId: number) => ({
      watch: { guildId, playerId, name: "Ann", byId: "u1", atMs: 5 },
      toldS: {},
    });
    await put(context, { row: row("g1", 11) });
    for (const [guildId, body] of Object.entries({ g2: "{", g3: "{}", g4: '{"watch":5,"toldS":{}}' })) {
      await db.insertInto("watches").values({ guild_id: guildId, player_id: 7, body }).execute();
    }
    const stored = await all(context, {});
    assert.deepEqual(stored, { rows: [row("g1", 11)], unreadable: 3 });

    const made = new CasesWorld();
    made.watches.all = async () => stored;
    await made.start();
    assert.deepEqual(
      (await made.room.watches.list("g1")).map(({ playerId }) => playerId),
      [11],
    );
    assert.deepEqual(made.reported, ["3 watches"]);
  });

  test("a defect in what reads them is reported once, and cases go on", async () => {
    const made = new CasesWorld();
    made.watches.all = async () => {
      throw new TypeError("unexpected");
    };
    await made.start();
    await made.clock.advance(600_000);
    assert.deepEqual(made.reported, ["the watchlists could not be read"]);
  });
});
