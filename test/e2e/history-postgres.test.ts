import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

/** Kills between two looks: less than the log shows at a time, so that feeds miss none. */
const KILLS_AT_ONCE = 60;
const LOOKS = 5;

const programs = postgresPrograms();
const skip = programs === undefined ? "this machine has no PostgreSQL" : false;

describe("a PostgreSQL that goes away under a running bot", { skip }, () => {
  let postgres: PostgresServer;
  let rig: E2eRig;
  let joins: Channel;
  let ann: PlayerRef;
  let bob: PlayerRef;
  let fromS: number;
  const mod = new Asking(() => rig);

  before(async () => {
    postgres = startPostgres(programs ?? "");
    // An address of a bot's environment names a host; the socket's folder behind it is what counts.
    rig = await E2eRig.start({ historyUrl: postgres.fresh().replace("@/", "@localhost/") });
    await rig.link();
    joins = await rig.feed("joins");
    ann = rig.town.join("AnnLee", 9_000_000_001);
    bob = rig.town.join("BobRay", 9_000_000_002);
    rig.town.kill(ann, bob);
    await rig.polled("KillLogs", "Players");
    await mod.comesToRead("player show", { player: "AnnLee" }, /Kills · 1/);
  });
  after(async () => {
    await rig?.close();
    postgres?.stop();
  });

  test("hurts neither feeds nor commands; what needs it says so, to people and to who runs the bot", async () => {
    fromS = Math.floor(rig.clock.nowMs() / 1_000);
    postgres.goAway();
    for (let look = 0; look < LOOKS; look += 1) {
      for (let kill = 0; kill < KILLS_AT_ONCE; kill += 1) rig.town.kill(ann, bob);
      rig.town.join(`Late${look}`, 9_000_000_100 + look);
      await rig.posted(joins, `Late${look}`);
      await rig.polled("KillLogs");
    }
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
    postgres.comeBack();
    await mod.comesToRead("player show", { player: "Late4" }, /1 session/);
    const told = /⚠️ From <t:(\d+):T> to <t:(\d+):T>[^\n]*(?:kills|nothing was recorded)/;
    const { text } = await mod.comesToRead("server at", { time: `<t:${fromS + 1}:T>` }, told);
    const [, gapFromS = 0, gapToS = 0] = told.exec(text) ?? [];
    assert.ok(Number(gapFromS) <= fromS && Number(gapToS) > fromS, text);
    rig.town.kill(bob, ann);
    await mod.comesToRead("player show", { player: "BobRay" }, /Kills · 1/);
    // More than the one from before, and fewer than there were: what the log still showed.
    const { text: card } = await mod.comesToRead("player show", { player: "AnnLee" }, /Kills · \d+/);
    const kills = Number(/Kills · (\d+)/.exec(card)?.[1]);
    assert.ok(kills > 1 && kills < 1 + LOOKS * KILLS_AT_ONCE, card);
    assert.match(await rig.ops("/metrics"), /^marshal_history_working 1/m);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
