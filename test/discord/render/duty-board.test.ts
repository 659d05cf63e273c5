import assert from "node:assert/strict";
import { test } from "node:test";
import { boardCard } from "../../../src/discord/render/shifts/staffing-cards.ts";

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
    const figures = { countedS: 240, unsureS: 0, shifts: 1, calls: 0, stillS: 0, importedS: 0 };
    const lines = [{ userId: "1", ...figures, quota, leave: away }];
    return String(boardCard({ fromS: 0, untilS: 600, lines, types: [] }).cards?.[0]?.description);
  };
  assert.match(boardOf(59), /1 shift · excused \(on leave\)/);
  assert.doesNotMatch(boardOf(59), /▰|🌴/u);
  assert.match(boardOf(60), /▰.* · 🌴 on leave/u);
});
