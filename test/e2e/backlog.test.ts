import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { assertFitsDescription, assertWellBehaved } from "./checks.ts";
import { textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

const backlog = 2_100;

describe("a backlog past what a channel can be asked to read", () => {
  let rig: E2eRig;
  let kills: Channel;
  before(async () => {
    const windows = { kills: 3_000 };
    rig = await E2eRig.start({
      keys: ["alpha-first-key"],
      town: { initialPlayers: 2, range: { min: 2, max: 2 }, windows },
    });
    await rig.link();
    kills = await rig.feed("kills");
  });
  after(() => rig.close());

  test("comes as one message with every entry in its file, and lines go on after it", async () => {
    const [killer, killed] = [rig.town.join("Hunter"), rig.town.join("Hunted")];
    rig.discord.faults.set({ outage: "5xx" });
    for (let count = 0; count < backlog; count++) rig.town.kill(killer, killed);
    await rig.polled("KillLogs");
    rig.discord.faults.clear();
    const digest = await rig.posted(kills, "2,100");
    const [file] = digest.attachments;
    assert.ok(file !== undefined, `no file with: ${textOf(digest)}`);
    const rows = new TextDecoder().decode(file.bytes).split("\n");
    assert.equal(rows.filter((row) => /\tHunter \(\d+\)\tkilled\tHunted /.test(row)).length, backlog);
    rig.town.kill(killed, killer);
    await rig.posted(kills, "**Hunted** killed **Hunter**");
    const said = rig.discord.messages(kills).filter((message) => textOf(message).includes("2,100"));
    assert.equal(said.length, 1, "the backlog is told once");
    const lines = rig.discord.messages(kills).flatMap(({ content }) => content.split("\n"));

    assert.equal(
      lines.filter((line) => line.includes("**Hunter** killed")).length,
      0,
      "and not as lines too",
    );
  });

  test("what was sent and answered fits Discord's description", (t) => assertFitsDescription(rig, t));

  test("nothing was sent during a wait", () => assertWellBehaved(rig));
});
