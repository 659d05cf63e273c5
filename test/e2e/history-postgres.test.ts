import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PostgresDatabases } from "../support/postgres-databases.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { type HistoryTown, startHistoryTown } from "./history-town.ts";

const programs = postgresPrograms();
const skip = programs === undefined ? "this machine has no PostgreSQL" : false;

describe("a PostgreSQL that goes away under a running bot", { skip }, () => {
  let postgres: PostgresServer;
  let town: HistoryTown;

  before(async () => {
    // Not the suite's: it goes away. Of that one it has what initdb made.
    const { initialData } = (await suitePostgres()) ?? {};
    postgres = await startPostgres(programs ?? "", { initialData });
    const databases = new PostgresDatabases(postgres.url);
    town = await startHistoryTown({ historyUrl: await databases.fresh() });
    await databases.close();
  });
  after(async () => {
    await town?.rig.close();
    await postgres?.stop();
  });

  test("hurts neither feeds nor commands; what needs it says so, to people and to who runs the bot", async () => {
    const { rig, mod, busyWhileAway } = town;
    await postgres.goAway();
    await busyWhileAway();
    await mod.reads("run command", { text: ":h still here" }, /It ran/);
    assert.equal(rig.service.counts.executionsByText.get(":h still here"), 1);
    await mod.reads("player show", { player: "AnnLee" }, /In the game[\s\S]*can't be read right now/);
    await mod.reads("server at", { time: "5 min ago" }, /history cannot be read/);
    await rig.until("the line that nothing is recorded", () =>
      rig.lines.some((line) => line.includes("the history is not recorded")),
    );
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 0/m);
  });

  test("is filled from the journal by itself when it is back, what the log shows no longer included", async () => {
    const { rig, mod, knowsAll } = town;
    await postgres.comeBack();
    await mod.comesToRead("player show", { player: "Late4" }, /1 session/);
    await knowsAll();
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 1/m);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(town.rig);
    assertWellBehaved(town.rig);
  });
});
