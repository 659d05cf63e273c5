import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { type HistoryTown, startHistoryTown } from "./history-town.ts";

describe("a history that fails hurts nothing else", () => {
  let town: HistoryTown;

  before(async () => {
    town = await startHistoryTown();
  });
  after(() => town?.rig.close());

  const historyPath = () => join(dirname(town.rig.storePath), "history.sqlite");
  const failures = async () =>
    Number(/^marshal_history_failures_total (\d+)/m.exec(await town.rig.ops("/metrics"))?.[1] ?? 0);

  test("locked by another program: feeds, commands and answers go on, and nothing is missing afterwards", async () => {
    const { rig, mod, busyWhileAway, knowsAll } = town;
    const other = new DatabaseSync(historyPath());
    other.exec("BEGIN IMMEDIATE");
    await busyWhileAway();
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
    await knowsAll();
  });

  test("that cannot be opened: the card of a player says so, and it goes on by itself when it is back", async () => {
    const { rig, joins, mod } = town;
    await rig.stop();
    renameSync(historyPath(), `${historyPath()}.away`);
    mkdirSync(historyPath());
    await rig.startBot();
    rig.town.join("WhileAway", 9_000_000_200);
    await rig.posted(joins, "WhileAway");
    await mod.reads("run command", { text: ":h without it" }, /It ran/);
    await mod.reads("player show", { player: "WhileAway" }, /In the game[\s\S]*can't be read right now/);
    await mod.reads("server at", { time: "5 min ago" }, /history cannot be read/);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 0/m);
    rmdirSync(historyPath());
    renameSync(`${historyPath()}.away`, historyPath());
    await mod.comesToRead("player show", { player: "WhileAway" }, /1 session/);
    await mod.comesToRead("player show", { player: "AnnLee" }, /Kills/);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 1/m);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(town.rig);
    assertWellBehaved(town.rig);
  });
});
