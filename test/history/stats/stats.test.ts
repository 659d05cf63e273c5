import assert from "node:assert/strict";
import { test } from "node:test";
import { historyLine } from "../../../src/discord/render/players/history-line.ts";
import type { CaseAuthor } from "../../../src/domain/case.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { add } from "../../../src/history/queries/add-cases.ts";
import { eraseStep } from "../../../src/history/queries/erase-expired.ts";
import { forget } from "../../../src/history/queries/forget-player.ts";
import { card } from "../../../src/history/queries/player-card.ts";
import { at as rewindAt } from "../../../src/history/queries/rewind.ts";
import { server } from "../../../src/history/queries/server-stats.ts";
import { caseCounts, staff } from "../../../src/history/queries/staff-stats.ts";
import { seededRandom } from "../../support/clock.ts";
import { kick } from "../cases/case-samples.ts";
import { onBothDatabases } from "../databases.ts";
import { ann, BINDING, bob, GUILD, mod, openRig, START_S, snapshotOf, type Town } from "../rig.ts";

/** From a full quarter of an hour on. */
const at = (s: number) => START_S + 100 + s;
const DAY_S = 86_400;
const moderator = { ...mod, permission: "Server Moderator" };
const span = (fromS: number, toS: number) => ({ fromS, toS, zone: "UTC" });

onBothDatabases("figures of a server and of its staff", (databases) => {
  test("a rank on one server is not lost by losing one on another", async () => {
    const rig = await openRig(databases);
    const west = "s2" as SourceId;
    rig.linksBySource.set(west, [{ guildId: GUILD, bindingId: "b2", linkedAtS: START_S }]);
    const admin = { ...mod, permission: "Server Administrator" };
    await rig.take(snapshotOf({ players: [admin] }, at(0), west));
    await rig.see({ players: [moderator] }, at(60));
    const rank = async () =>
      (await card(rig.context, { guildId: GUILD, playerId: mod.id, nowS: at(200), harmless: [] }))
        ?.permission;
    assert.equal(await rank(), "Server Moderator", "the newest");
    await rig.see({ players: [mod] }, at(120));
    assert.equal(await rank(), "Server Administrator");
    await rig.take(snapshotOf({ players: [mod] }, at(180), west));
    assert.equal(await rank(), undefined);
  });

  test("name the most players that any look has shown, also between two of those that are kept", async () => {
    const { see, context } = await openRig(databases);
    const people = Array.from({ length: 12 }, (_, n) => ({ name: `Player${n}`, id: 500 + n }));
    const looks = [
      ...[2, 4, 3, 5, 4, 3].map((players, n) => ({ atS: at(n * 10), players })),
      ...[3, 9, 12, 11, 3, 3].map((players, n) => ({ atS: at(60 + n * 10), players })),
      ...[4, 4, 10, 4].map((players, n) => ({ atS: at(900 + n * 15), players })),
    ];
    for (const { atS, players } of looks) await see({ players: people.slice(0, players) }, atS);
    const peakOf = async (fromS: number, toS: number) => {
      const found = await server(context, {
        guildId: GUILD,
        bindingId: BINDING,
        ...span(at(fromS), at(toS)),
      });
      return [found.peak, found.peakAtS && found.peakAtS - at(0)];
    };
    assert.deepEqual(await peakOf(0, 900), [12, 80]);
    assert.deepEqual(await peakOf(900, 1_800), [10, 930]);
    const { rows } = await context.db
      .selectFrom("counts")
      .select(({ fn }) => fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    assert.ok(Number(rows) <= 8, `${rows} rows of ${looks.length} looks`);
  });

  test("begin with the first look, not with its minute", async () => {
    const { see, context } = await openRig(databases);
    const people = Array.from({ length: 24 }, (_, n) => ({ name: `Player${n}`, id: 500 + n }));
    await see({ players: people.slice(0, 20) }, at(51));
    for (let atS = at(53); atS <= at(95); atS += 2) await see({ players: people }, atS);
    const asked = { guildId: GUILD, bindingId: BINDING, ...span(at(0), at(900)) };
    const { knownS, players = 0 } = await server(context, asked);
    assert.deepEqual([knownS, Math.round(players * 10) / 10], [45, 23.8]);
  });

  test("are those of a naive count over a seeded town, whatever part of the time is asked for", async () => {
    const { see, context } = await openRig(databases);
    const random = seededRandom(7);
    const below = (count: number) => Math.floor(random.next() * count);
    const people = Array.from({ length: 30 }, (_, n) => ({ name: `Player${n}`, id: 500 + n }));
    const inside = new Set<(typeof people)[number]>();
    const joins: NonNullable<Town["joins"]>[number][] = [];
    const kills: NonNullable<Town["kills"]>[number][] = [];
    const calls: { readonly caller: (typeof people)[number]; readonly atS: number; answered?: number }[] = [];
    const looks: { readonly atS: number; readonly players: number; readonly staff: number }[] = [];
    for (let minute = 0; minute < 600; minute += 1) {
      const atS = at(minute * 60);
      const who = people[below(people.length)] ?? bob;
      const other = people[below(people.length)] ?? bob;
      if (inside.has(who)) inside.delete(who);
      else inside.add(who);
      joins.push([who, atS + 1, inside.has(who)]);
      for (let n = below(3); n > 0; n -= 1) kills.push([who, other, atS + 2]);
      if (below(4) === 0) calls.push({ caller: other, atS: atS + 3 });
      const open = calls.find(({ answered }) => answered === undefined);
      if (open !== undefined && below(3) === 0) open.answered = atS + 59;
      const hasStaff = minute % 120 < 50;
      const players = [...inside].filter(({ id }) => id !== moderator.id);
      await see(
        {
          joins: joins.slice(-25),
          kills: kills.slice(-25),
          modCalls: calls
            .slice(-25)
            .map(({ caller, atS: calledS, answered }) =>
              answered === undefined ? [caller, calledS] : [caller, calledS, moderator],
            ),
          players: [...players, ...(hasStaff ? [moderator] : [])],
        },
        // The first count stands at its second, the others at their minute.
        atS + (minute === 0 ? 0 : 59),
      );
      const count = players.length + (hasStaff ? 1 : 0);
      looks.push({ atS, players: count, staff: hasStaff ? 1 : 0 });
    }
    for (const [fromM, toM] of [
      [0, 600],
      [13, 479],
      [120, 121],
    ] as const) {
      const asked = span(at(fromM * 60), at(toM * 60));
      const isIn = ({ atS }: { readonly atS: number }) => atS >= asked.fromS && atS < asked.toS;
      const found = await server(context, { guildId: GUILD, bindingId: BINDING, ...asked });
      const minutes = looks.filter(isIn);
      const joined = joins.filter(([, atS, isJoin]) => isJoin && isIn({ atS }));
      assert.equal(found.joins, joined.length);
      assert.equal(found.kills, kills.filter(([, , atS]) => isIn({ atS })).length);
      const made = calls.filter(isIn);
      assert.equal(found.calls.calls, made.length);
      assert.equal(found.calls.answered, made.filter(({ answered }) => answered !== undefined).length);
      assert.equal(found.knownS, (toM - fromM) * 60);
      const mean = minutes.reduce((sum, { players }) => sum + players, 0) / minutes.length;
      assert.ok(Math.abs((found.players ?? 0) - mean) < 1e-9, `${found.players}, not ${mean}`);
      assert.equal(found.peak, Math.max(...minutes.map(({ players }) => players)));
      const uncovered = minutes.filter(({ players, staff: there }) => players > 0 && there === 0).length * 60;
      assert.equal(found.uncoveredS, uncovered);
      for (const key of ["joins", "kills"] as const) {
        assert.equal(
          found.steps.reduce((sum, step) => sum + step[key], 0),
          found[key],
        );
      }
      assert.equal(
        found.week.reduce((sum, hour) => sum + hour.calls, 0),
        made.length,
      );
    }
  });

  test("a server of another guild, or one that nobody recorded, has no figures and says since when", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [bob] }, at(60));
    const other = await server(context, { guildId: "901", bindingId: BINDING, ...span(at(0), at(60)) });
    assert.deepEqual(
      [other.knownS, other.joins, other.recordedSinceS, other.players],
      [0, 0, undefined, undefined],
    );
    const own = await server(context, { guildId: GUILD, bindingId: BINDING, ...span(at(0), at(120)) });
    assert.deepEqual([own.knownS, own.recordedSinceS, own.players], [60, START_S, 1]);
  });

  test("who was there when the kept time begins is among its visitors, though their join is erased", async () => {
    const { see, context } = await openRig(databases);
    const joins: Town["joins"] = [
      [bob, at(100), true],
      [ann, at(110), true],
      [ann, at(310), false],
    ];
    await see({ players: [bob], joins: joins.slice(0, 1) }, at(100));
    await see({ players: [bob, ann], joins: joins.slice(0, 2) }, at(200));
    await see({ players: [bob], joins }, at(330));
    await see({ players: [], joins: [...joins, [bob, at(400), false]] }, at(410));
    const times = { guildId: GUILD, bindingId: BINDING, ...span(at(320), at(600)) };
    assert.equal((await server(context, times)).visitors, 1);
    await eraseStep(context, { afterScope: 0, nowS: at(315) + 90 * DAY_S, nowMs: 0 });
    const { visitors, recordedSinceS } = await server(context, times);
    assert.deepEqual([visitors, recordedSinceS], [1, at(315)]);
  });

  test("a visit of which the beginning is too old to be kept counts from there on, however often something is erased", async () => {
    const { see, context } = await openRig(databases);
    const joins: Town["joins"] = [
      [mod, at(100), true],
      [ann, at(110), true],
      [mod, at(400), false],
    ];
    await see({ players: [moderator, bob], joins: joins.slice(0, 1) }, at(105));
    await see({ players: [moderator, ann, bob], joins: joins.slice(0, 2) }, at(200));
    // Nobody sees when Bob and Ann leave.
    for (const n of [330, 340]) await see({ players: [moderator], joins: joins.slice(0, 2) }, at(n));
    for (const n of [410, 420]) await see({ players: [], joins }, at(n));
    const erase = (n: number) => eraseStep(context, { afterScope: 0, nowS: at(n) + 90 * DAY_S, nowMs: 0 });
    const playedBy = async ({ id: playerId }: { readonly id: number }) => {
      const found = await card(context, { guildId: GUILD, playerId, nowS: at(600), harmless: [] });
      return [found?.sessions, found?.playedLast7DaysS];
    };
    const ofStaff = async () => {
      const { staff: all } = await staff(context, { guildId: GUILD, ...span(at(0), at(600)) });
      return all.map(({ sessions, playedS }) => [sessions, playedS]);
    };
    assert.deepEqual([await ofStaff(), await playedBy(ann)], [[[1, 300]], [1, 90]]);
    await erase(150);
    assert.deepEqual([await ofStaff(), await playedBy(ann)], [[[1, 250]], [1, 50]]);
    await erase(315);
    await erase(350);
    assert.deepEqual([await ofStaff(), await playedBy(ann)], [[[1, 50]], [0, 0]]);
    await erase(405);
    assert.deepEqual([await ofStaff(), await playedBy(mod)], [[], [0, 0]]);
  });

  test("a number of players counts for half an hour at most, and the time that may be missing is named", async () => {
    const { see, context } = await openRig(databases);
    const row = (n: number): NonNullable<Town["kills"]>[number] => [bob, ann, at(n)];
    await see({ players: [bob], kills: Array.from({ length: 5 }, (_, n) => row(n)) }, at(60));
    await see({ players: [bob, ann], kills: Array.from({ length: 5 }, (_, n) => row(7_190 + n)) }, at(7_200));
    const found = await server(context, { guildId: GUILD, bindingId: BINDING, ...span(at(0), at(7_260)) });
    assert.equal(found.knownS, 1_800 + 60);
    assert.ok(found.unrecordedS > 7_000 && found.unrecordedS <= 7_260, String(found.unrecordedS));
    const ofStaff = await staff(context, { guildId: GUILD, ...span(at(0), at(7_260)) });
    assert.equal(ofStaff.unrecordedS, 0, "of calls and commands nothing is missing");
  });

  test("staff have their hours, quiet ones apart, the calls they answered, those they could have, and commands", async () => {
    const { see, context } = await openRig(databases);
    const crowd = Array.from({ length: 6 }, (_, n) => ({ name: `P${n}`, id: 700 + n }));
    const minute = async (n: number, town: Town) => await see(town, at(n * 60));
    const joins: Town["joins"] = [[moderator, at(60), true]];
    const first = [ann, at(600)] as const;
    const second = [bob, at(3_000)] as const;
    for (let n = 1; n <= 60; n += 1) {
      const modCalls = [
        ...(n >= 11 ? [n >= 13 ? ([...first, mod] as const) : first] : []),
        ...(n >= 50 ? [second] : []),
      ];
      const players = n < 30 ? [moderator, bob] : [moderator, bob, ...crowd];
      const commands = n < 20 ? [] : ([[mod, ":pm Bob hi", at(1_150)]] as const);
      await minute(n, { joins, modCalls, players, commands });
    }
    await minute(61, { joins: [...joins, [moderator, at(3_660), false]], players: [bob] });
    const all = await staff(context, { guildId: GUILD, ...span(at(0), at(7_200)) });
    assert.equal(all.staff.length, 1);
    const { medianAnswerS, quietS, ...own } = all.staff[0] ?? assert.fail();
    assert.deepEqual(own, {
      player: mod,
      playedS: 3_600,
      sessions: 1,
      callsAnswered: 1,
      timed: 1,
      callsMeanwhile: 2,
      answeredMeanwhile: 1,
      commands: 1,
    });
    // Called at 10 min, seen open at 12, answered at 13.
    assert.equal(medianAnswerS, 150);
    assert.equal(quietS, 29 * 60);
    const [day] = (await staff(context, { guildId: GUILD, playerId: mod.id, ...span(at(0), at(7_200)) }))
      .days;
    assert.deepEqual(day, { startS: at(0), playedS: 3_600, callsAnswered: 1 });
    const part = await staff(context, { guildId: GUILD, playerId: mod.id, ...span(at(1_800), at(2_400)) });
    assert.deepEqual([part.staff[0]?.playedS, part.staff[0]?.callsMeanwhile], [600, 0]);
    assert.deepEqual((await staff(context, { guildId: "901", ...span(at(0), at(7_200)) })).staff, []);
  });

  test("a call that was claimed on its card counts as answered by its claimer, at that time, until it is let go", async () => {
    const rig = await openRig(databases);
    const span_ = span(at(0), at(7_200));
    const figures = async () => {
      const found = await server(rig.context, { guildId: GUILD, bindingId: BINDING, ...span_ });
      const { staff: own } = await staff(rig.context, { guildId: GUILD, ...span_ });
      return {
        answered: found.calls.answered,
        medianAnswerS: found.calls.medianAnswerS,
        staff: own
          .filter(({ callsAnswered }) => callsAnswered > 0)
          .map(({ player, callsAnswered }) => [player.name, callsAnswered]),
      };
    };
    const modCalls = [
      [bob, at(30)],
      [ann, at(40)],
    ] as const;
    const look = async (s: number, calls: Town["modCalls"] = modCalls) =>
      await rig.see({ players: [moderator, bob, ann], modCalls: calls }, at(s));
    const claim = (userId: string, s: number) => ({ userId, userName: "Mo", atMs: at(s) * 1_000 });
    await look(60);
    rig.cards = [
      { caller: bob, atS: at(30) },
      { caller: ann, atS: at(40) },
    ];
    await look(120);
    assert.deepEqual(await figures(), { answered: 0, medianAnswerS: undefined, staff: [] });

    rig.cards = [
      { caller: bob, atS: at(30), taken: claim("u13", 150) },
      { caller: ann, atS: at(40), taken: claim("u9", 140) },
    ];
    await look(1_200);
    assert.deepEqual(await figures(), {
      answered: 2,
      medianAnswerS: 110,
      staff: [
        ["Mona", 1],
        ["Mo", 1],
      ],
    });
    // Who claimed Ann's call has linked the account since.
    const claimNames = [{ name: "Mo", playerId: mod.id }];
    const joined = await staff(rig.context, { guildId: GUILD, ...span_, claimNames });
    assert.deepEqual(
      joined.staff.map(({ player, callsAnswered, medianAnswerS }) => [
        player.name,
        callsAnswered,
        medianAnswerS,
      ]),
      [["Mona", 2, 110]],
    );
    const shown = await card(rig.context, {
      guildId: GUILD,
      playerId: mod.id,
      nowS: at(1_200),
      harmless: [],
    });
    assert.equal(shown?.callsAnswered, 1);
    const callLines = async () => {
      const around = { guildId: GUILD, bindingId: BINDING, atS: at(40), fromS: at(0), toS: at(100) };
      const { rows } = await rewindAt(rig.context, around);
      return rows.filter(({ kind }) => kind === "modCall").map((row) => historyLine(row));
    };
    const [bobs, anns] = await callLines();
    assert.match(bobs ?? "", /Bob\*\* called a moderator, claimed by \*\*Mona/);
    assert.match(anns ?? "", /Ann\*\* called a moderator, claimed by @Mo$/);

    rig.cards = [
      { caller: bob, atS: at(30) },
      { caller: ann, atS: at(40), taken: claim("u9", 140) },
    ];
    await look(1_300);
    await look(1_400, [
      [bob, at(30)],
      [ann, at(40), mod],
    ]);
    assert.deepEqual(await figures(), { answered: 1, medianAnswerS: 100, staff: [["Mo", 1]] });
    assert.match((await callLines())[0] ?? "", /Bob\*\* called a moderator$/);
  });

  test("nobody is in the game for longer than they were seen there: an unseen leave counts up to the last look", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [moderator, bob] }, at(60));
    await see({ players: [moderator, bob] }, at(120));
    // Marshal was away for a day, and the moderator is gone.
    await see({ players: [bob] }, at(DAY_S));
    await see({ players: [bob] }, at(DAY_S + 60));
    const all = await staff(context, { guildId: GUILD, ...span(at(0), at(2 * DAY_S)) });
    assert.ok((all.staff[0]?.playedS ?? 0) <= 120, JSON.stringify(all.staff[0]));
  });

  test("calls are counted all, be they as many as ten busy servers have in a quarter of a year", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [moderator, bob], modCalls: [[bob, at(0), mod]] }, at(10));
    const {
      scope,
      caller,
      moderator: by,
    } = await context.db
      .selectFrom("mod_calls")
      .select(["scope", "caller", "moderator"])
      .executeTakeFirstOrThrow();
    // Some share a second.
    const calls = Array.from({ length: 20_999 }, (_, n) => {
      const at_s = at(20 + Math.floor(n / 3));
      return {
        scope,
        caller,
        n: n % 3,
        at_s,
        moderator: n < 500 ? by : null,
        answered_s: null,
        open_s: null,
      };
    });
    for (let n = 0; n < calls.length; n += 2_000)
      await context.db
        .insertInto("mod_calls")
        .values(calls.slice(n, n + 2_000))
        .execute();
    const all = { guildId: GUILD, ...span(at(0), at(9_000)) };
    const { calls: made, week } = await server(context, { ...all, bindingId: BINDING });
    assert.deepEqual(made, { calls: 21_000, answered: 501, timed: 1, medianAnswerS: 5 });
    assert.equal(
      week.reduce((sum, hour) => sum + hour.calls, 0),
      21_000,
    );
    assert.equal((await staff(context, all)).staff[0]?.callsAnswered, 501);
  });

  test("a forgotten player is in no figures of staff, and their calls count as open", async () => {
    const { see, context } = await openRig(databases);
    await see({ players: [moderator, bob], modCalls: [[bob, at(30)]] }, at(60));
    await see({ players: [moderator, bob], modCalls: [[bob, at(30), mod]] }, at(120));
    await forget(context, { guildId: GUILD, playerId: mod.id, nowS: at(200) });
    const all = await staff(context, { guildId: GUILD, ...span(at(0), at(600)) });
    assert.deepEqual([all.staff, all.calls], [[], { calls: 1, answered: 0, timed: 0 }]);
  });

  test("cases are counted for each maker, without the revoked ones", async () => {
    const { context } = await openRig(databases);
    const made = async (author: CaseAuthor, atMs: number) => {
      const { origin: _, number: __, edits: ___, ...draft } = kick({ guildId: GUILD, author, atMs });
      await add(context, { draft, card: undefined, most: 1_000 });
    };
    await made({ name: "Mo", userId: "5" }, 1_000);
    await made({ name: "Mo", userId: "5" }, 2_000);
    await made({ name: "Mona", playerId: 13 }, 3_000);
    await made({ name: "Mona", playerId: 13 }, 9_000);
    const counts = await caseCounts(context, { guildId: GUILD, fromMs: 0, toMs: 5_000 });
    assert.deepEqual(
      counts.toSorted((a, b) => a.cases - b.cases),
      [
        { playerId: 13, cases: 1 },
        { userId: "5", cases: 2 },
      ],
    );
  });
});
