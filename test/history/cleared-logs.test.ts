import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "../../src/history/queries/server-stats.ts";
import { staff } from "../../src/history/queries/staff-stats.ts";
import { VirtualClock } from "../support/clock.ts";
import { journalTexts, memoryJournal } from "../support/memory-journal.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, openRig, SOURCE, START_S, type Town } from "./rig.ts";

const at = (s: number) => START_S + s;

onBothDatabases("logs that the game server's start has cleared", (databases) => {
  test("leave a time of which rows may be missing, also where nothing has happened since", async () => {
    const { see, context } = await openRig(databases);
    const came = [bob, at(10), true] as const;
    const kills = [1, 2, 3].map((n) => [bob, ann, at(40 + n)] as const);
    await see({ joins: [came], kills, players: [bob, ann] }, at(60));
    // While nobody looked the game server started anew, with all that happened before.
    const back = [ann, at(3_500), true] as const;
    await see({ joins: [back], players: [ann] }, at(3_600));
    await see({ joins: [back, [bob, at(3_605), true]], players: [ann, bob] }, at(3_610));
    await see({ joins: [back, [bob, at(3_605), true]], players: [ann, bob] }, at(3_620));
    const gaps = await context.db.selectFrom("gaps").select(["log", "from_s", "to_s"]).execute();
    const told = gaps.map(({ log, from_s, to_s }) => `${log} ${from_s - START_S} ${to_s - START_S}`).sort();
    assert.deepEqual(told, ["joins 0 3560", "kills 0 3560"]);
    const asked = { guildId: GUILD, bindingId: BINDING, fromS: at(1_000), toS: at(3_000), zone: "UTC" };
    assert.equal((await server(context, asked)).unrecordedS, 2_000);
  });

  test("are missing from the last look on to the first that shows the new ones, as the channels say, however often that is read", async () => {
    const clock = new VirtualClock();
    const texts = journalTexts();
    const journal = memoryJournal({ clock, texts });
    const url = await databases.fresh();
    const { see, context } = await openRig(databases, url, journal);
    const before: Town = {
      joins: [
        [bob, at(200), true],
        [ann, at(500), true],
      ],
      kills: [[bob, ann, at(300)]],
      modCalls: [[ann, at(210)]],
      commands: [[ann, ":h hello", at(250)]],
      players: [ann, bob],
    };
    await see({ ...before, joins: before.joins?.slice(0, 1) ?? [] }, at(310));
    await see(before, at(501));
    await see({}, at(508));
    const back = [1, 2, 3].map((n) => [{ name: `P${n}`, id: 20 + n }, at(510 + n), true] as const);
    for (const n of [1, 2, 3]) await see({ joins: back.slice(0, n), players: [bob] }, at(511 + n));
    const kills = [[bob, ann, at(600)]] as const;
    await see({ joins: back, kills, players: [bob] }, at(601));
    const told: string[] = [];
    for (const [log, list] of [
      ["joins", "joinLogs"],
      ["kills", "killLogs"],
      ["commands", "commandLogs"],
      ["modCalls", "modCalls"],
    ] as const) {
      for (const item of await journal.read({ source: SOURCE, list }, 1, 100)) {
        if (item.kind !== "gap") continue;
        assert.equal(item.isRestart, true);
        told.push(`${log} ${(item.fromS ?? 0) - START_S} ${item.toS - START_S}`);
      }
    }
    const stored = async () => {
      const gaps = await context.db.selectFrom("gaps").select(["log", "from_s", "to_s"]).execute();
      return gaps.map(({ log, from_s, to_s }) => `${log} ${from_s - START_S} ${to_s - START_S}`).sort();
    };
    assert.deepEqual(told, ["joins 440 512", "kills 440 513", "commands 440 513", "modCalls 440 513"]);
    told.sort();
    assert.deepEqual(await stored(), told);
    // Other logs are counted for staff, and the time is the same.
    const asked = { guildId: GUILD, bindingId: BINDING, fromS: at(0), toS: at(900), zone: "UTC" };
    const { unrecordedS: ofServer } = await server(context, asked);
    const { unrecordedS: ofStaff } = await staff(context, asked);
    assert.deepEqual([ofServer, ofStaff], [74, 74]);

    // A process whose mark was not written reads it once more, and more rows with it.
    const next = memoryJournal({ clock, texts });
    const rig = await openRig(databases, url, next);
    await rig.see({ joins: back, kills, modCalls: [[ann, at(700)]], players: [bob] }, at(701));
    assert.deepEqual(await stored(), told);
  });
});
