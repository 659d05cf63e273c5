import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ServerStats, StaffStats } from "../../src/domain/stats.ts";
import { card } from "../../src/history/queries/player-card.ts";
import { at as rewindAt } from "../../src/history/queries/rewind.ts";
import { server } from "../../src/history/queries/server-stats.ts";
import { staff } from "../../src/history/queries/staff-stats.ts";
import { latestWeek } from "../../src/history/weekly/week.ts";
import { seededRandom } from "../support/clock.ts";
import { worlds } from "../support/worlds.ts";
import { onBothDatabases } from "./databases.ts";
import { BINDING, GUILD } from "./rig.ts";
import { isIn, median, type Span, sharedS, wallClock } from "./week-judge.ts";
import { CLOSED, GAME_ENDS_S, HOUR_S, live, OFTEN_S, PLANS, type Week, ZONE } from "./week-life.ts";
import type { TownPlayer } from "./week-town.ts";

onBothDatabases("a week's figures against the town's own record", (databases) => {
  const usual = PLANS[databases.kind];
  const plan = { ...usual, intervals: worlds(usual.intervals, [OFTEN_S[databases.kind]]) };
  const { week } = plan;
  let lived: Week | undefined;
  const its = () => lived ?? assert.fail("the week was not lived");
  before(async () => {
    lived = await live(databases, plan);
  });

  const day = (nth: number) => ({ fromS: week.fromS + nth * 86_400, toS: week.fromS + (nth + 1) * 86_400 });
  const spans: readonly Span[] = [
    week,
    ...[0, 1, 2, 3, 4, 5].map(day),
    { fromS: week.fromS + 5_555, toS: week.fromS + 333_333 },
  ];
  const serverOf = (span: Span): Promise<ServerStats> =>
    server(its().rig.context, { guildId: GUILD, bindingId: BINDING, ...span, zone: ZONE });
  const staffOf = (span: Span, player?: TownPlayer): Promise<StaffStats> =>
    staff(its().rig.context, { guildId: GUILD, ...span, zone: ZONE, playerId: player?.id });
  const mods = () => its().town.people.filter(({ permission }) => permission !== "Normal");

  test("the week had all that it should have", () => {
    const { town, judge } = its();
    const told = town.people.flatMap((player) => judge.sessionsOf(player));
    assert.ok(told.filter(({ isEndSeen, real }) => !isEndSeen && real.leaveS !== undefined).length > 20);
    assert.ok(judge.calls(week).length > 50 && judge.joins(week) > 1_000 && judge.kills(week) > 500);
    const { fromS, toS } = latestWeek(ZONE, week.toS * 1_000 + 10 * HOUR_S * 1_000);
    assert.deepEqual({ fromS, toS }, week, "the weekly summary is of this week");
  });

  test("what no answer has shown lies in a time of which it is told that rows may be missing", async () => {
    const { town, judge, rig } = its();
    const gaps = await rig.context.db.selectFrom("gaps").selectAll().execute();
    const rows = {
      joins: town.sessions.flatMap(({ joinRow, leaveRow }) => [joinRow, leaveRow ?? []].flat()),
      kills: town.kills.map(({ row }) => row),
      commands: town.commands.map(({ row }) => row),
      modCalls: town.calls.flatMap(({ row, shownS }) => (shownS === undefined ? row : [])),
    };
    const unseen = Object.entries(rows).flatMap(([log, all]) =>
      all.filter((row) => !town.shown.has(row)).map(({ atS }) => ({ log, atS })),
    );
    const between = unseen.filter(({ atS }) => atS > (town.looks[0] ?? 0) && atS <= judge.lastLookS);
    assert.ok(between.length > 20, `${between.length} rows were lost`);
    const untold = between.filter(
      ({ log, atS }) => !gaps.some((gap) => gap.log === log && gap.from_s <= atS && atS <= gap.to_s),
    );
    assert.deepEqual(untold, []);
  });

  test("/stats server: joins, different players, kills and calls are the town's", async () => {
    const { judge } = its();
    for (const span of spans) {
      const { joins, visitors, kills, calls } = await serverOf(span);
      const made = judge.calls(span);
      assert.deepEqual(
        { joins, visitors, kills, calls: calls.calls, answered: calls.answered },
        {
          joins: judge.joins(span),
          visitors: judge.visitors(span),
          kills: judge.kills(span),
          calls: made.length,
          answered: made.filter(({ answerShownS }) => answerShownS !== undefined).length,
        },
        JSON.stringify(span),
      );
    }
  });

  test("/stats server: how soon calls were answered is as true as the looks around it", async () => {
    const { judge } = its();
    for (const span of spans) {
      const { calls } = await serverOf(span);
      const times = judge.answerTimes(judge.calls(span));
      assert.equal(calls.timed, times.length);
      assert.equal(calls.medianAnswerS, median(times.map(({ toldS }) => toldS)));
      const real = median(times.map(({ realS }) => realS)) ?? 0;
      assert.ok(Math.abs((calls.medianAnswerS ?? 0) - real) <= 150, `${calls.medianAnswerS}, really ${real}`);
    }
  });

  test("/stats server: players, staff and the time without staff lie between what the looks around them showed", async () => {
    const { judge } = its();
    for (const span of spans) {
      const found = await serverOf(span);
      const players = judge.bounds(span, (crowd) => crowd.players);
      const staffed = judge.bounds(span, (crowd) => crowd.staff);
      const without = judge.uncoveredBounds(span);
      // After the last look before a pause the last number counts for up to half an hour.
      const pauseS = found.knownS - players.knownS;
      assert.ok(pauseS >= -60 && pauseS <= 3 * 1_800 + 120, `${found.knownS}, looked at ${players.knownS}`);
      const most = its().town.people.length * Math.max(0, pauseS);
      const isBetween = (
        value: number,
        { low, high }: { readonly low: number; readonly high: number },
        what: string,
      ) =>
        assert.ok(value >= low - 60 && value <= high + most + 60, `${what}: ${value}, not ${low} to ${high}`);
      isBetween((found.players ?? 0) * found.knownS, players, "players");
      isBetween((found.staff ?? 0) * found.knownS, staffed, "staff");
      isBetween(found.uncoveredS, without, "without staff");
      assert.equal(found.peak, judge.peak(span), JSON.stringify(span));
    }
  });

  test("/stats server: hours and days are those of the clock on the wall, also where it is set", async () => {
    const { town, judge } = its();
    const clockOf = wallClock(ZONE);
    const found = await serverOf(week);
    const calls = Map.groupBy(judge.calls(week), ({ atS }) => {
      const { weekday, hour } = clockOf(atS);
      return weekday * 24 + hour;
    });
    found.week.forEach((hour, index) => {
      assert.equal(hour.calls, calls.get(index)?.length ?? 0, `hour ${index}`);
    });
    assert.equal(found.steps.length, (week.toS - week.fromS) / HOUR_S);
    for (const step of found.steps) {
      const span = { fromS: step.startS, toS: step.endS };
      assert.deepEqual([step.joins, step.kills], [judge.joins(span), judge.kills(span)]);
    }
    for (const player of mods()) {
      const { days } = await staffOf(week, player);
      assert.equal(days.length, 7);
      for (const { startS, playedS } of days) {
        const shown = clockOf(startS).day;
        const toS = days.find((other) => other.startS > startS)?.startS ?? week.toS;
        assert.deepEqual([shown === clockOf(toS - 1).day, shown === clockOf(toS).day], [true, false]);
        assert.equal(playedS, judge.playedS(player, { fromS: startS, toS }), `${player.name} on ${shown}`);
      }
    }
    assert.ok(town.looks.length > 500);
  });

  test("/stats staff: everybody's time, calls and commands are the town's", async () => {
    const { judge } = its();
    for (const span of spans) {
      const found = await staffOf(span);
      const made = judge.calls(span);
      for (const player of mods()) {
        const own = found.staff.find(({ player: { id } }) => id === player.id);
        const answered = made.filter(
          ({ moderator, answerShownS }) => moderator === player && answerShownS !== undefined,
        );
        const meanwhile = judge.callsMeanwhile(player, span);
        const sessions = judge.sessionsOf(player).filter((session) => touches(session, span));
        const real = {
          playedS: judge.playedS(player, span),
          sessions: sessions.length,
          callsAnswered: answered.length,
          timed: judge.answerTimes(answered).length,
          medianAnswerS: median(judge.answerTimes(answered).map(({ toldS }) => toldS)),
          callsMeanwhile: meanwhile.length,
          answeredMeanwhile: answered.filter((call) => meanwhile.includes(call)).length,
          commands: judge.commandsBy(player, span),
        };
        if (own === undefined) {
          assert.equal(sessions.length + real.callsAnswered + real.commands, 0, `${player.name} is missing`);
          continue;
        }
        const {
          playedS,
          sessions: times,
          callsAnswered,
          timed,
          medianAnswerS,
          callsMeanwhile,
          answeredMeanwhile,
          commands,
        } = own;
        assert.deepEqual(
          {
            playedS,
            sessions: times,
            callsAnswered,
            timed,
            medianAnswerS,
            callsMeanwhile,
            answeredMeanwhile,
            commands,
          },
          real,
          `${player.name} in ${JSON.stringify(span)}`,
        );
        const quiet = judge.quietBounds(player, span);
        assert.ok(
          own.quietS >= quiet.low - 600 && own.quietS <= quiet.high + 600,
          `${player.name}: ${own.quietS} quiet, not ${quiet.low} to ${quiet.high}`,
        );
      }
    }
  });

  test("/player show: time, kills, calls and commands of everybody are the town's", async () => {
    const { town, judge, rig } = its();
    const nowS = judge.lastLookS;
    const all = { fromS: 0, toS: nowS + 1 };
    for (const player of town.people) {
      const found = await card(rig.context, { guildId: GUILD, playerId: player.id, nowS, harmless: [] });
      const sessions = judge.sessionsOf(player);
      const calls = judge.calls(all);
      assert.ok(found !== undefined);
      assert.deepEqual(
        {
          sessions: found.sessions,
          days7S: found.playedLast7DaysS,
          days30S: found.playedLast30DaysS,
          kills: found.kills,
          deaths: found.deaths,
          bestStreak: found.bestStreak,
          callsMade: found.callsMade,
          callsAnswered: found.callsAnswered,
          callsNearKills: found.callsNearKills,
          commandsRun: found.commandsRun,
          commandsAgainst: found.commandsAgainst,
          permission: found.permission,
        },
        {
          sessions: sessions.length,
          days7S: judge.playedS(player, { fromS: nowS - 7 * 86_400, toS: nowS }),
          days30S: judge.playedS(player, { fromS: nowS - 30 * 86_400, toS: nowS }),
          kills: town.kills.filter(({ killer, row }) => killer === player && town.shown.has(row)).length,
          deaths: town.kills.filter(({ killed, row }) => killed === player && town.shown.has(row)).length,
          bestStreak: judge.bestStreak(player),
          callsMade: calls.filter(({ caller }) => caller === player).length,
          callsAnswered: calls.filter(
            ({ moderator, answerShownS }) => moderator === player && answerShownS !== undefined,
          ).length,
          callsNearKills: judge.callsNearKills(player),
          commandsRun: judge.commandsBy(player, all),
          commandsAgainst: judge.commandsAgainst(player),
          permission: player.permission === "Normal" ? undefined : player.permission,
        },
        player.name,
      );
      const last = sessions.at(-1);
      assert.equal(found.latestSession?.start.atS, last?.fromS);
      assert.equal(found.latestSession?.end === undefined, last?.real.leaveS === undefined);
      if (last?.real.leaveS !== undefined)
        assert.equal(found.player.lastSeenS, last.toS, `${player.name} last seen`);
    }
  });

  test("/server at: who was there at any time, also after the game server ended", async () => {
    const { judge, rig } = its();
    const random = seededRandom(99);
    const times = [
      ...Array.from({ length: 60 }, () => week.fromS + Math.floor(random.next() * (week.toS - week.fromS))),
      ...GAME_ENDS_S.flatMap((endS) => [week.fromS + endS - 30, week.fromS + endS + 700]),
      ...CLOSED.flatMap(({ fromS, toS }) => [week.fromS + fromS + HOUR_S, week.fromS + toS - 60]),
    ];
    for (const atS of times) {
      const view = await rewindAt(rig.context, {
        guildId: GUILD,
        bindingId: BINDING,
        atS,
        fromS: atS - 300,
        toS: atS + 300,
      });
      const names = view.present.map(({ player }) => player.name).sort();
      const { sure, possible } = judge.presentAt(atS);
      for (const { name } of sure)
        assert.ok(names.includes(name), `${name} was there at ${atS - week.fromS}`);
      for (const name of names)
        assert.ok(
          possible.some((player) => player.name === name),
          `${name} was not there at ${atS - week.fromS}`,
        );
    }
  });
});

/** Whether it has a part in the span, be it a moment. */
function touches(session: Span, span: Span): boolean {
  return sharedS(session, span) > 0 || (session.fromS === session.toS && isIn(session.fromS, span));
}
