import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionLine } from "../../src/discord/render/players/history-line.ts";
import { VISIT } from "../../src/history/database/schema.ts";
import { card } from "../../src/history/queries/player-card.ts";
import { page } from "../../src/history/queries/player-pages.ts";
import { find, findAll, search } from "../../src/history/queries/players.ts";
import { at as rewindAt } from "../../src/history/queries/rewind.ts";
import { HARMLESS_NAMES } from "../../src/runs/catalogue/verbs.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, mod, openRig, START_S } from "./rig.ts";

const at = (s: number) => START_S + s;
const names = (players: readonly { readonly name: string }[]) => players.map(({ name }) => name);

onBothDatabases("what is answered from the history", (databases) => {
  test("players are found by the beginning, a part, an earlier name and their id; others' guilds find nobody", async () => {
    const { see, context } = await openRig(databases);
    const ask = (typed: string, guildId = GUILD) => search(context, { guildId, typed, limit: 25 });
    await see({ players: [bob, ann, { name: "100%_sure", id: 14 }] }, at(10));
    await see({ players: [{ name: "Robert", id: 11 }] }, at(400));
    assert.deepEqual(names(await ask("rob")), ["Robert"]);
    assert.deepEqual(await ask("bo"), [
      { playerId: 11, name: "Robert", earlierNames: ["Bob"], firstSeenS: at(10), lastSeenS: at(400) },
    ]);
    assert.deepEqual(names(await ask("NN")), ["Ann"]);
    assert.deepEqual(names(await ask("%_")), ["100%_sure"]);
    assert.deepEqual(names(await ask("12")), ["Ann"]);
    const latest = names(await ask(""));
    assert.deepEqual([latest[0], ...latest.slice(1).sort()], ["Robert", "100%_sure", "Ann"]);
    assert.deepEqual(await ask("rob", "901"), []);
    assert.deepEqual(names(await find(context, { guildId: GUILD, nameOrId: "BOB" })), ["Robert"]);
    assert.deepEqual(await find(context, { guildId: GUILD, nameOrId: "bo" }), []);
  });

  test("several are found at once by whole names and ids; an earlier name that somebody else has now is theirs", async () => {
    const { see, context } = await openRig(databases);
    const ask = async (...namesOrIds: string[]) =>
      names(await findAll(context, { guildId: GUILD, namesOrIds })).toSorted();
    await see({ players: [bob, ann] }, at(10));
    await see({ players: [{ name: "Robert", id: 11 }] }, at(400));
    assert.deepEqual(await ask("BOB", "12", "nobody", "an"), ["Ann", "Robert"]);
    await see({ players: [{ name: "Bob", id: 15 }] }, at(800));
    assert.deepEqual(await ask("bob"), ["Bob"]);
    assert.deepEqual(await ask("11"), ["Robert"]);
    assert.deepEqual(await findAll(context, { guildId: "901", namesOrIds: ["bob"] }), []);
  });

  test("a command against somebody by their id has whom it hit on their card and its page, so that neither shows the id", async () => {
    const { see, context } = await openRig(databases);
    const players = [bob, ann, { ...mod, permission: "Server Moderator" }];
    await see({ players }, at(0));
    await see({ players, commands: [[mod, ":ban 11 cheating", at(5)]] }, at(10));
    const asked = { guildId: GUILD, playerId: 11, harmless: HARMLESS_NAMES };
    const shown = await card(context, { ...asked, nowS: at(20) });
    assert.deepEqual(shown?.latestCommandsAgainst[0]?.hit, [bob]);
    const { rows } = await page(context, { ...asked, list: "against", limit: 5 });
    assert.deepEqual(rows, shown?.latestCommandsAgainst);
  });

  test("a card counts what is kept, with time in the game, streaks, calls about kills and commands against them", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [mod] }, at(0));
    await see(
      {
        joins: [
          [bob, at(10), true],
          [ann, at(20), true],
          [bob, at(3_610), false],
          [bob, at(4_000), true],
        ],
        kills: [
          [bob, ann, at(100)],
          [bob, ann, at(130)],
          [bob, mod, at(1_000)],
          [ann, bob, at(1_001)],
        ],
        modCalls: [
          [ann, at(200), mod],
          [mod, at(5_000)],
          [bob, at(300)],
        ],
        commands: [
          [mod, ":kick Bob spam", at(3_600)],
          // What does him no harm is not against him.
          [mod, ":PM Bob please stop", at(4_100)],
          [ann, ":heal Bo", at(4_110)],
          [mod, ":spectate Bob", at(4_120)],
          [mod, ":pmx Bob", at(4_130)],
          [ann, ":log kick Bob", at(4_140)],
          [bob, ":log hi", at(50)],
        ],
        players: [bob, ann, { ...mod, permission: "Server Moderator" }],
      },
      at(4_600),
    );
    const shown = await card(context, {
      guildId: GUILD,
      playerId: 11,
      nowS: at(4_600),
      harmless: HARMLESS_NAMES,
    });
    assert.deepEqual(shown, {
      player: { playerId: 11, name: "Bob", earlierNames: [], firstSeenS: at(10), lastSeenS: at(4_600) },
      sessions: 2,
      latestSession: { bindingId: BINDING, start: { atS: at(4_000), isSure: true } },
      playedLast7DaysS: 4_200,
      playedLast30DaysS: 4_200,
      kills: 3,
      deaths: 1,
      bestStreak: { kills: 2, firstS: at(100), lastS: at(130) },
      callsMade: 1,
      callsAnswered: 0,
      callsNearKills: 1,
      latestCallsNearKills: [
        {
          call: { kind: "modCall", bindingId: BINDING, atS: at(200), caller: ann, moderator: mod },
          byVictim: true,
        },
      ],
      commandsRun: 1,
      commandsAgainst: 1,
      latestCommandsAgainst: [
        { kind: "command", bindingId: BINDING, atS: at(3_600), player: mod, text: ":kick Bob spam" },
      ],
      recordedSinceS: START_S,
    });
    const every = await card(context, { guildId: GUILD, playerId: 11, nowS: at(4_600), harmless: [] });
    assert.equal(every?.commandsAgainst, 4);
    const against = {
      guildId: GUILD,
      playerId: 11,
      list: "against",
      limit: 5,
      harmless: HARMLESS_NAMES,
    } as const;
    assert.deepEqual((await page(context, against)).rows, shown?.latestCommandsAgainst);
    const moderator = await card(context, {
      guildId: GUILD,
      playerId: 13,
      nowS: at(4_600),
      harmless: HARMLESS_NAMES,
    });
    assert.equal(moderator?.permission, "Server Moderator");
    assert.equal(
      await card(context, { guildId: "901", playerId: 11, nowS: at(4_600), harmless: HARMLESS_NAMES }),
      undefined,
    );
  });

  test("the session of who is in the game says when that was seen last: the server may not have been read since", async () => {
    const { see, context } = await openRig(databases);
    await see({ joins: [[bob, at(10), true]], players: [bob] }, at(60));
    await see({ joins: [[bob, at(10), true]], players: [bob] }, at(120));
    const asked = { guildId: GUILD, playerId: bob.id, list: "sessions", limit: 5, harmless: [] } as const;
    const { sessions } = await page(context, asked);
    assert.deepEqual(sessions.map(sessionLine), [
      `🟢 <t:${at(10)}:f> · in the game, last seen <t:${at(120)}:R>`,
    ]);
  });

  test("a card counts all that is kept, be it thousands of kills and visits", async () => {
    const { see, context } = await openRig(databases);
    const { db } = context;
    await see({ joins: [[bob, at(1), true]], kills: [[bob, ann, at(2)]], players: [bob] }, at(10));
    const { scope, killer, killed } = await db.selectFrom("kills").selectAll().executeTakeFirstOrThrow();
    // A call about three kills at once, one of them its caller's; then thousands that none follows.
    const spree = [0, 1, 2].map((n) => ({ scope, at_s: at(20), killer, killed, n }));
    await db.insertInto("kills").values(spree).execute();
    await see(
      {
        players: [bob],
        modCalls: [
          [ann, at(30)],
          [mod, at(40)],
        ],
      },
      at(50),
    );
    const kills = Array.from({ length: 9_000 }, (_, n) => ({
      scope,
      at_s: at(1_000 + n * 100),
      killer,
      killed,
      n: 0,
    }));
    const visits = Array.from({ length: 9_000 }, (_, n) => {
      return {
        scope,
        at_s: at(1_000 + n * 10),
        person: killer,
        kind: n % 2 === 0 ? VISIT.left : VISIT.joined,
        after_s: null,
        n: 0,
      };
    });
    for (let n = 0; n < 9_000; n += 3_000) {
      await db
        .insertInto("kills")
        .values(kills.slice(n, n + 3_000))
        .execute();
      await db
        .insertInto("visits")
        .values(visits.slice(n, n + 3_000))
        .execute();
    }
    const args = { guildId: GUILD, playerId: bob.id, nowS: at(2_000_000), harmless: [] };
    const shown = await card(context, args);
    assert.deepEqual(
      [shown?.kills, shown?.bestStreak, shown?.callsNearKills, shown?.sessions],
      [9_004, { kills: 4, firstS: at(2), lastS: at(20) }, 2, 4_501],
    );
    assert.deepEqual(
      shown?.latestCallsNearKills.map(({ call, byVictim }) => [call.caller.name, byVictim]),
      [
        ["Mona", false],
        ["Ann", true],
      ],
    );
  });

  test("pages follow each other without a row twice or missing, also where many share a second", async () => {
    const { see, context } = await openRig(databases);
    const kills = Array.from(
      { length: 23 },
      (_, n) => [bob, n % 2 === 0 ? ann : mod, at(10 + Math.floor(n / 9))] as const,
    );
    await see({ kills }, at(20));
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const { rows, older } = await page(context, {
        guildId: GUILD,
        playerId: 11,
        list: "kills",
        limit: 5,
        before,
        harmless: [],
      });
      for (const row of rows) if (row.kind === "kill") seen.push(`${row.atS} ${row.killed.name}`);
      before = older;
    } while (before !== undefined);
    const wanted = kills.map(([, killed, atS]) => `${atS} ${killed.name}`);
    assert.deepEqual(seen.sort(), wanted.sort());
  });

  test("within one second a rewind has the kill before the call about it, on either side of its time", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [bob, ann] }, at(0));
    await see({ kills: [[bob, ann, at(60)]], modCalls: [[ann, at(60)]], players: [bob, ann] }, at(90));
    for (const atS of [at(30), at(61)]) {
      const { rows } = await rewindAt(context, {
        guildId: GUILD,
        bindingId: BINDING,
        atS,
        fromS: at(20),
        toS: at(90),
      });
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        ["kill", "modCall"],
      );
    }
  });

  test("a rewind shows who was there, with the sure and the unsure ends, and what happened around", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [{ ...mod, permission: "Server Moderator" }] }, at(0));
    await see({ players: [{ ...mod, permission: "Server Moderator" }] }, at(10));
    await see(
      {
        joins: [
          [bob, at(100), true],
          [ann, at(150), true],
          [bob, at(200), false],
        ],
        kills: [[bob, ann, at(160)]],
        players: [ann],
      },
      at(300),
    );
    const view = await rewindAt(context, {
      guildId: GUILD,
      bindingId: BINDING,
      atS: at(170),
      fromS: at(90),
      toS: at(260),
    });
    assert.deepEqual(
      view.present.map(({ player, session, permission }) => [
        player.name,
        session.start,
        session.end,
        permission,
      ]),
      [
        ["Ann", { atS: at(150), isSure: true }, undefined, undefined],
        ["Bob", { atS: at(100), isSure: true }, { atS: at(200), isSure: true }, undefined],
        ["Mona", { atS: at(0), isSure: false }, undefined, "Server Moderator"],
      ],
    );
    assert.deepEqual(
      view.rows.map((row) => `${row.kind} ${row.atS - START_S}`),
      ["join 100", "join 150", "kill 160", "leave 200"],
    );
    assert.equal(view.players, 1);
    assert.deepEqual([view.isShortened, view.unrecorded], [false, []]);
    assert.equal(view.readUntilS, at(280), "a look after which it is not sure yet who left");
    await see({ players: [ann] }, at(700));
    const unread = { guildId: GUILD, bindingId: BINDING, atS: at(9_000), fromS: at(8_700), toS: at(9_300) };
    assert.equal((await rewindAt(context, unread)).readUntilS, at(700));
    const later = await rewindAt(context, {
      guildId: GUILD,
      bindingId: BINDING,
      atS: at(290),
      fromS: at(270),
      toS: at(299),
    });
    assert.deepEqual(names(later.present.map(({ player }) => player)), ["Ann", "Mona"]);
  });

  test("a rewind of one player has what they did, and what was done to them by kill, call or command", async () => {
    const { see, context } = await openRig(databases);
    await see(
      {
        kills: [
          [bob, ann, at(100)],
          [ann, mod, at(101)],
          [bob, mod, at(102)],
        ],
        modCalls: [
          [ann, at(110), mod],
          [bob, at(111)],
        ],
        commands: [
          [mod, ":kick ann,Bob spam", at(120)],
          [mod, ":pm Annabel hi", at(121)],
          [mod, ":jail an", at(122)],
          [mod, `:ban ${ann.id}`, at(123)],
        ],
        players: [ann, bob, mod],
      },
      at(300),
    );
    const times = { guildId: GUILD, bindingId: BINDING, atS: at(110), fromS: at(90), toS: at(260) };
    const { rows } = await rewindAt(context, { ...times, player: ann });
    assert.deepEqual(
      rows.flatMap((row) => (row.kind === "appeared" ? [] : [`${row.kind} ${row.atS - START_S}`])),
      ["kill 100", "kill 101", "modCall 110", "command 120", "command 122", "command 123"],
    );
    // Whom a command hit is named where its text does not.
    assert.deepEqual(
      rows.flatMap((row) => (row.kind === "command" ? [names(row.hit ?? [])] : [])),
      [[], ["Ann"], ["Ann"]],
    );
    const { rows: ran } = await page(context, {
      guildId: GUILD,
      playerId: mod.id,
      list: "commands",
      limit: 3,
      harmless: [],
    });
    assert.deepEqual(
      ran.flatMap((row) => (row.kind === "command" ? [names(row.hit ?? [])] : [])),
      [["Ann"], ["Ann"], []],
    );
  });
});
