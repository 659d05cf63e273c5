import assert from "node:assert/strict";
import { test } from "node:test";
import { daysIn } from "../../../src/discord/render/day-words.ts";
import { boardCard, boardCsv } from "../../../src/discord/render/shifts/board-cards.ts";
import {
  endedCard,
  nowCard,
  ownCard,
  shiftsCard,
  typeLine,
} from "../../../src/discord/render/shifts/duty-cards.ts";
import { importedCard, planCard } from "../../../src/discord/render/shifts/import-cards.ts";
import {
  correctionLine,
  leaveLine,
  leaveList,
  quotaLine,
  quotaList,
  resultCard,
} from "../../../src/discord/render/shifts/staffing-cards.ts";
import { lasting } from "../../../src/discord/render/stats/stats-words.ts";
import type { DutyType, Shift } from "../../../src/domain/duty.ts";
import { type Escaped, md } from "../../../src/domain/escaped.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { Quota } from "../../../src/domain/quota.ts";

const days = daysIn("UTC");

test("a quota of which leave left seconds has no bar on the board, and one of which it left a minute has", () => {
  const boardOf = (needS: number) => {
    const quota = { userId: "1", countedS: 240, unsureS: 0, needS, outcome: "met" } as const;
    const away = {
      id: "l",
      userId: "1",
      fromS: 0,
      untilS: 900,
      percent: 0,
      reason: "",
      state: "approved",
    } as const;
    const figures = {
      countedS: 240,
      unsureS: 0,
      shifts: 1,
      calls: 0,
      stillS: 0,
      importedS: 0,
      addedS: 0,
      takenS: 0,
    };
    const lines = [{ userId: "1", ...figures, isExpected: false, quota, leave: away }];
    return String(
      boardCard({ zone: "UTC", fromS: 0, untilS: 600, lines, types: [], quotasFrom: [] }).cards?.[0]
        ?.description,
    );
  };
  assert.match(boardOf(59), /1 shift · excused \(on leave\)/);
  assert.doesNotMatch(boardOf(59), /▰|🌴/u);
  assert.match(boardOf(60), /▰.* · 🌴 on leave/u);
});

test("a type that starts by itself says for whom: on a team for everyone, by a rank for staff", () => {
  const base = { id: "t", name: "Cops", sinceS: 0 };
  const teams = { ...base, start: "team", teams: ["police", "dot"], callsign: "1A" } as const;
  const who = typeLine(teams);
  assert.equal(
    who,
    "**Cops** starts by itself on the team Police or on the team DOT or with a callsign that starts with 1A, for everyone with a linked account",
  );
  assert.match(typeLine({ ...base, start: "presence", teams: [] }), /by itself for staff in the game$/);
});

test("less than a minute is said in seconds, also where half of one is over", () => {
  for (const [seconds, words] of [
    [28, "28 s"],
    [35, "35 s"],
    [59, "59 s"],
    [60, "1 min"],
    [89, "1 min"],
    [90, "2 min"],
  ] as const)
    assert.equal(lasting(seconds).replaceAll("\u00a0", " "), words);
});

test("a shift that was ended before the next look says that the time since the last one follows", () => {
  const names = { typeName: () => "Desk", serverName: () => "River" };
  const type: DutyType = { id: "t", name: "Desk", start: "declared", teams: [], sinceS: 0 };
  const part = { bindingId: "b", playerId: 7, fromS: 0, mightFromS: 0 };
  const words = (untilS: number, bindingId: string | undefined, own = type) => {
    const parts = [{ ...part, untilS, mightUntilS: untilS }];
    const shift: Shift = { id: "s", userId: "1", typeId: "t", fromS: 0, untilS: 28, parts, breaks: [] };
    return String(endedCard({ type: own, shift, bindingId }, names).cards?.[0]?.description).replaceAll(
      "\u00a0",
      " ",
    );
  };
  const follows = /^\*\*27 s\*\* counted so far\. The time since the last look follows\./;
  assert.match(words(27, "b"), follows);
  assert.match(words(27, undefined, { ...type, start: "outside" }), follows);
  assert.match(words(28, "b"), /^\*\*28 s\*\* counted\.\n/);
  assert.match(words(27, undefined), /^\*\*27 s\*\* counted\.\n/, "they had left before");
});

test("an empty board says how to go on: a type first, then a shift", () => {
  const empty = { zone: "UTC", fromS: 0, untilS: 600, lines: [], types: [], quotasFrom: [] };
  const wordsOf = (board: Parameters<typeof boardCard>[0]) =>
    String(boardCard(board).cards?.[0]?.description);
  assert.match(
    wordsOf(empty),
    /No shifts in this time\.\n-# No duty types are set up yet\. `\/duty type add` adds one\./,
  );
  const type = { id: "t", name: "Patrol" } as DutyType;
  assert.match(wordsOf({ ...empty, types: [type] }), /Staff start a shift with `\/duty start`/);
});

test("time that Managers added or took by hand does not look like time in the game", () => {
  const figures = { unsureS: 0, calls: 0, stillS: 0, importedS: 0, isExpected: false };
  const board = {
    zone: "UTC",
    fromS: 0,
    untilS: 600,
    types: [],
    quotasFrom: [],
    lines: [
      { userId: "1", ...figures, countedS: 7_800, shifts: 1, addedS: 1_800, takenS: 0 },
      { userId: "2", ...figures, countedS: 0, shifts: 0, addedS: 0, takenS: 600 },
      { userId: "3", ...figures, countedS: 3_600, shifts: 1, addedS: 0, takenS: 0 },
      { userId: "4", ...figures, countedS: 0, shifts: 0, addedS: 5_400, takenS: 36_000 },
      { userId: "5", ...figures, countedS: 600, shifts: 1, addedS: 1_800, takenS: 3_600 },
    ],
  };
  const words = String(boardCard(board).cards?.[0]?.description).replaceAll("\u00a0", " ");
  assert.match(words, /<@1> \*\*2 h 10(?: min)?\*\* \(30 min by hand\) · 1 shift$/m);
  assert.match(words, /<@2> no shifts · 10 min taken by hand$/m);
  assert.match(words, /<@3> \*\*1 h\*\* · 1 shift$/m);
  assert.match(words, /<@4> no shifts · 1 h 30 min added by hand · 10 h taken by hand$/m);
  assert.match(words, /<@5> \*\*10 min\*\* · 1 shift · 30 min added by hand · 1 h taken by hand$/m);
  const [head, first] = boardCsv(board).split("\n");
  assert.match(String(head), /,addedSeconds,takenSeconds$/);
  assert.match(String(first), /,"1800","0"$/);
});

test("who has a quota, or the role of a type, and no hours stands under None yet; who is away under On leave", () => {
  const none = {
    ...{ countedS: 0, unsureS: 0, addedS: 0, takenS: 0, importedS: 0, stillS: 0, shifts: 0, calls: 0 },
    isExpected: false,
  };
  const away = { id: "l", fromS: 0, untilS: 900, percent: 0, reason: "", state: "approved" } as const;
  const quota = (userId: string, countedS: number, needS = 7_200) => {
    const outcome = needS === 0 ? "excused" : countedS >= needS ? "met" : "not-met";
    return { userId, countedS, unsureS: 0, needS, outcome } as const;
  };
  const lines = [
    { ...none, userId: "1", countedS: 7_200, shifts: 1, quota: quota("1", 7_200) },
    { ...none, userId: "2", quota: quota("2", 0) },
    { ...none, userId: "3", isExpected: true },
    { ...none, userId: "4", quota: quota("4", 0, 0), leave: { ...away, userId: "4" } },
    { ...none, userId: "5" },
  ];
  const shown = (fromS: number) => {
    const board = {
      zone: "UTC",
      fromS: 0,
      untilS: 600,
      types: [],
      lines,
      quotasFrom: [{ period: "week", fromS } as const],
    };
    return String(boardCard(board).cards?.[0]?.description).replaceAll("\u00a0", " ");
  };
  assert.match(
    shown(0),
    /^1 January 1970\n1\. <@1> \*\*2 h\*\* · 1 shift · ▰{8} 2 h of 2 h\n\*\*None yet \(2\)\*\*\n<@2> · ▱{8} 0 s of 2 h\n<@3>\n\*\*On leave \(1\)\*\*\n<@4> · excused · 🌴 on leave\n/u,
  );
  assert.match(shown(300), /-# Quotas: this week from 1 January 1970\n1\./, "said where it is another time");
});

test("the list of a period has everybody in one group, with their hours", () => {
  const line = (userId: string, outcome: "met" | "not-met" | "excused", more: object = {}) => {
    const needS = outcome === "excused" ? 0 : 7_200;
    return { userId, countedS: outcome === "met" ? 7_200 : 3_600, unsureS: 0, needS, outcome, ...more };
  };
  const lines = [
    line("1", "met"),
    line("2", "not-met", { isOnLeave: true, reducedTo: 50, addedS: 3_600, takenS: 60 }),
    line("3", "excused", { isOnLeave: true }),
    line("4", "excused", { countedS: 0 }),
  ];
  const quota = { id: "q", roleId: "9", needS: 7_200, period: "week", sinceS: 0 } as const;
  const card = resultCard({ quotaId: "q", fromS: 0, untilS: 600, lines }, quota, { days });
  assert.match(
    String(card.description).replaceAll("\u00a0", " "),
    /\*\*Met \(1\)\*\*\n<@1> 2 h of 2 h\n\n\*\*Not met \(1\)\*\*\n<@2> 1 h of 2 h · 1 h added by hand · 1 min taken by hand · 🌴 on leave for part of it · reduced to 50 %\n\n\*\*On leave \(1\)\*\*\n<@3> 1 h\n\n\*\*Excused \(1\)\*\*\n<@4>$/u,
  );
});

test("quotas and their last lists fit one message, also of five hundred staff and twenty quotas", () => {
  const id = (nth: number) => String(100_000_000_000_000_000n + BigInt(nth));
  const outcomes = ["met", "not-met", "excused", "excused"] as const;
  const lines = Array.from({ length: 500 }, (_, nth) => {
    const outcome = outcomes[nth % 4] ?? "met";
    return {
      userId: id(nth),
      countedS: 19_000,
      unsureS: 0,
      needS: 18_000,
      outcome,
      isOnLeave: nth % 8 === 2,
    };
  });
  const quotas = Array.from({ length: 20 }, (_, nth) => ({
    ...{
      id: `q${nth}`,
      roleId: id(nth),
      needS: 18_000,
      period: "fortnight",
      typeId: "t",
      channelId: id(900),
    },
    sinceS: 0,
  })) as readonly Quota[];
  const results = quotas.slice(0, 3).map((quota) => ({ quotaId: quota.id, fromS: 0, untilS: 600, lines }));
  const { cards = [] } = quotaList(quotas, results, { typeName: () => "*".repeat(40), days });
  const sizes = cards.map(({ title = "", description = "" }) => title.length + description.length);
  assert.ok(Math.max(...sizes) <= 4_096, String(sizes));
  assert.ok(sizes.reduce((sum, one) => sum + one, 0) <= 6_000, String(sizes));
  assert.equal(cards.length, 4);
  for (const card of cards.slice(1))
    assert.match(String(card.description), /\*\*Met \(125\)\*\*\n<@1[\s\S]*\*\*Not met \(125\)\*\*\n<@1/u);
});

test("the file of the board says whom a row is about and hours as people say them", () => {
  const figures = { unsureS: 0, calls: 0, stillS: 0, importedS: 0, addedS: 0, takenS: 0, isExpected: false };
  const quota = { userId: "1", countedS: 7_200, unsureS: 0, needS: 5_400, outcome: "met" } as const;
  const away = {
    id: "l",
    userId: "2",
    fromS: 0,
    untilS: 9,
    percent: 0,
    reason: "",
    state: "approved",
  } as const;
  const lines = [
    { userId: "1", ...figures, countedS: 12_063, shifts: 2, quota },
    { userId: "2", ...figures, countedS: 0, shifts: 0, leave: away },
  ];
  const board = { zone: "UTC", fromS: 0, untilS: 600, types: [], quotasFrom: [], lines };
  const [head = "", first = "", second = ""] = boardCsv(board, new Map([["1", "=Stormy"]])).split("\n");
  const cells = (row: string) => row.split(",").map((cell) => cell.slice(1, -1));
  const at = (row: string, name: string) => cells(row)[head.split(",").indexOf(name)];
  assert.deepEqual(
    ["player", "hours", "quotaHours", "quotaNeedHours", "seconds", "quota"].map((name) => at(first, name)),
    ["'=Stormy", "3.35", "2.00", "1.50", "12063", "met"],
  );
  assert.deepEqual(
    ["player", "hours", "quotaHours", "leave"].map((name) => at(second, name)),
    ["", "0.00", "", "on leave"],
  );
  assert.equal(cells(first).length, head.split(",").length);
});

test("who is asked for less than the others is shown with the reason, and so is who can't be listed", () => {
  const figures = { unsureS: 0, calls: 0, stillS: 0, importedS: 0, addedS: 0, takenS: 0, isExpected: false };
  const quota = {
    userId: "1",
    countedS: 60,
    unsureS: 0,
    needS: 5_400,
    outcome: "not-met",
    linkedS: 300,
  } as const;
  const lines = [{ userId: "1", ...figures, countedS: 60, shifts: 1, quota }];
  const quotasFrom = [{ period: "week", fromS: 0 } as const];
  const board = boardCard({ zone: "UTC", fromS: 0, untilS: 600, types: [], quotasFrom, lines });
  const words = String(board.cards?.[0]?.description).replaceAll("\u00a0", " ");
  assert.match(words, /1 min of 1 h 30 min\\\*\n-# \\\* Less, because they were linked during the period\./);
  assert.match(words, /-# Not listed: staff without a linked account/);
  const set = { id: "q", roleId: "9", needS: 10_800, period: "week", sinceS: 0, channelId: "77" } as const;
  const list = resultCard({ quotaId: "q", fromS: 0, untilS: 600, lines: [quota] }, set, { days });
  const said = String(list.description).replaceAll("\u00a0", " ");
  assert.match(
    said,
    /<@&9>: 3 h in a week\n-# Not listed: .*\n-# \\\* Less, [\s\S]*<@1> 1 min of 1 h 30 min\\\*$/,
  );
  assert.match(
    String(quotaLine(set, () => "")).replaceAll("\u00a0", " "),
    /3 h in a week · list posted in <#77>/,
  );
});

test("a leave says who approved it and what is left to do; a change by hand says of when it is", () => {
  const span = { fromS: 0, untilS: 900 } as const;
  const leave = {
    ...span,
    id: "l",
    userId: "1",
    percent: 50,
    reason: "",
    state: "approved",
    byId: "2",
  } as const;
  assert.equal(String(leaveLine(leave, days)), "<@1> · reduced to 50 % · 1 January 1970 · approved by <@2>");
  assert.doesNotMatch(String(leaveLine({ ...leave, state: "asked" }, days)), /approved/);
  const change = {
    ...{ id: "c", userId: "1", typeId: "t", atS: 77, seconds: 1_200, reason: "Event", byId: "2" },
  };
  assert.match(
    String(correctionLine(change, "Patrol", days)),
    /\(Patrol\) on 1 January 1970 by <@2>: Event$/,
  );
});

test("a shift that goes on while no server is read is not called unseen, one that is over is", () => {
  const shift = { id: "s", userId: "1", typeId: "t", fromS: 60, parts: [], breaks: [] };
  const names = { typeName: () => "Patrol", serverName: () => "River", days };
  const unread = md`**River** can't be read right now`;
  const said = (shifts: readonly Shift[], why?: Escaped) => {
    const view = {
      userId: "1",
      shifts,
      stills: [],
      unread: why,
      days: 7,
      fromS: 0,
      corrections: [],
      isDeciding: false,
    };
    return String(shiftsCard(view, names).cards?.[0]?.description).split("\n").at(-1);
  };
  assert.equal(said([shift], unread), "-# **River** can't be read right now");
  assert.equal(said([shift]), "-# Not seen in the game.");
  assert.equal(said([{ ...shift, untilS: 90 }], unread), "-# Not seen in the game.");
  const type = { id: "t", name: "Patrol", start: "declared", teams: [], sinceS: 0 } as DutyType;
  const ended = (why?: Escaped) =>
    String(
      endedCard({ type, shift: { ...shift, untilS: 90 }, bindingId: undefined }, names, why).cards?.[0]
        ?.description,
    );
  assert.match(ended(unread), /River\*\* can't be read right now$/);
  assert.match(ended(), /Not seen in the game\.$/);
});

test("the shifts of somebody add up to what the board counts, with what was added and taken by hand", () => {
  const part = { bindingId: "b", playerId: 1, fromS: 0, untilS: 120, mightFromS: 0, mightUntilS: 120 };
  const shift = { id: "s", userId: "1", typeId: "t", fromS: 0, untilS: 120, parts: [part], breaks: [] };
  const change = (seconds: number, more: object = {}) => ({
    ...{ id: "c", userId: "1", typeId: "t", atS: 0, seconds, reason: "r", byId: "2" },
    ...more,
  });
  const sum = (corrections: readonly ReturnType<typeof change>[], shifts = [shift]) => {
    const view = { userId: "1", shifts, stills: [], days: 7, fromS: 0, corrections, isDeciding: false };
    const names = { typeName: () => "Patrol", serverName: () => "River", days };
    const [line = ""] = String(shiftsCard(view, names).cards?.[0]?.description).split("\n");
    return line.replaceAll("\u00a0", " ");
  };
  assert.equal(sum([]), "**2 min** in 1 shift");
  assert.equal(
    sum([change(12_000), change(-600), change(900, { importId: "i" }), change(900, { byId: "1" })]),
    "**3 h 12 min**: 2 min in 1 shift, 3 h 20 min added by hand, 10 min taken by hand",
  );
  assert.equal(sum([change(600)], []), "**10 min**: no shifts, 10 min added by hand");
  assert.equal(sum([], []), "No shifts in the last 7 days.");
});

test("who is on duty, and one's own shift, say how long ago it started", () => {
  const type = { id: "t", name: "Patrol", start: "declared" } as DutyType;
  const shift = { userId: "7", typeId: "t", fromS: 60, breaks: [], parts: [] } as unknown as Shift;
  const names = { serverName: () => "River", typeName: () => "Patrol" };
  const wordsOf = ({ cards }: MessageBody) => String(cards?.[0]?.description);
  const one = { type, shift, bindingId: "b" };
  assert.match(wordsOf(ownCard(one, names)), /^Started <t:60:R>\. You are on/);
  assert.match(wordsOf(ownCard({ ...one, breakFromS: 90 }, names)), /^The break started <t:90:R>/);
  const now = wordsOf(nowCard({ on: [one], idle: [], knownS: 100 }, names));
  assert.match(now, /<@7> · Patrol · started <t:60:R>/);
  const resting = wordsOf(nowCard({ on: [{ ...one, breakFromS: 90 }], idle: [], knownS: 100 }, names));
  assert.match(resting, /started <t:60:R> · break started <t:90:R>/);
});

test("while a server can't be read, who is on duty is not said to be away from it", () => {
  const type = { id: "t", name: "Patrol", start: "declared" } as DutyType;
  const shift = { userId: "7", typeId: "t", fromS: 60, breaks: [], parts: [] } as unknown as Shift;
  const names = { serverName: () => "River", typeName: () => "Patrol" };
  const of = (unread: readonly Escaped[]) =>
    String(
      nowCard({ on: [{ type, shift }], idle: [], knownS: 100 }, names, { unread }).cards?.[0]?.description,
    );
  assert.match(of([]), /started <t:60:R> · not in the game$/);
  const away = of([md`**River** can't be read right now: the game service did not answer`]);
  assert.match(
    away,
    /started <t:60:R>\n\n-# ⚠ \*\*River\*\* can't be read right now: .*\. Who is there is as last seen\.$/,
  );
});

test("who sees only their own leave reads nothing of others where they have none", () => {
  const wordsOf = ({ cards = [] }: MessageBody) => String(cards[0]?.description);
  assert.equal(wordsOf(leaveList([], { mayDecide: false, days })), "You are not on leave.");
  assert.equal(wordsOf(leaveList([], { mayDecide: true, days })), "Nobody is on leave.");
});

test("what was imported says which days of the board have it: the usual ones are of the quota's period", () => {
  const total = { userId: "1", typeId: "t", seconds: 3_600 };
  const said = (...daysAgo: number[]) => {
    const totals = daysAgo.map((ago) => ({ ...total, asOfS: (400 - ago) * 86_400 }));
    const done = { id: "i", byId: "2", atS: 400 * 86_400 + 60, totals, state: "done" as const };
    return String(importedCard(done).content);
  };
  assert.match(said(0, 27), /See them with `\/duty board days:29`\. Quotas don't count them\./);
  assert.match(said(0), /days:2`/);
  assert.match(said(366), /days:366`/);
});

test("days are the community's, as they were typed, whatever day its readers have", () => {
  // Berlin is an hour ahead of UTC: its Monday, 23 November, begins on the Sunday of UTC.
  const week = { fromS: Date.UTC(2026, 10, 22, 23) / 1_000, untilS: Date.UTC(2026, 10, 29, 23) / 1_000 };
  const berlin = daysIn("Europe/Berlin");
  const board = { zone: "Europe/Berlin", ...week, lines: [], types: [], quotasFrom: [] };
  const days = /23 November 2026 to 29 November 2026/;
  assert.match(String(boardCard(board).cards?.[0]?.description), days);
  const quota = { id: "q", roleId: "5", needS: 60, period: "week", sinceS: 0 } as const;
  assert.match(String(resultCard({ quotaId: "q", ...week, lines: [] }, quota, { days: berlin }).title), days);
  const leave = { ...week, id: "l", userId: "1", percent: 0, reason: "", state: "asked" } as const;
  assert.match(String(leaveLine(leave, berlin)), days);
  const totals = [{ userId: "1", typeId: "t", seconds: 60, asOfS: week.fromS }];
  const plan = {
    planned: { id: "i", byId: "2", atS: 0, totals, state: "planned" as const },
    known: 0,
    refused: [],
  };
  const typeName = () => "Patrol";
  assert.match(JSON.stringify(planCard(plan, { typeName, days: berlin })), /as of 23 November 2026/);
});
