import assert from "node:assert/strict";
import { test } from "node:test";
import { evidence, hasTrack, keepEvidence } from "../../../src/history/positions/case-evidence.ts";
import { setDays } from "../../../src/history/positions/position-settings.ts";
import { add } from "../../../src/history/queries/add-cases.ts";
import { erasePlayer } from "../../../src/history/queries/erase-cases.ts";
import { forget } from "../../../src/history/queries/forget-player.ts";
import { setRetention } from "../../../src/history/queries/recorded-guilds.ts";
import { onBothDatabases } from "../databases.ts";
import { ann, bob, GUILD, type HistoryRig, mod, openRig, START_S } from "../rig.ts";

import { at, DAY_S, kickOf, on, rowsOf, seen } from "./positions-rig.ts";

onBothDatabases("what a case keeps of the minutes around it", (databases) => {
  async function withCase(rig: HistoryRig): Promise<void> {
    await on(rig);
    for (const second of [10, 100, 220, 330, 400]) {
      const places = [
        [bob, { x: second, z: 1 }],
        [ann, { x: 2, z: 2 }],
      ] as const;
      await rig.take({ ...seen(places, at(second)) });
      if (second === 220) await add(rig.context, kickOf(bob, at(220)));
    }
  }

  const keptBy = async (rig: HistoryRig, number = 1) => {
    const kept = await evidence(rig.context, { guildId: GUILD, number });
    return kept?.track?.players.map(
      ({ player, spots }) =>
        `${player.name} ${spots.map((spot, index) => `${(kept.track?.looksS[index] ?? 0) - START_S}:${spot?.x}`).join(" ")}`,
    );
  };
  const WHOLE = ["Ann 100:2 220:2 330:2", "Bob 100:100 220:220 330:330"];

  test("two minutes on both sides stay when positions are turned off, when they are too old, and when rows go", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    assert.deepEqual(await keptBy(rig), WHOLE);
    const has = (number: number) => hasTrack(rig.context, { guildId: GUILD, number });
    assert.deepEqual([await has(1), await has(2)], [true, false]);
    await setDays(rig.context, { guildId: GUILD, days: 0 });
    assert.equal(await has(1), true);
    assert.deepEqual([await rowsOf(rig), await keptBy(rig)], [0, WHOLE]);
    await setRetention(rig.context, { guildId: GUILD, days: "off" });
    assert.deepEqual(await keptBy(rig), WHOLE);
  });

  test("nobody asked: it is gathered by the rounds, before anything is erased", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    assert.equal(await keepEvidence(rig.context, { nowS: at(230) }), true);
    const open = () => rig.context.db.selectFrom("case_evidence").select("is_open").execute();
    assert.deepEqual(
      (await open()).map((row) => row.is_open),
      [1],
    );
    assert.equal(await keepEvidence(rig.context, { nowS: at(2 * DAY_S) }), true);
    assert.deepEqual(
      (await open()).map((row) => row.is_open),
      [0],
    );
    await rig.context.db.deleteFrom("positions").execute();
    assert.deepEqual(await keptBy(rig), WHOLE);
  });

  test("who is forgotten is gone from the cases of others; their own case keeps them until it is erased", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    await forget(rig.context, { guildId: GUILD, playerId: ann.id, nowS: at(500) });
    assert.deepEqual(await keptBy(rig), WHOLE.slice(1));
    await forget(rig.context, { guildId: GUILD, playerId: bob.id, nowS: at(500) });
    assert.deepEqual(await keptBy(rig), WHOLE.slice(1));
    await erasePlayer(rig.context, { guildId: GUILD, number: 1, playerId: bob.id });
    assert.equal(await keptBy(rig), undefined);
    assert.deepEqual(await rig.context.db.selectFrom("case_evidence").selectAll().execute(), []);
  });

  test("who is forgotten is gone from commands that others aimed at them by a part of the name, or an id", async () => {
    const rig = await openRig(databases);
    await rig.see({ players: [bob, ann, mod] }, at(10));
    const commands = [
      [mod, ":pm An hello", at(221)],
      [mod, `:ban ${ann.id}`, at(222)],
      [mod, ":pm Bob hello", at(223)],
    ] as const;
    await rig.see({ players: [bob, ann, mod], commands }, at(230));
    await add(rig.context, kickOf(bob, at(220)));
    const texts = async () => {
      const kept = await evidence(rig.context, { guildId: GUILD, number: 1 });
      return kept?.rows.flatMap((row) => (row.kind === "command" ? row.text : []));
    };
    assert.deepEqual(
      await texts(),
      commands.map(([, text]) => text),
    );
    await forget(rig.context, { guildId: GUILD, playerId: ann.id, nowS: at(600) });
    assert.deepEqual(await texts(), [":pm Bob hello"]);
    assert.doesNotMatch(
      JSON.stringify(await evidence(rig.context, { guildId: GUILD, number: 1 })),
      /Ann|12\b/,
    );
  });

  test("who is forgotten is gone from a command that names them in full, of whom the case keeps nothing else", async () => {
    const rig = await openRig(databases);
    await rig.see({ players: [bob, ann, mod] }, at(10));
    await rig.see({ players: [bob, ann, mod], commands: [[mod, ":ban Ann spam", at(301)]] }, at(310));
    await add(rig.context, kickOf(bob, at(300)));
    await forget(rig.context, { guildId: GUILD, playerId: ann.id, nowS: at(600) });
    assert.deepEqual((await evidence(rig.context, { guildId: GUILD, number: 1 }))?.rows, []);
  });

  test("who is forgotten takes commands out of a case that name them, not those with their name in a longer word", async () => {
    const rig = await openRig(databases);
    const ban = { name: "Ban", id: 16 };
    await rig.see({ players: [bob, ban, mod] }, at(10));
    const commands = [
      [mod, ":ban Bob", at(301)],
      [mod, ":pm Bob urban", at(302)],
      [mod, ":ban ban spam", at(303)],
      [mod, ":ban 160", at(304)],
      [mod, ":ban 99", at(305)],
    ] as const;
    await rig.see({ players: [bob, mod], commands }, at(310));
    await add(rig.context, kickOf(bob, at(300)));
    await forget(rig.context, { guildId: GUILD, playerId: ban.id, nowS: at(600) });
    // Never seen here: nothing but the id is known of them.
    await forget(rig.context, { guildId: GUILD, playerId: 99, nowS: at(600) });
    const kept = await evidence(rig.context, { guildId: GUILD, number: 1 });
    assert.deepEqual(
      kept?.rows.flatMap((row) => (row.kind === "command" ? row.text : [])),
      [":ban Bob", ":pm Bob urban", ":ban 160"],
    );
  });

  test("a case of no server keeps nothing, and another guild has nothing to ask for", async () => {
    const rig = await openRig(databases);
    await withCase(rig);
    const { bindingId: _, ...draft } = kickOf(ann, at(100)).draft;
    await add(rig.context, { ...kickOf(ann, at(100)), draft });
    assert.equal(await keptBy(rig, 2), undefined);
    assert.equal(await evidence(rig.context, { guildId: "901", number: 1 }), undefined);
  });
});
