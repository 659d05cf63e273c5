import assert from "node:assert/strict";
import { test } from "node:test";
import { keepEvidence } from "../../src/history/positions/case-evidence.ts";
import { add } from "../../src/history/queries/add-cases.ts";
import { write } from "../../src/history/queries/duty.ts";
import { erasePersons, eraseStep } from "../../src/history/queries/erase-expired.ts";
import { exportPlayer } from "../../src/history/queries/export-player.ts";
import { forget } from "../../src/history/queries/forget-player.ts";
import { card } from "../../src/history/queries/player-card.ts";
import { search } from "../../src/history/queries/players.ts";
import { linked, retention, setRetention } from "../../src/history/queries/recorded-guilds.ts";
import { put } from "../../src/history/queries/watches.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, type HistoryRig, mod, openRig, START_S, type Town } from "./rig.ts";

const at = (s: number) => START_S + s;
const DAY_S = 86_400;

/** One round of the erasing that a running bot does every hour. */
async function round(
  { context }: HistoryRig,
  nowS: number | undefined,
  nowMs = (nowS ?? 0) * 1_000,
): Promise<void> {
  let afterScope = 0;
  for (;;) {
    const step = await eraseStep(context, { afterScope, nowS, nowMs });
    if (step === undefined) break;
    afterScope = step.isDone ? step.scope : step.scope - 1;
  }
  while (!(await erasePersons(context, { nowS })));
}

async function countOf({ context }: HistoryRig, table: "kills" | "visits" | "persons" | "names" | "scopes") {
  const { rows } = await context.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return rows;
}

onBothDatabases("what a guild decides about its history", (databases) => {
  const town: Town = {
    joins: [
      [bob, at(5), true],
      [ann, at(6), true],
    ],
    kills: [
      [bob, ann, at(20)],
      [ann, mod, at(21)],
    ],
    commands: [
      [mod, ":kick Bob for :pm secrets", at(30)],
      [bob, ":kick Ann", at(31)],
    ],
    modCalls: [
      [bob, at(22)],
      [ann, at(23), bob],
    ],
    players: [{ ...bob, permission: "Server Moderator" }, ann],
  };

  test("a player who is forgotten stays forgotten while the window still shows them, and comes back as new", async () => {
    const rig = await openRig(databases);
    const { see, context } = rig;
    await see(town, at(40));
    const forgotten = await forget(context, { guildId: GUILD, playerId: 11, nowS: at(50) });
    assert.deepEqual(forgotten, {
      player: bob,
      names: 1,
      visits: 1,
      kills: 1,
      commands: 1,
      calls: 1,
      blankedCommands: 1,
      dutyRecords: 0,
      casesOfOthers: 0,
      untilS: at(50),
    });
    assert.deepEqual(await search(context, { guildId: GUILD, typed: "bob", limit: 5 }), []);
    await see(town, at(49));
    assert.equal(
      await card(context, { guildId: GUILD, playerId: 11, nowS: at(60), harmless: [] }),
      undefined,
    );
    const commands = await context.db.selectFrom("commands").select("text").execute();
    assert.deepEqual(
      commands.map(({ text }) => text),
      [":kick [forgotten]"],
    );
    const calls = await context.db.selectFrom("mod_calls").select("moderator").execute();
    assert.deepEqual(
      calls.map(({ moderator }) => moderator),
      [null],
    );
    const dump = JSON.stringify([
      await context.db.selectFrom("names").selectAll().execute(),
      await context.db.selectFrom("persons").selectAll().execute(),
      await context.db.selectFrom("barriers").selectAll().execute(),
    ]);
    assert.doesNotMatch(dump, /Bob|"player_id":11,/);
    for (const table of ["command_targets", "ranks"] as const) {
      assert.deepEqual(await context.db.selectFrom(table).selectAll().execute(), [], table);
    }

    await see({ ...town, kills: [...(town.kills ?? []), [bob, ann, at(70)]] }, at(71));
    const back = await card(context, { guildId: GUILD, playerId: 11, nowS: at(80), harmless: [] });
    assert.deepEqual([back?.kills, back?.deaths, back?.player.firstSeenS], [1, 0, at(70)]);
  });

  test("who is forgotten is gone from commands that name them although they had left long before", async () => {
    const { see, context } = await openRig(databases);
    await see(town, at(40));
    const cid = { name: "Old_Ann", id: 15 };
    const texts = [":ban Ann for spam", ":pm Annabel hello", ":ban 12", ":log ann,Bob again", ":ban 123"];
    const commands = texts.map((text, n) => [mod, text, at(9_990 + n)] as const);
    await see({ players: [bob, cid], commands }, at(10_000));
    const { blankedCommands } =
      (await forget(context, { guildId: GUILD, playerId: 12, nowS: at(10_001) })) ?? {};
    const kept = await context.db.selectFrom("commands").select("text").orderBy("at_s").execute();
    assert.deepEqual(
      kept.slice(-5).map(({ text }) => text),
      [":ban [forgotten]", ":pm Annabel hello", ":ban [forgotten]", ":log [forgotten]", ":ban 123"],
    );
    // And the one of the town that was aimed at them.
    assert.equal(blankedCommands, 4);
    // The window still shows them.
    await see({ players: [bob, cid], commands }, at(10_002));
    assert.equal((await context.db.selectFrom("commands").select("text").execute()).length, kept.length);
  });

  test("commands that name a forgotten player and were on their way are recorded without the name; later ones as typed", async () => {
    const rig = await openRig(databases);
    await rig.see(town, at(40));
    await rig.see({ players: [bob, mod] }, at(9_000));
    await forget(rig.context, { guildId: GUILD, playerId: 12, nowS: at(10_001) });
    const texts = [":ban Ann for spam", ":pm Annabel hello", ":ban 12", ":log ann,Bob again", ":ban 123"];
    const commands = texts.map((text, n) => [mod, text, at(9_990 + n)] as const);
    const later = [mod, ":ban Ann", at(10_002)] as const;
    await rig.see({ players: [bob, mod], commands: [...commands, later] }, at(10_010));
    const kept = await rig.context.db.selectFrom("commands").select("text").orderBy("at_s").execute();
    assert.deepEqual(
      kept.slice(-6).map(({ text }) => text),
      [
        ":ban [forgotten]",
        ":pm Annabel hello",
        ":ban [forgotten]",
        ":log [forgotten]",
        ":ban 123",
        ":ban Ann",
      ],
    );
  });

  test("whose name is a verb or a word for everybody takes nothing out of commands that are about others", async () => {
    const rig = await openRig(databases);
    const kick = { name: "Kick", id: 16 };
    const all = { name: "All", id: 17 };
    const texts = [":kick Bob spam", ":kick Kick", ":kill all", ":kick 17"];
    const commands = texts.map((text, n) => [mod, text, at(30 + n)] as const);
    await rig.see({ players: [bob, kick, all, mod], commands: [] }, at(20));
    await rig.see({ players: [bob, kick, all, mod], commands }, at(40));
    for (const { id } of [kick, all])
      await forget(rig.context, { guildId: GUILD, playerId: id, nowS: at(50) });
    const kept = await rig.context.db.selectFrom("commands").select("text").orderBy("at_s").execute();
    assert.deepEqual(
      kept.map(({ text }) => text),
      [":kick Bob spam", ":kick [forgotten]", ":kill all", ":kick [forgotten]"],
    );
  });

  test("an export holds what is kept, as JSON", async () => {
    const { see, context } = await openRig(databases);
    await see(town, at(40));
    const file = await exportPlayer(context, { guildId: GUILD, playerId: 11 });
    const data = JSON.parse(file?.text ?? "") as Record<string, unknown[]>;
    const sizes = [
      ...["visits", "kills", "deaths", "commands", "commandsAgainst", "calls"],
      "callsAnswered",
    ].map((part) => data[part]?.length);
    assert.deepEqual([sizes, file?.rows, file?.isComplete], [[1, 1, 0, 1, 1, 1, 1], 6, true]);
    const at40 = { at: new Date(at(40) * 1_000).toISOString(), server: BINDING };
    assert.deepEqual(data.ranks, [{ ...at40, permission: "Server Moderator" }]);
    assert.equal(await exportPlayer(context, { guildId: "901", playerId: 11 }), undefined);
  });

  test("an export holds what duty keeps of the player, as forgetting erases it", async () => {
    const { see, context } = await openRig(databases);
    await see(town, at(40));
    const state = { team: "Police", callsign: "", rank: "Normal" };
    const kept = {
      guildId: GUILD,
      kind: "state",
      id: "11 40",
      userId: "",
      fromS: at(40),
      untilS: at(90),
    } as const;
    await write(context, { put: [{ ...kept, playerId: 11, body: JSON.stringify(state) }] });
    await write(context, { put: [{ ...kept, id: "12 40", playerId: 12, body: "{}" }] });
    const file = await exportPlayer(context, { guildId: GUILD, playerId: 11 });
    const data = JSON.parse(file?.text ?? "") as Record<string, unknown[]>;
    const [from, until] = [40, 90].map((s) => new Date(at(s) * 1_000).toISOString());
    assert.deepEqual(data.duty, [{ kind: "state", from, until, ...state }]);
  });

  test("an export holds the cases and the watch as well, also where no row is kept, and of others nothing", async () => {
    const { context } = await openRig(databases);
    const author = { name: "Mona", userId: "u77" };
    const of = { guildId: GUILD, kind: "kick", mass: false, author, atMs: START_S * 1_000 } as const;
    const targets = [
      { name: "Bob", playerId: 11 },
      { name: "Ann", playerId: 12 },
    ];
    await add(context, {
      draft: { ...of, targets, command: ":kick Bob,Ann", reason: "spam" },
      card: undefined,
      most: 1_000,
    });
    for (let n = 0; n < 120; n += 1) {
      await add(context, {
        draft: { ...of, targets: targets.slice(0, 1), reason: `r${n}` },
        card: undefined,
        most: 1_000,
      });
    }
    const watch = { guildId: GUILD, playerId: 11, name: "Bob", byId: "u77", atMs: 0, reason: "scams" };
    await put(context, { row: { watch, toldS: {} } });
    const file = await exportPlayer(context, { guildId: GUILD, playerId: 11 });
    assert.deepEqual([file?.rows, file?.cases, file?.isComplete], [0, 121, true]);
    const data = JSON.parse(file?.text ?? "") as {
      readonly cases: readonly object[];
      readonly watch: object;
    };
    assert.deepEqual(data.cases.at(-1), {
      number: 1,
      kind: "kick",
      at: new Date(START_S * 1_000).toISOString(),
      by: "Mona",
      name: "Bob",
      reason: "spam",
      edits: [],
    });
    assert.deepEqual(data.watch, { name: "Bob", reason: "scams", at: "1970-01-01T00:00:00.000Z" });
    assert.doesNotMatch(file?.text ?? "", /Ann|u77/);
    assert.equal(await exportPlayer(context, { guildId: "901", playerId: 11 }), undefined);
  });

  test("somebody of whom no row is left is in the file and forgotten by what duty and cases of others keep", async () => {
    const rig = await openRig(databases);
    const { context } = rig;
    await rig.see(town, at(40));
    const author = { name: "Mona", userId: "u77" };
    const kick = { guildId: GUILD, kind: "kick", mass: false, author, bindingId: BINDING } as const;
    const targets = [{ name: "Bob", playerId: 11 }];
    await add(context, { draft: { ...kick, targets, atMs: at(30) * 1_000 }, card: undefined, most: 9 });
    const none = { guildId: GUILD, userId: "", fromS: at(40), untilS: at(90), playerId: 12, body: "{}" };
    const link = { ...none, kind: "link", id: "u12 12 40", userId: "u12" } as const;
    await write(context, { put: [{ ...none, kind: "state", id: "12 40" }, link] });
    const laterS = at(200 * DAY_S);
    assert.equal(await keepEvidence(context, { nowS: laterS }), true);
    await round(rig, laterS);
    assert.equal(await countOf(rig, "persons"), 0);

    const file = await exportPlayer(context, { guildId: GUILD, playerId: 12 });
    const data = JSON.parse(file?.text ?? "{}") as {
      readonly duty?: readonly { readonly kind: string; readonly member?: string }[];
      readonly inCasesOfOthers?: readonly { readonly case: number; readonly rows: readonly object[] }[];
    };
    assert.deepEqual(
      data.duty?.map(({ kind, member }) => [kind, member]),
      [
        ["state", undefined],
        ["link", "u12"],
      ],
    );
    // Their join, two kills, a call, and the command that was aimed at them.
    assert.deepEqual(
      data.inCasesOfOthers?.map((one) => [one.case, one.rows.length]),
      [[1, 5]],
    );
    const args = { guildId: GUILD, playerId: 12, nowS: laterS };
    const forgotten = await forget(context, args);
    assert.deepEqual([forgotten?.dutyRecords, forgotten?.casesOfOthers], [2, 1]);
    assert.equal(await exportPlayer(context, args), undefined);
    assert.equal(await forget(context, args), undefined);
    const [kept] = await context.db.selectFrom("case_evidence").select("people").execute();
    assert.doesNotMatch(kept?.people ?? "", /,12,/);
  });

  test("rows older than the retention go, with the people of whom nothing is left; younger ones stay", async () => {
    const rig = await openRig(databases);
    assert.equal(await retention(rig.context, { guildId: GUILD }), 90);
    await rig.see(town, at(40));
    await rig.see({ kills: [[ann, mod, at(60 * DAY_S)]], players: [ann] }, at(60 * DAY_S + 1));
    await round(rig, at(89 * DAY_S));
    assert.equal(await countOf(rig, "kills"), 3);
    await setRetention(rig.context, { guildId: GUILD, days: 30 });
    await round(rig, at(70 * DAY_S));
    assert.deepEqual(
      [await countOf(rig, "kills"), await countOf(rig, "persons"), await countOf(rig, "names")],
      [1, 2, 2],
    );
    // The window that still shows them brings nothing back.
    assert.equal(await rig.see(town, at(70 * DAY_S)), 0);
  });

  test("off hides and erases everything and records nothing; on again it begins anew", async () => {
    const rig = await openRig(databases);
    await rig.see(town, at(40));
    await setRetention(rig.context, { guildId: GUILD, days: "off" });
    assert.equal(await retention(rig.context, { guildId: GUILD }), "off");
    assert.equal(await rig.see({ kills: [[ann, bob, at(45)]] }, at(46)), 0);
    await round(rig, at(50));
    assert.deepEqual(
      [await countOf(rig, "kills"), await countOf(rig, "persons"), await countOf(rig, "scopes")],
      [0, 0, 0],
    );
    await setRetention(rig.context, { guildId: GUILD, days: 7 });
    assert.equal(await rig.see({ kills: [[ann, bob, at(55)]] }, at(56)), 1);
  });

  test("an unlinked server is erased although no server states the time any more; linked ones stay", async () => {
    const rig = await openRig(databases);
    const other = { ...rig.links[0], guildId: "901", bindingId: "b2", linkedAtS: START_S };
    rig.links = [...rig.links, other];
    await rig.see(town, at(40));
    rig.links = [other];
    await rig.see(town, at(41));
    await linked(rig.context, { links: [], guildIds: [GUILD], endedMs: at(50) * 1_000 });
    const nowMs = at(60 + 30 * DAY_S) * 1_000;
    await round(rig, undefined, nowMs);
    assert.deepEqual(
      [await countOf(rig, "kills"), await countOf(rig, "persons"), await countOf(rig, "scopes")],
      [2, 3, 1],
    );
    // Linked again, it begins anew; what was remembered of it is void.
    rig.links = [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }];
    await rig.see({ kills: [[bob, ann, at(70)]] }, at(71));
    const found = await card(rig.context, { guildId: GUILD, playerId: 11, nowS: at(80), harmless: [] });
    assert.deepEqual([found?.kills, found?.player.name], [1, "Bob"]);
  });

  test("an unlinked server is hidden at once and erased after 30 days; linked again before, it is back", async () => {
    const rig = await openRig(databases);
    const players = () => card(rig.context, { guildId: GUILD, playerId: 11, nowS: at(100), harmless: [] });
    const link = [{ guildId: GUILD, bindingId: BINDING }];
    await rig.see(town, at(40));
    await linked(rig.context, { links: [], guildIds: [GUILD], endedMs: at(50) * 1_000 });
    assert.equal((await players())?.kills, 0);
    await linked(rig.context, { links: link, guildIds: [GUILD], endedMs: at(60) * 1_000 });
    assert.equal((await players())?.kills, 1);
    await linked(rig.context, { links: [], guildIds: [GUILD, "901"], endedMs: at(70) * 1_000 });
    await round(rig, at(70 + 29 * DAY_S));
    assert.equal(await countOf(rig, "kills"), 2);
    await round(rig, at(80 + 30 * DAY_S));
    assert.deepEqual(
      [await countOf(rig, "kills"), await countOf(rig, "persons"), await countOf(rig, "scopes")],
      [0, 0, 0],
    );
  });
});
