import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entryLinesOf } from "../support/entry-lines.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { gapNotices } from "./compare.ts";
import { reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

/** The record has "Name:id". */
const nameOf = (player: string) => player.split(":")[0] ?? "";

/** Minutes of the world pass in seconds. */
const SPEED = 40;

describe("what the bot cannot see or keep is said in the guild", () => {
  test("a service that is silent while its log moves on: late in the channel, then one gap, then lines again", async () => {
    const rig = await E2eRig.start({
      speed: SPEED,
      town: {
        initialPlayers: 6,
        range: { min: 6, max: 6 },
        windows: { joins: 10 },
        info: { maxPlayers: 500 },
      },
    });
    try {
      await rig.link();
      const joins = await rig.feed("joins");
      const texts = () => rig.discord.messages(joins).map(textOf);
      /** A burst of joins is folded, so its lines are looked at one by one. */
      const shown = (name: string) =>
        texts()
          .flatMap(entryLinesOf)
          .filter((line) => line.includes(`**${name}** joined`)).length;
      const joined = async (name: string) => {
        rig.town.join(name);
        await rig.until(`${name} in the channel`, () => shown(name) > 0);
      };
      // Rows fall out of the log, and it has been seen to be full.
      for (let n = 0; n < 5; n++) rig.town.join(`Before${n}`);
      await joined("Earlier");
      for (let n = 5; n < 10; n++) rig.town.join(`Before${n}`);
      await joined("Latest");
      const seenS = rig.town.record.joins.at(-1)?.atS ?? 0;

      rig.service.faults.set({ silent: 1 });
      // Each in a second of its own: of ten rows of one second nobody could say that the log goes on once one has left.
      for (let n = 0; n < 20; n++) {
        rig.town.join(`Unseen${n}`);
        await rig.clock.sleep(1_000);
      }
      const silentMs = rig.clock.nowMs();
      await rig.clock.sleep(330_000);
      await rig.posted(joins, "Late: joins and leaves fell behind at");
      assert.deepEqual(gapNotices(rig.discord, { joins }), [], "nobody knows yet");
      rig.service.faults.clear();
      const gap = await rig.posted(joins, "Gap: joins and leaves between");
      const [fromS = 0, toS = 0] = [...textOf(gap).matchAll(/<t:(\d+):T>/g)].map(([, second]) =>
        Number(second),
      );
      assert.ok(
        fromS <= seenS && toS * 1_000 >= silentMs,
        `${textOf(gap)}; the silence began at ${silentMs}`,
      );
      await joined("After");
      await rig.polled("JoinLogs");

      assert.equal(texts().filter((text) => text.includes("Gap:")).length, 1, texts().join("\n"));
      assert.equal(texts().filter((text) => text.includes("Late:")).length, 1, texts().join("\n"));
      for (const [n, { player, atS }] of rig.town.record.joins.slice(-21).entries()) {
        const name = nameOf(player);
        assert.equal(shown(name), n < 10 ? 0 : 1, `${name} of ${atS}; the log showed the last ten`);
        if (n < 10) assert.ok(fromS <= atS && atS <= toS, `${name} of ${atS} lies in the gap`);
      }
    } finally {
      await rig.close();
    }
  });

  test("a full disk: the guild is told in its notice channel; with room again what was held back comes, once", async (t) => {
    const disk = smallDisk(t, 16_384);
    if (disk === undefined) return t.skip("no disk can be mounted here");
    const rig = await E2eRig.start({ storeFolder: disk });
    try {
      await rig.link();
      const { owner, general, guild } = rig.home;
      const notices = guild.addChannel({ name: "notices" });
      await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
      const joins = await rig.feed("joins");
      rig.town.join("Before");
      await rig.posted(joins, "**Before** joined");

      const makeRoom = fillDisk(disk);
      rig.town.join("Meanwhile");
      await rig.posted(notices, "can't write to its database", "Logs and commands are paused");
      rig.town.join("Still");
      await rig.polled("JoinLogs");
      assert.match(await rig.ops("/readyz"), /^the store cannot be written: .*full/);
      makeRoom();
      await rig.posted(joins, "**Still** joined");
      await rig.posted(notices, "database works again");
      await rig.polled("JoinLogs");
      const lines = rig.discord.messages(joins).flatMap((message) => entryLinesOf(textOf(message)));
      const names = lines.map((line) => /\*\*(.+)\*\* joined/.exec(line)?.[1]);
      assert.deepEqual(names, ["Before", "Meanwhile", "Still"]);
      assert.deepEqual(gapNotices(rig.discord, { joins }), []);
      const told = rig.discord.messages(notices).map(textOf);
      assert.match(told[1] ?? "", /database works again/);
      assert.equal(told.length, 2, told.join("\n"));
    } finally {
      await rig.close();
    }
  });
});
