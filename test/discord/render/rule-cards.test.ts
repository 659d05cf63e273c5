import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleRenderer } from "../../../src/discord/render/rule-cards.ts";
import type { Rule } from "../../../src/domain/rule.ts";

const rule: Rule = {
  id: "r1",
  guildId: "g1",
  bindingId: "b1",
  number: 1,
  kind: "team",
  what: "Police",
  roleIds: ["1"],
  channelId: "c",
  byId: "u1",
  createdAtMs: 0,
  step: { kind: "kick", byId: "u1", byName: "Mo" },
};
const view = { rule, serverName: "River", player: { name: "Rex", id: 11 }, userId: "u3", lastsMs: 20_000 };

test("a breach on one Manager's word says whose, and has the button that confirms this link", () => {
  const told = ruleRenderer.breach({ ...view, breachId: "x", unconfirmedBy: "u2" });
  assert.match(String(told.cards?.[0]?.description), /No :kick yet:\*\* <@u2> linked them/);
  const ids = (told.rows ?? []).flat().map((part) => ("id" in part ? part.id : ""));
  assert.deepEqual(ids, ["me-confirm:u3/11", "rule-pause:x"]);

  const proven = ruleRenderer.breach({ ...view, breachId: "x", unconfirmedBy: undefined });
  assert.equal((proven.rows ?? []).flat().length, 1);
  assert.doesNotMatch(String(proven.cards?.[0]?.description), /linked them/);
});
