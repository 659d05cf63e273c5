import assert from "node:assert/strict";
import { test } from "node:test";
import { boardCard, boardCsv, resultCard } from "../../../src/discord/render/shifts/staffing-cards.ts";

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
      boardCard({ fromS: 0, untilS: 600, lines, types: [], quotasFrom: [] }).cards?.[0]?.description,
    );
  };
  assert.match(boardOf(59), /1 shift · excused \(on leave\)/);
  assert.doesNotMatch(boardOf(59), /▰|🌴/u);
  assert.match(boardOf(60), /▰.* · 🌴 on leave/u);
});

test("time that Managers added or took by hand does not look like time in the game", () => {
  const figures = { unsureS: 0, calls: 0, stillS: 0, importedS: 0, isExpected: false };
  const board = {
    fromS: 0,
    untilS: 600,
    types: [],
    quotasFrom: [],
    lines: [
      { userId: "1", ...figures, countedS: 7_800, shifts: 1, addedS: 1_800, takenS: 0 },
      { userId: "2", ...figures, countedS: 0, shifts: 0, addedS: 0, takenS: 600 },
      { userId: "3", ...figures, countedS: 3_600, shifts: 1, addedS: 0, takenS: 0 },
    ],
  };
  const words = String(boardCard(board).cards?.[0]?.description).replaceAll("\u00a0", " ");
  assert.match(words, /<@1> \*\*2 h 10(?: min)?\*\*, of which 30 min by hand · 1 shift$/m);
  assert.match(words, /<@2> no shifts · 10 min taken by hand$/m);
  assert.match(words, /<@3> \*\*1 h\*\* · 1 shift$/m);
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
    /^<t:0:D> to <t:600:D>\n1\. <@1> \*\*2 h\*\* · 1 shift · ▰{8} 2 h of 2 h\n\*\*None yet \(2\)\*\*\n<@2> · ▱{8} 0 s of 2 h\n<@3>\n\*\*On leave \(1\)\*\*\n<@4> · excused · 🌴 on leave\n/u,
  );
  assert.match(shown(300), /-# Quotas: this week from <t:300:D>\n1\./, "said where it is another time");
});

test("the list of a period has everybody in one group, with their hours", () => {
  const line = (userId: string, outcome: "met" | "not-met" | "excused", more: object = {}) => {
    const needS = outcome === "excused" ? 0 : 7_200;
    return { userId, countedS: outcome === "met" ? 7_200 : 3_600, unsureS: 0, needS, outcome, ...more };
  };
  const lines = [
    line("1", "met"),
    line("2", "not-met", { isOnLeave: true }),
    line("3", "excused", { isOnLeave: true }),
    line("4", "excused", { countedS: 0 }),
  ];
  const quota = { id: "q", roleId: "9", needS: 7_200, period: "week", sinceS: 0 } as const;
  const card = resultCard({ quotaId: "q", fromS: 0, untilS: 600, lines }, quota);
  assert.match(
    String(card.description).replaceAll("\u00a0", " "),
    /\*\*Met \(1\)\*\*\n<@1> 2 h of 2 h\n\n\*\*Not met \(1\)\*\*\n<@2> 1 h of 2 h · 🌴 on leave for a part\n\n\*\*On leave \(1\)\*\*\n<@3> 1 h\n\n\*\*Excused \(1\)\*\*\n<@4>$/u,
  );
});
