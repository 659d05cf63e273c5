import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlanView, rankPlanCard } from "../../../src/discord/render/rank-cards.ts";
import type { RankPlan } from "../../../src/domain/ports/ranks.ts";

const plan: RankPlan = {
  bindingId: "b",
  key: "k",
  mappings: [{ roleId: "1", rank: "helper", isOn: false }],
  keeper: undefined,
  pause: undefined,
  raise: [],
  take: [],
  fits: [],
  notDone: [],
  known: { linked: 2, read: 1, ageMs: 5_000, unlinked: [] },
  staffAgeMs: 8_000,
  isForMany: false,
};
const view = { serverName: "River", nowMs: 100_000 };
const wordsOf = (shown: RankPlan, asked: PlanView) =>
  String(rankPlanCard(shown, asked).cards?.[0]?.description);
const labelsOf = (shown: RankPlan, asked: PlanView) =>
  (rankPlanCard(shown, asked).rows ?? []).flat().map((part) => ("label" in part ? part.label : ""));

test("what a plan of ranks was read from has an age that grows by itself", () => {
  const words = wordsOf(plan, { kind: "apply", ...view });
  assert.match(words, /Read the roles of 1 of 2 linked members, the oldest <t:95:R>\./);
  assert.match(words, /The game's staff list was read <t:92:R>\./);
});

test("where it cannot be turned on yet, the plan says why and when the button comes", () => {
  assert.deepEqual(labelsOf(plan, { kind: "apply", ...view }), ["Turn on", "Check again"]);
  const early = { ...plan, staffAgeMs: undefined };
  assert.deepEqual(labelsOf(early, { kind: "apply", ...view }), ["Check again"]);
  assert.match(wordsOf(early, { kind: "apply", ...view }), /\*\*Turn on\*\* comes .*staff list is certain/);
  // A look has no such button: it names the command that has.
  const look = wordsOf(early, { kind: "look", ...view });
  assert.doesNotMatch(look, /Turn on/);
  assert.match(look, /staff list is not certain/);
  assert.match(look, /turns it on with \/rank apply/);
});
