import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serverStatsMessage } from "../../../src/discord/render/stats/server-stats.ts";
import { fullestSpan, spanWords, uncoveredSpans } from "../../../src/discord/render/stats/staff-need.ts";
import { staffRows } from "../../../src/discord/render/stats/staff-rows.ts";
import { ownMessage, staffMessage } from "../../../src/discord/render/stats/staff-stats.ts";
import { weeklyRenderer } from "../../../src/discord/render/stats/weekly-card.ts";
import { md } from "../../../src/domain/escaped.ts";
import type { Crowd, ServerStats, StaffFigures, StaffStats } from "../../../src/domain/stats.ts";

const HOUR_S = 3_600;

/** A week in which these hours (from Monday 0:00) have players, and those marked no staff. */
function weekOf(players: Readonly<Record<number, number>>, uncovered: readonly number[]): readonly Crowd[] {
  return Array.from({ length: 168 }, (_, index) => ({
    knownS: HOUR_S,
    players: players[index] ?? 0,
    uncoveredS: uncovered.includes(index) ? HOUR_S : 0,
    calls: 0,
  }));
}

describe("when staff is needed", () => {
  test("hours beside each other are one time, which ends at midnight; the one with the most players goes first", () => {
    const week = weekOf({ 20: 3, 21: 3, 119: 20, 120: 18 }, [20, 21, 119, 120]);
    const words = uncoveredSpans(week, 9).map((span) => `${spanWords(span)}, ${span.players}`);
    assert.deepEqual(words, ["Fri 23:00–24:00, 20", "Sat 00:00–01:00, 18", "Mon 20:00–22:00, 3"]);
    assert.equal(uncoveredSpans(week, 1).length, 1);
  });

  test("the fullest time is the fullest hour with those about as full beside it; nobody there, none", () => {
    const span = fullestSpan(weekOf({ 43: 10, 44: 20, 45: 17 }, []));
    assert.equal(span === undefined ? "" : spanWords(span), "Tue 20:00–22:00");
    assert.equal(fullestSpan(weekOf({}, [])), undefined);
  });
});

describe("words about staff do not contradict each other", () => {
  const statsOf = (known: Partial<ServerStats>): ServerStats => ({
    fromS: 0,
    toS: 7 * 24 * HOUR_S,
    zone: "UTC",
    bindingId: "b1",
    recordedSinceS: 0,
    knownS: 7 * 24 * HOUR_S,
    players: 3,
    peak: 9,
    staff: 1,
    uncoveredS: 0,
    joins: 3,
    visitors: 3,
    kills: 0,
    calls: { calls: 12, answered: 11, timed: 11, medianAnswerS: 119 },
    stepKind: "hour",
    steps: [],
    week: weekOf({ 20: 9 }, []),
    unrecordedS: 0,
    ...known,
  });
  const message = (stats: ServerStats) =>
    serverStatsMessage({
      stats,
      serverName: "Town",
      title: md`Week`,
      pngs: [new Uint8Array(), new Uint8Array()],
    });
  const said = (stats: ServerStats) => JSON.stringify(message(stats).cards);
  const behindPictures = (stats: ServerStats) =>
    (message(stats).files ?? []).map(({ description }) => description).join(" ");

  test("some minutes without staff, and no hour that had many of them", () => {
    const week = weekOf({ 20: 9 }, []).map((hour, index) =>
      index === 20 ? { ...hour, uncoveredS: 840 } : hour,
    );
    const some = statsOf({ uncoveredS: 840, week });
    assert.match(said(some), /Players without staff: \*\*14/);
    for (const words of [said(some), behindPictures(some)])
      assert.doesNotMatch(words, /[Ss]taff were (always )?on/);
    assert.match(said(statsOf({})), /Staff were on whenever players were/);
  });

  test("whose list of players was not read has no hours without staff, and none with it", () => {
    const { staff: _, ...unknown } = statsOf({});
    for (const words of [said(unknown), behindPictures(unknown)])
      assert.doesNotMatch(words, /[Ss]taff were (always )?on/);
  });

  test("the typical answer is named as that, and a part of the time as a part of its hours", () => {
    assert.match(said(statsOf({})), /Typical answer: \*\*2/);
    assert.match(said(statsOf({ knownS: 162 * HOUR_S })), /Based on 162 of 168 hours/);
    assert.match(said(statsOf({ knownS: 120 })), /Based on 2\u00a0min of 168 hours/);
  });

  test("every time is in the zone that the card names", () => {
    const peakAtS = Date.UTC(2026, 0, 3, 23, 5) / 1_000;
    const recordedSinceS = Date.UTC(2026, 0, 1, 12) / 1_000;
    const stats = statsOf({ zone: "Europe/Berlin", peakAtS, recordedSinceS, knownS: 3_600 });
    assert.match(said(stats), /at most \*\*9\*\* \(Sun 4 Jan, 00:05\)/);
    assert.match(said(stats), /start Thu 1 Jan, 13:00/);
    assert.match(behindPictures(stats), /9 at most at Sun 4 Jan, 00:05/);
    const week = JSON.stringify(
      weeklyRenderer.summary({
        binding: { id: "b1", name: "Town", guildId: "g1" },
        stats,
        before: stats,
        pngs: [],
        key: "k",
      }),
    );
    assert.match(week, /Sun 4 Jan, 00:05/);
    assert.doesNotMatch(said(stats) + week, /<t:\d+:f>/);
  });
});

describe("the list of staff", () => {
  const figures: StaffFigures = {
    player: { name: "**Mo** @everyone", id: 7 },
    playedS: 2 * HOUR_S,
    quietS: 0,
    sessions: 1,
    callsAnswered: 2,
    timed: 2,
    medianAnswerS: 30,
    callsMeanwhile: 5,
    answeredMeanwhile: 2,
    commands: 0,
  };
  const statsOfStaff = (own: StaffFigures): StaffStats => ({
    fromS: 0,
    toS: HOUR_S,
    zone: "UTC",
    recordedSinceS: 0,
    days: [],
    isShortened: false,
    unrecordedS: 0,
    calls: { calls: 5, answered: 2, timed: 2, medianAnswerS: 30 },
    staff: [own],
  });
  const said = (own: StaffFigures): string => {
    const stats = statsOfStaff(own);
    const rows = [{ figures: own, cases: 0, runs: 0 }];
    const view = { stats, rows, title: md`Staff`, png: undefined, isRunsShortened: false };
    return staffMessage(view).cards?.[0]?.description ?? "";
  };

  test("of the calls made while they played the answered ones are named; what else they answered is no part of these", () => {
    assert.match(said(figures), /2 of 5 calls/);
    const of = (callsAnswered: number, answeredMeanwhile: number, callsMeanwhile: number) =>
      said({ ...figures, callsAnswered, answeredMeanwhile, callsMeanwhile });
    assert.match(of(3, 2, 3), / · 2 of 3 calls and 1 other answered/);
    assert.match(of(3, 1, 1), / · 1 of 1 call and 2 others answered/);
    assert.match(of(2, 0, 0), / · 2 calls answered/);
    assert.match(of(1, 0, 0), / · 1 call answered/);
    assert.match(of(1, 1, 1), / · 1 of 1 call(?!s| and)/);
  });

  test("explains quiet time only where it shows some", () => {
    const fair = (own: StaffFigures) => {
      const stats = statsOfStaff(own);
      const rows = [{ figures: own, cases: 0, runs: 0 }];
      const view = { stats, rows, title: md`Staff`, png: undefined, isRunsShortened: false };
      const all = JSON.stringify(staffMessage(view).cards);
      return `${all}${JSON.stringify(ownMessage({ ...view, hasAccount: true, isOwn: true }).cards)}`;
    };
    assert.doesNotMatch(fair(figures), /Few players|Quiet/);
    assert.match(fair({ ...figures, quietS: HOUR_S }), /Quiet: at most[\s\S]*Few players: at most/);
  });

  test("speaks of the reader as you, and of others by what they did", () => {
    const own = (isOwn: boolean) => {
      const stats = statsOfStaff({ ...figures, quietS: HOUR_S });
      const rows = [{ figures: { ...figures, quietS: HOUR_S }, cases: 0, runs: 0 }];
      const view = { stats, rows, title: md`You`, png: undefined, isRunsShortened: false };
      return JSON.stringify(ownMessage({ ...view, hasAccount: true, isOwn }).cards).replaceAll("\u00a0", " ");
    };
    assert.match(own(true), /5 came in while you were playing/);
    assert.match(own(true), /1 h of it with few players/);
    assert.match(own(true), /Few players: at most \d+, so you had little to do\. .*while you were playing/);
    assert.doesNotMatch(own(true), /Quiet|while they|the person/);
    assert.match(own(false), /Quiet time: 1 h[\s\S]*5 came in while they were playing/);
  });

  test("the time of a few answers is left out, and a name is text", () => {
    assert.doesNotMatch(said(figures), /typically after/);
    assert.match(said({ ...figures, timed: 12 }), /typically after/);
    assert.doesNotMatch(said(figures), /\*\*Mo\*\* @everyone/);
  });

  test("a call that a member without a game account claimed stands with what else they did", () => {
    const claimed: StaffFigures = {
      player: { name: "mo" },
      playedS: 0,
      quietS: 0,
      sessions: 0,
      callsAnswered: 1,
      timed: 1,
      callsMeanwhile: 0,
      answeredMeanwhile: 0,
      commands: 0,
    };
    const stats = statsOfStaff(claimed);
    const runs = new Map([["100", 2]]);
    const lines = (named: ReadonlyMap<string, string>, members = new Map<number, string>()) => {
      const rows = staffRows({ stats, cases: [{ userId: "100", cases: 1 }], runs, named, members });
      const view = { stats, rows, title: md`Staff`, png: undefined, isRunsShortened: false };
      return (staffMessage(view).cards?.[0]?.description ?? "").split("\n");
    };
    const named = new Map([["mo", "100"]]);
    assert.deepEqual(lines(named), [
      "<@100>: no game account linked · 1 call answered · 2 commands · 1 case",
    ]);
    const apart = lines(new Map());
    assert.equal(apart.length, 2, "a name that is not known to be theirs");
    assert.equal(
      lines(named, new Map([[7, "100"]])).length,
      2,
      "a player without an id, and a linked member",
    );
  });
});
