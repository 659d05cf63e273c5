import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { backUpSqlite } from "../../src/store/sqlite/backup-sqlite.ts";
import { entryLinesOf } from "../support/entry-lines.ts";
import { reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("a backup that was made while the bot ran, and is put back", () => {
  let rig: E2eRig;
  let joins: Channel;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key"] });
    await rig.link();
    joins = await rig.feed("joins");
  });
  after(() => rig.close());

  const timesOf = (name: string) =>
    rig.discord
      .messages(joins)
      .flatMap(({ content }) => entryLinesOf(content))
      .filter((line) => line.includes(`**${name}** joined`)).length;

  test("loses and repeats nothing: what was posted after it was made is read in the channels", async () => {
    rig.town.join("Before");
    await rig.posted(joins, "**Before** joined");
    const backup = `${rig.storePath}.backup`;
    backUpSqlite(rig.storePath, backup);
    for (const name of ["Since1", "Since2"]) {
      rig.town.join(name);
      await rig.posted(joins, `**${name}** joined`);
    }
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
  });
});
