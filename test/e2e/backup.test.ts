import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { lastBackupMs, markBackup } from "../../src/store/sqlite/backup-mark.ts";
import { backUpSqlite } from "../../src/store/sqlite/backup-sqlite.ts";
import { entryLinesOf } from "../support/entry-lines.ts";
import { runStore } from "../support/store-tool.ts";
import { AppealsRig, MAY_TALK } from "./appeals-rig.ts";
import { labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("a backup that was made while the bot ran, and is put back", () => {
  let rig: E2eRig;
  let joins: Channel;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key"], leaps: true });
    await rig.link();
    joins = await rig.feed("joins");
  });
  after(() => rig.close());

  const timesOf = (name: string) =>
    rig.discord
      .messages(joins)
      .flatMap(({ content }) => entryLinesOf(content))
      .filter((line) => line.includes(`**${name}** joined`)).length;

  test("is shown to the operator by its age, and before that by how long there was none", async () => {
    const ageS = async () =>
      Number(/^marshal_backup_age_seconds (\d+)/m.exec(await rig.ops("/metrics"))?.[1] ?? Number.NaN);
    const none = await ageS();
    assert.ok(none >= 0 && none < 86_400, `${none} s since the store was made`);
    await rig.stop();
    rig.clock.jump(3_600_000);
    await rig.startBot();
    assert.ok((await ageS()) >= 3_600, "a restart does not make the time without one shorter");
    const { code, said } = await runStore(
      { STORE_URL: `sqlite:${rig.storePath}`, SECRET_KEY: "" },
      "backups",
      `${dirname(rig.storePath)}/backups`,
    );
    assert.equal(code, 0, said);
    assert.ok((lastBackupMs(rig.storePath) ?? 0) > 0, "by this machine's clock");
    markBackup(rig.storePath, rig.clock.nowMs() - 3 * 86_400_000);
    const old = await ageS();
    assert.ok(old >= 3 * 86_400, `${old} s`);
    // Made while this machine's clock was ahead: that must not keep the alert quiet until it has caught up.
    markBackup(rig.storePath, rig.clock.nowMs() + 9 * 86_400_000);
    assert.ok((await ageS()) >= Math.max(1, none), "as where none is known of");
  });

  test("loses and repeats nothing: what was posted after it was made is read in the channels", async () => {
    const { owner, general, guild } = rig.home;
    const evenings = guild.addChannel({ name: "evenings" });
    await reads(
      await owner.slash(general, "session setup", { channel: evenings, votes: 2 }),
      /votes are enough/,
    );
    await reads(await owner.slash(general, "session start"), /Session posted/);
    const evening = await rig.posted(evenings, "Since");
    rig.town.join("Before");
    await rig.posted(joins, "**Before** joined");
    const backup = `${rig.storePath}.backup`;
    backUpSqlite(rig.storePath, backup);
    for (const name of ["Since1", "Since2"]) {
      rig.town.join(name);
      await rig.posted(joins, `**${name}** joined`);
    }
    await reads(await owner.slash(general, "session end"), /Session over/);
    await rig.posted(evenings, "Most players");
    await rig.stop();
    for (const side of ["-wal", "-shm"]) rmSync(rig.storePath + side, { force: true });
    copyFileSync(backup, rig.storePath);

    rig.town.join("Meanwhile");
    await rig.startBot();
    rig.town.join("After");
    await rig.posted(joins, "**After** joined");
    await rig.posted(joins, "**Meanwhile** joined");
    assert.deepEqual(["Before", "Since1", "Since2", "Meanwhile", "After"].map(timesOf), [1, 1, 1, 1, 1]);
    await reads(await rig.home.member.slash(rig.home.general, "server status"), /Players/);
    await rig.until("the end of the session", () => textOf(evening).includes("Nobody knows when it ended"));
    assert.equal(
      rig.discord.messages(evenings).filter((message) => textOf(message).includes("Most players")).length,
      1,
    );
  });
});

describe("a backup in which a command waits that was run since", () => {
  let rig: E2eRig;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key"], leaps: true });
    await rig.link();
  });
  after(() => rig.close());

  const executions = () => rig.service.counts.executionsByText.get(":h welcome") ?? 0;

  test("does not run it a second time", async () => {
    const { moderator, owner, general, guild } = rig.home;
    const audited = guild.addChannel({ name: "audit" });
    await reads(await owner.slash(general, "audit channel", { channel: audited }), /audit is posted/);
    rig.town.empty();
    await rig.polled("Players");
    const asked = await moderator.slash(general, "run command", { text: ":h welcome" });
    await reads(asked, /Run when someone joins/);
    await reads(await press(moderator, asked, "Run when someone joins"), /joins/);
    const backup = `${rig.storePath}.backup`;
    backUpSqlite(rig.storePath, backup);
    rig.town.join("First");
    await rig.until("the command in the game", () => executions() === 1);
    rig.town.empty();
    await rig.polled("Players");
    await rig.stop();
    for (const side of ["-wal", "-shm"]) rmSync(rig.storePath + side, { force: true });
    copyFileSync(backup, rig.storePath);

    await rig.startBot();
    rig.town.join("Second");
    await rig.polled("Players");
    await rig.posted(audited, "run by Remote Server", "Maybe by Marshal");
    await rig.clock.sleep(60_000);
    assert.equal(executions(), 1);
    assert.ok(!rig.discord.messages(audited).some((message) => textOf(message).includes("outside Marshal")));
  });
});

describe("a backup in which an appeal is open that was accepted since", () => {
  let appeals: AppealsRig;
  before(async () => {
    appeals = await AppealsRig.start();
  });
  after(() => appeals.rig.close());

  test("lifts nothing a second time, and the card still says what became of it", async () => {
    const { rig, manager, other, staffOnly } = appeals;
    const { guild, member } = rig.home;
    guild.setBotPermissions(MAY_TALK);
    rig.town.join("Plain", 8_000_000_000);
    await rig.polled("Players");
    await appeals.setUp();
    await appeals.ran(":ban Plain spam", manager);
    const modal = (await member.click(appeals.button, "Appeal")).modal ?? assert.fail();
    const [name = "", words = ""] = modal.fields.map(({ customId }) => customId);
    await reads(await member.submit(modal, { [name]: "Plain", [words]: "It was not me at all" }), /Sent/);
    const card = await rig.posted(staffOnly, "⚖️ Appeal", "Not proven yet");
    await press(other, card, "It's their account");
    await rig.until("the button", () => labelsOf(card).includes("Accept"));
    const backup = `${rig.storePath}.backup`;
    backUpSqlite(rig.storePath, backup);
    await reads(await press(other, card, "Accept"), /It ran/);
    await rig.until("the end", () => /accepted[\s\S]*Unbanned/.test(textOf(card)));
    await rig.stop();
    const said = textOf(card);
    for (const side of ["-wal", "-shm"]) rmSync(rig.storePath + side, { force: true });
    copyFileSync(backup, rig.storePath);

    await rig.startBot();
    await rig.clock.sleep(30_000);
    assert.equal(textOf(card), said);
    assert.deepEqual(labelsOf(card), []);
    const again = await member.click(appeals.button, "Appeal");
    await reads(again, /You can appeal again in 7 days/);
    assert.equal(rig.service.counts.executionsByText.get(":unban 8000000000"), 1);
  });
});
