import assert from "node:assert/strict";
import { test } from "node:test";
import { importAnswer, importPlan, importUndone } from "../../../src/discord/render/me-cards.ts";
import type { GameAccount } from "../../../src/domain/ports/game-accounts.ts";

test("one account of a list is one account, and one line one line", () => {
  const account: GameAccount = { userId: "7", player: { name: "Alex17", id: 11 }, linkedAtMs: 0 };
  const one = { importId: "i", added: [account], refused: [] };
  const two = { ...one, added: [account, account] };
  const planned = (lines: readonly string[]) => String(importPlan(one, lines).cards?.[0]?.description);
  assert.match(planned(["a"]), /1 line could not be read\./);
  assert.match(planned([]), /0 lines could not be read\./);
  assert.match(String(importAnswer(one).cards?.[0]?.description), /Linked 1 account on your word/);
  assert.match(String(importAnswer(two).cards?.[0]?.description), /Linked 2 accounts on your word/);
  assert.match(String(importUndone(1).content), /Unlinked 1 account from/);
});
