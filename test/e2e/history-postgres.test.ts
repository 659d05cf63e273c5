import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { type HistoryTown, KILLS_WHILE_AWAY, startHistoryTown } from "./history-town.ts";

const programs = postgresPrograms();
const skip = programs === undefined ? "this machine has no PostgreSQL" : false;

describe("a PostgreSQL that goes away under a running bot", { skip }, () => {
  let postgres: PostgresServer;
  let town: HistoryTown;
  let fromS: number;

  before(async () => {
    postgres = startPostgres(programs ?? "");
    // An address of a bot's environment names a host; the socket's folder behind it is what counts.
    town = await startHistoryTown({ historyUrl: postgres.fresh().replace("@/", "@localhost/") });
  });
  after(async () => {
    await town?.rig.close();
    postgres?.stop();
  });

  test("hurts neither feeds nor commands; what needs it says so, to people and to who runs the bot", async () => {
    const { rig, mod, busyWhileAway } = town;
    fromS = Math.floor(rig.clock.nowMs() / 1_000);
    postgres.goAway();
    await busyWhileAway();
    await mod.reads("run command", { text: ":h still here" }, /It ran/);
    assert.equal(rig.service.counts.executionsByText.get(":h still here"), 1);
    await mod.reads("player show", { player: "AnnLee" }, /In the game[\s\S]*the history does not answer/);
    await mod.reads("server at", { time: "5 min ago" }, /history cannot be read/);
    await rig.until("the line that nothing is recorded", () =>
      rig.lines.some((line) => line.includes("the history is not recorded")),
    );
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 0/m);
  });

  test("is filled from the windows by itself when it is back, and the rest is said to be missing", async () => {
    const { rig, mod, saysWhatIsMissing } = town;
    postgres.comeBack();
    await mod.comesToRead("player show", { player: "Late4" }, /1 session/);
    await saysWhatIsMissing(fromS);
    // More than the one from before, and fewer than there were: what the log still showed.
    const { text: card } = await mod.comesToRead("player show", { player: "AnnLee" }, /Kills · \d+/);
    const kills = Number(/Kills · (\d+)/.exec(card)?.[1]);
    assert.ok(kills > 1 && kills < 1 + KILLS_WHILE_AWAY, card);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 1/m);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(town.rig);
    assertWellBehaved(town.rig);
  });
});
