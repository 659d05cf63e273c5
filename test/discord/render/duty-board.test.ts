import assert from "node:assert/strict";
import { test } from "node:test";
import { boardCard, boardCsv } from "../../../src/discord/render/shifts/staffing-cards.ts";

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
    const lines = [{ userId: "1", ...figures, quota, leave: away }];
    return String(boardCard({ fromS: 0, untilS: 600, lines, types: [] }).cards?.[0]?.description);
  };
  assert.match(boardOf(59), /1 shift · excused \(on leave\)/);
  assert.doesNotMatch(boardOf(59), /▰|🌴/u);
  assert.match(boardOf(60), /▰.* · 🌴 on leave/u);
});

test("time that Managers added or took by hand does not look like time in the game", () => {
  const figures = { unsureS: 0, calls: 0, stillS: 0, importedS: 0 };
  const board = {
    fromS: 0,
    untilS: 600,
    types: [],
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
