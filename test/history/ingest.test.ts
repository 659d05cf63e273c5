import assert from "node:assert/strict";
import { test } from "node:test";
import { VISIT } from "../../src/history/database/schema.ts";
import { playedS, readSessions } from "../../src/history/queries/player-sessions.ts";
import { at as rewind } from "../../src/history/queries/rewind.ts";
import { personOf, scopesOf } from "../../src/history/queries/scopes.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, mod, openRig, START_S, type Town } from "./rig.ts";

const at = (s: number) => START_S + s;

onBothDatabases("what is stored of the answers", (databases) => {
  const busy: Town = {
    joins: [
      [bob, at(10), true],
      [ann, at(11), true],
      [ann, at(40), false],
    ],
    kills: [
      [bob, ann, at(20)],
      [bob, ann, at(20)],
      [ann, bob, at(21)],
    ],
    commands: [
      [mod, ":kick Bob spam", at(30)],
      [mod, ":kick Bob spam", at(30)],
      [{ name: "Remote Server" }, ":h hi", at(31)],
    ],
    modCalls: [
      [ann, at(22)],
      [ann, at(22)],
    ],
    players: [bob],
  };

  test("the same window twice, after a restart, or by a second process adds nothing", async () => {
    const url = await databases.fresh();
    const first = await openRig(databases, url);
    assert.equal(await first.see(busy, at(50)), 11);
    assert.equal(await first.see(busy, at(51)), 0);
    const second = await openRig(databases, url);
    assert.equal(await second.see(busy, at(52)), 0);
    assert.equal(await first.see(busy, at(53)), 0);
    const counts = await Promise.all(
      (["visits", "kills", "commands", "mod_calls", "persons", "names"] as const).map(async (table) => {
        const { rows } = await first.context.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as("rows"))
          .executeTakeFirstOrThrow();
        return rows;
      }),
    );
    assert.deepEqual(counts, [3, 3, 3, 2, 4, 4]);
  });

  test("a person is not seen first later than another process has noted", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [bob] }, at(50));
    await context.db
      .updateTable("persons")
      .set({ first_s: at(-9_000) })
      .execute();
    await see({ players: [bob] }, at(7_200));
    const { first_s: firstS, last_s: lastS } = await context.db
      .selectFrom("persons")
      .select(["first_s", "last_s"])
      .executeTakeFirstOrThrow();
    assert.deepEqual([Number(firstS), Number(lastS)], [at(-9_000), at(7_200)]);
  });

  test("a row that is equal to an older one of its second is one more", async () => {
    const { see } = await openRig(databases);
    assert.equal(await see({ kills: [[bob, ann, at(20)]] }, at(25)), 1);
    assert.equal(
      await see(
        {
          kills: [
            [bob, ann, at(20)],
            [bob, ann, at(20)],
          ],
        },
        at(26),
      ),
      1,
    );
    assert.equal(await see({ kills: [[bob, ann, at(20)]] }, at(27)), 0);
  });

  test("the moderator who answered a call is added to it, stays, and fills the first of equal calls", async () => {
    const { see, context } = await openRig(databases);
    const moderators = async () => {
      const rows = await context.db
        .selectFrom("mod_calls")
        .leftJoin("persons", "persons.id", "mod_calls.moderator")
        .select("player_id")
        .orderBy("n")
        .execute();
      return rows.map(({ player_id: id }) => id);
    };
    await see(
      {
        modCalls: [
          [ann, at(22)],
          [ann, at(22)],
        ],
      },
      at(23),
    );
    assert.deepEqual(await moderators(), [null, null]);
    await see(
      {
        modCalls: [
          [ann, at(22)],
          [ann, at(22), mod],
        ],
      },
      at(24),
    );
    assert.deepEqual(await moderators(), [13, null]);
    await see(
      {
        modCalls: [
          [ann, at(22)],
          [ann, at(22)],
        ],
      },
      at(25),
    );
    await see(
      {
        modCalls: [
          [ann, at(22), bob],
          [ann, at(22), mod],
        ],
      },
      at(26),
    );
    assert.deepEqual(await moderators(), [13, 11]);
  });

  test("rows that scrolled out of the log unseen are an interval; an overlap is none", async () => {
    const { see, context } = await openRig(databases);
    const kills = (from: number, to: number): Town => ({
      kills: Array.from({ length: to - from }, (_, n) => [bob, ann, at(from + n)] as const),
      players: [bob, ann],
    });
    // From a minute before the last look, as rows may come late, to the look that shows it.
    await see(kills(0, 10), at(10));
    await see(kills(5, 15), at(15));
    await see(kills(30, 40), at(40));
    // An old answer that is served again is none either.
    await see(kills(5, 15), at(41));
    const gaps = await context.db.selectFrom("gaps").select(["log", "from_s", "to_s"]).execute();
    assert.deepEqual(
      gaps.map((gap) => ({ ...gap })),
      [{ log: "kills", from_s: at(0), to_s: at(40) }],
    );
  });

  for (const { joins, fromS } of [
    { joins: [[bob, at(400), true]], fromS: 340 },
    // Then nobody knows when the log was looked at: it may be since the link.
    { joins: [], fromS: 0 },
  ] as const) {
    test(`an interval begins where the log was last seen empty, beside ${joins.length} rows in another log`, async () => {
      const { see, context } = await openRig(databases);
      const kills = Array.from({ length: 25 }, (_, n) => [bob, ann, at(900 + n)] as const);
      await see({ joins, players: [bob, ann] }, at(400));
      await see({ joins, kills, players: [bob, ann] }, at(930));
      const gaps = await context.db.selectFrom("gaps").select(["log", "from_s", "to_s"]).execute();
      assert.deepEqual(
        gaps.map((gap) => ({ ...gap })),
        [{ log: "kills", from_s: at(fromS), to_s: at(930) }],
      );
    });
  }

  test("after a restart a gap of the log is no time in the game, also of who joined in the second of a roster", async () => {
    const url = await databases.fresh();
    const { see } = await openRig(databases, url);
    await see({ players: [ann] }, at(50));
    for (const s of [51, 52]) await see({ joins: [[bob, at(50), true]], players: [ann, bob] }, at(s));
    const { see: seeAgain, context } = await openRig(databases, url);
    const others = Array.from(
      { length: 25 },
      (_, n) => [{ name: `P${n}`, id: 100 + n }, at(9_000 + n), true] as const,
    );
    for (const s of [9_030, 9_040]) {
      await seeAgain({ joins: others, players: [ann, bob] }, at(s));
    }
    const scopes = await scopesOf(context, GUILD);
    const { person = 0 } = (await personOf(context, GUILD, bob.id)) ?? {};
    const played = playedS(await readSessions(context, scopes, person), scopes, {
      fromS: at(0),
      nowS: at(9_040),
    });
    assert.equal(played, 2 + 40);
  });

  test("a guild sees nothing of the time before it linked the server, another one does", async () => {
    const rig = await openRig(databases);
    await rig.see({ kills: [[bob, ann, at(20)]] }, at(25));
    rig.links = [...rig.links, { guildId: "901", bindingId: "b9", linkedAtS: at(30) }];
    await rig.see(
      {
        kills: [
          [bob, ann, at(20)],
          [bob, ann, at(35)],
        ],
      },
      at(40),
    );
    const rows = await rig.context.db
      .selectFrom("kills")
      .innerJoin("scopes", "scopes.id", "kills.scope")
      .select(["binding_id", "at_s"])
      .orderBy("binding_id")
      .orderBy("at_s")
      .execute();
    assert.deepEqual(
      rows.map((row) => [row.binding_id, row.at_s]),
      [
        [BINDING, at(20)],
        [BINDING, at(35)],
        ["b9", at(35)],
      ],
    );
  });

  test("names follow a player, and texts that are meant badly are stored as they are, or nearly", async () => {
    const { see, context } = await openRig(databases);
    const evil = { name: "'); drop table kills; --", id: 66 };
    await see({ kills: [[bob, evil, at(20)]] }, at(21));
    await see(
      {
        kills: [
          [bob, evil, at(20)],
          [{ name: "Robert", id: 11 }, evil, at(50)],
        ],
      },
      at(51),
    );
    await see({ commands: [[bob, ":pm Ann \0 \ud800 %_'\"", at(52)]] }, at(53));
    const names = await context.db
      .selectFrom("names")
      .select("name")
      .orderBy("first_s")
      .orderBy("name")
      .execute();
    assert.deepEqual(
      names.map(({ name }) => name),
      ["'); drop table kills; --", "Bob", "Robert"],
    );
    const { text } = await context.db.selectFrom("commands").select("text").executeTakeFirstOrThrow();
    assert.equal(text, ":pm Ann \ufffd \ufffd %_'\"");
  });

  test("a player who is in two lists without a join has appeared, and one who is missing from two without a leave has vanished", async () => {
    const { see, context } = await openRig(databases);
    const visits = async () => {
      const rows = await context.db
        .selectFrom("visits")
        .select(["kind", "at_s", "after_s"])
        .orderBy("at_s")
        .execute();
      return rows.map(({ kind, at_s, after_s }) => [
        kind,
        at_s - START_S,
        after_s === null ? null : after_s - START_S,
      ]);
    };
    await see({ players: [bob] }, at(10));
    assert.deepEqual(await visits(), []);
    await see({ players: [bob] }, at(20));
    assert.deepEqual(await visits(), [[2, 10, null]]);
    await see({ players: [] }, at(30));
    await see({ players: [bob] }, at(40));
    await see({ players: [] }, at(50));
    await see({ players: [] }, at(60));
    assert.deepEqual(await visits(), [
      [2, 10, null],
      [3, 50, 40],
    ]);
  });

  test("who left before an old list was given once more is not in the game after a restart, though the hour's list has them", async () => {
    const hourS = Math.ceil(START_S / 3_600) * 3_600 - START_S;
    const url = await databases.fresh();
    const first = await openRig(databases, url);
    const joins: Town["joins"] = [[bob, at(hourS - 90), true]];
    await first.see({ joins, players: [bob] }, at(hourS - 80));
    // A minute and a half later the service gives that answer once more.
    await first.see({ joins, players: [bob] }, at(hourS + 5));
    const second = await openRig(databases, url);
    const left: Town["joins"] = [[bob, at(hourS - 40), false], ...joins];
    await second.see({ joins: left, players: [] }, at(hourS + 15));
    const third = await openRig(databases, url);
    const back: Town["joins"] = [[bob, at(hourS + 20), true], ...left];
    for (const s of [25, 35]) await third.see({ joins: back, players: [bob] }, at(hourS + s));
    const rows = await third.context.db
      .selectFrom("visits")
      .select(["kind", "at_s"])
      .orderBy("at_s")
      .execute();
    assert.deepEqual(
      rows.map(({ kind, at_s }) => [kind, at_s - at(hourS)]),
      [
        [VISIT.joined, -90],
        [VISIT.left, -40],
        [VISIT.joined, 20],
      ],
    );
  });

  test("who was missing from one list, or new in it, at a restart has vanished, or appeared, by the next", async () => {
    const hourS = Math.ceil(START_S / 3_600) * 3_600 - START_S;
    const url = await databases.fresh();
    const first = await openRig(databases, url);
    const joins: Town["joins"] = [[bob, at(10), true]];
    await first.see({ joins, players: [bob] }, at(hourS - 20));
    await first.see({ joins, players: [bob] }, at(hourS - 10));
    // The first list of an hour.
    await first.see({ joins, players: [ann] }, at(hourS));
    const second = await openRig(databases, url);
    for (const s of [10, 20, 30]) await second.see({ joins, players: [ann] }, at(hourS + s));
    const rows = await second.context.db
      .selectFrom("visits")
      .innerJoin("persons", "persons.id", "visits.person")
      .select(["player_id", "kind", "visits.at_s", "after_s"])
      .orderBy("visits.at_s")
      .orderBy("kind")
      .execute();
    assert.deepEqual(
      rows.map((row) => [
        row.player_id,
        row.kind,
        row.at_s - at(hourS),
        row.after_s && row.after_s - at(hourS),
      ]),
      [
        [bob.id, VISIT.joined, 10 - hourS, null],
        [ann.id, VISIT.appeared, 10, -10],
        [bob.id, VISIT.vanished, 10, -10],
      ],
    );
  });

  test("a time of the service that was far ahead stops no looks, also after a restart, and leaves nobody there in times to come", async () => {
    const dayS = 86_400;
    for (const isRestarted of [false, true]) {
      const url = await databases.fresh();
      let rig = await openRig(databases, url);
      const see = (players: Town["players"], s: number) => rig.see({ players: players ?? [] }, at(s));
      await see([bob, ann], 10);
      await see([bob, ann], 20);
      await see([ann, { ...mod, permission: "Server Moderator" }], 30 + dayS);
      await see([ann, { ...mod, permission: "Server Moderator" }], 40 + dayS);
      if (isRestarted) rig = await openRig(databases, url);
      // One answer that is old is old.
      await see([bob], 0);
      await see([ann, mod], 45 + dayS);
      await see([ann, bob], 700);
      await see([ann, bob], 710);
      await see([ann], 720);
      await see([ann], 730);
      const { db } = rig.context;
      for (const table of ["visits", "counts", "rosters", "ranks"] as const) {
        const later = await db.selectFrom(table).select("at_s").where("at_s", ">", at(730)).execute();
        assert.deepEqual(later, [], table);
      }
      const persons = await db.selectFrom("persons").select(["first_s", "last_s"]).execute();
      assert.ok(persons.every(({ first_s, last_s }) => Math.max(first_s, last_s) <= at(730)));
      const time = { atS: at(730), fromS: at(700), toS: at(760) };
      const { present } = await rewind(rig.context, { guildId: GUILD, bindingId: BINDING, ...time });
      assert.deepEqual(
        present.map(({ player }) => player.name),
        ["Ann"],
      );
    }
  });

  test("a command is tied to the one player at whom it aims, also after they left", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [bob, ann] }, at(10));
    await see(
      {
        players: [ann],
        commands: [
          [mod, ":kick bo spam", at(12)],
          [mod, ":pm nobody hi", at(13)],
        ],
      },
      at(14),
    );
    const rows = await context.db
      .selectFrom("command_targets")
      .innerJoin("persons", "persons.id", "command_targets.target")
      .select("player_id")
      .execute();
    assert.deepEqual(
      rows.map(({ player_id: id }) => id),
      [11],
    );
  });

  test("staff are noted when their rank is seen first or changes", async () => {
    const { see, context } = await openRig(databases);
    const as = (permission: string) => ({ players: [{ ...mod, permission }, bob] });
    await see(as("Server Moderator"), at(10));
    await see(as("Server Moderator"), at(20));
    // One answer does not tell it.
    await see(as(""), at(25));
    await see(as("Normal"), at(30));
    await see(as("Server Moderator"), at(95));
    await see(as(""), at(170));
    const rows = await context.db
      .selectFrom("ranks")
      .select(["at_s", "permission"])
      .orderBy("at_s")
      .execute();
    assert.deepEqual(
      rows.map((row) => [row.at_s - START_S, row.permission]),
      [
        [10, "Server Moderator"],
        [30, "Normal"],
        [95, "Server Moderator"],
      ],
    );
    const counts = await context.db.selectFrom("counts").select("staff").execute();
    assert.ok(counts.every(({ staff }) => staff === 1));
  });

  test("of a guild that turned it off nothing is stored", async () => {
    const { see, context } = await openRig(databases);
    await context.db
      .insertInto("guilds")
      .values({ id: 77, guild_id: GUILD, retention_days: 0, positions_days: 0, version: 1 })
      .execute();
    assert.equal(await see(busy, at(50)), 0);
  });
});
