import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

/** Kills between two looks: less than the log shows at a time, so that feeds miss none. */
const KILLS_AT_ONCE = 60;
const LOOKS = 5;

describe("a history that fails hurts nothing else", () => {
  let rig: E2eRig;
  let joins: Channel;
  let ann: PlayerRef;
  let bob: PlayerRef;
  const mod = new Asking(() => rig);

  before(async () => {
    rig = await E2eRig.start();
    await rig.link();
    joins = await rig.feed("joins");
    ann = rig.town.join("AnnLee", 9_000_000_001);
    bob = rig.town.join("BobRay", 9_000_000_002);
    rig.town.kill(ann, bob);
    await rig.polled("KillLogs", "Players");
    await mod.comesToRead("player show", { player: "AnnLee" }, /Kills · 1/);
  });
  after(() => rig.close());

  const historyPath = () => join(dirname(rig.storePath), "history.sqlite");
  const failures = async () =>
    Number(/^marshal_history_failures_total (\d+)/m.exec(await rig.ops("/metrics"))?.[1] ?? 0);

  test("locked by another program: feeds, commands and answers go on, and the card says what is missing", async () => {
    const other = new DatabaseSync(historyPath());
    other.exec("BEGIN IMMEDIATE");
    const fromS = Math.floor(rig.clock.nowMs() / 1_000);
    for (let look = 0; look < LOOKS; look += 1) {
      for (let kill = 0; kill < KILLS_AT_ONCE; kill += 1) rig.town.kill(ann, bob);
      rig.town.join(`Late${look}`, 9_000_000_100 + look);
      await rig.posted(joins, `Late${look}`);
      await rig.polled("KillLogs");
    }
    await mod.reads("server status", {}, /BobRay|AnnLee|in the game|Players/i);
    await mod.reads("run command", { text: ":h still here" }, /It ran/);
    assert.equal(rig.service.counts.executionsByText.get(":h still here"), 1);
    await mod.reads("player show", { player: "AnnLee" }, /In the game/);
    await mod.reads(
      "case add",
      { player: "AnnLee", kind: "note", reason: "x" },
      /history cannot be|try again/i,
    );
    for (let look = 0; look < 20 && (await failures()) === 0; look += 1) await rig.clock.sleep(4_000);
    assert.ok((await failures()) > 0, "nothing failed, so nothing was tried");
    other.exec("ROLLBACK");
    other.close();

    await rig.polled("KillLogs");
    const told = /⚠️ From <t:(\d+):T> to <t:(\d+):T>[^\n]*(?:kills|nothing was recorded)/;
    const { text } = await mod.comesToRead("server at", { time: `<t:${fromS + 1}:T>` }, told);
    const [, gapFromS = 0, gapToS = 0] = told.exec(text) ?? [];
    assert.ok(Number(gapFromS) <= fromS && Number(gapToS) > fromS, text);
    // What was recorded and the gap together leave nothing unsaid: later rows are there again.
    rig.town.kill(bob, ann);
    await mod.comesToRead("player show", { player: "BobRay" }, /Kills · 1/);
  });

  test("that cannot be opened: the card of a player says so, and it goes on by itself when it is back", async () => {
    await rig.stop();
    renameSync(historyPath(), `${historyPath()}.away`);
    mkdirSync(historyPath());
    await rig.startBot();
    rig.town.join("WhileAway", 9_000_000_200);
    await rig.posted(joins, "WhileAway");
    await mod.reads("run command", { text: ":h without it" }, /It ran/);
    await mod.reads("player show", { player: "WhileAway" }, /In the game[\s\S]*the history does not answer/);
    await mod.reads("server at", { time: "5 min ago" }, /history cannot be read/);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 0/m);
    rmdirSync(historyPath());
    renameSync(`${historyPath()}.away`, historyPath());
    await mod.comesToRead("player show", { player: "WhileAway" }, /1 session/);
    await mod.comesToRead("player show", { player: "AnnLee" }, /Kills/);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 1/m);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
