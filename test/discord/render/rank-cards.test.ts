import assert from "node:assert/strict";
import { test } from "node:test";
import { rankList, rankRenderer } from "../../../src/discord/render/rank-cards.ts";
import { type PlanView, rankPlanCard } from "../../../src/discord/render/rank-plan-cards.ts";
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

test("the button says what it would do: ranks that are on need none until something changes", () => {
  const keeper = { byId: "6", byName: "Ma", channelId: "c" };
  const on = { ...plan, keeper, mappings: [{ roleId: "1", rank: "helper", isOn: true }] } as const;
  const asked = { kind: "apply", ...view } as const;
  const raise = [{ player: { name: "Rex", id: 3 }, userId: "3", rank: "helper" }] as const;
  assert.deepEqual(labelsOf(on, asked), ["Check again"]);
  assert.doesNotMatch(wordsOf({ ...on, staffAgeMs: undefined }, asked), /Turn on/);
  assert.deepEqual(labelsOf({ ...on, raise }, asked), ["Confirm: raise 1", "Check again"]);
  assert.deepEqual(labelsOf({ ...on, mappings: plan.mappings }, asked), [
    "Turn on the new role",
    "Check again",
  ]);
  assert.deepEqual(labelsOf({ ...on, pause: { atMs: 0 } }, asked), ["Resume", "Check again"]);
});

test("only a plan that turns ranks on says what happens once they are on", () => {
  const footer = (shown: RankPlan, asked: PlanView) => rankPlanCard(shown, asked).cards?.[0]?.footer;
  const keeper = { byId: "6", byName: "Ma", channelId: "c" };
  assert.match(String(footer(plan, { kind: "apply", ...view })), /^Once it is on, it keeps going: /);
  assert.match(
    String(footer({ ...plan, keeper }, { kind: "apply", ...view })),
    /^It keeps going: whoever gets/,
  );
  assert.equal(footer({ ...plan, keeper }, { kind: "unset", roleId: "1", ...view }), undefined);
});

test("a role that may not run the command is named where ranks say why they stopped, and a name stays a name", () => {
  const why = "<@&5> can't run :mod on this server.";
  const player = { name: "Rex", id: 3 };
  assert.match(String(rankRenderer.paused("River", { atMs: 0, why }).content), / <@&5> can't run/);
  assert.match(String(rankRenderer.stuck("River", { player, rank: "mod" }, why).content), / <@&5> can't run/);
  const dropped = { atMs: 0, player, rank: "mod", what: "dropped", why } as const;
  const keeper = { byId: "6", byName: "Ma", channelId: "c" };
  const listing = { ...plan, keeper, pause: { atMs: 0, why }, raised: [], left: [], events: [dropped] };
  const listed = String(rankList([listing], () => "River").cards?.[0]?.description);
  assert.equal(listed.split("<@&5> can't run").length, 3);
  const named = rankRenderer.paused("River", { atMs: 0, why: "It changed twice. Next was <@&5>." });
  assert.doesNotMatch(String(named.content), /<@&5>/);
});
