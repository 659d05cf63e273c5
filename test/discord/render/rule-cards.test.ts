import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleAdded, ruleRenderer, ruleTest } from "../../../src/discord/render/rule-cards.ts";
import type { RuleTest } from "../../../src/domain/ports/rules.ts";
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

const record = { told: 0, would: 0, sent: 0, dropped: 0, events: [] };

test("who breaks a rule again within ten minutes has when staff are told again, and when it acts", () => {
  const known = { linked: 1, present: 2, ageMs: 4_000 };
  const breaker = { player: view.player, userId: "u3", rolesAgeMs: 7_000, lacksRole: true };
  const breakers = [{ ...breaker, unconfirmedBy: undefined, waitsMs: 480_000 }];
  const shown = { rule, record, onlyTells: undefined, pause: undefined, known, breakers };
  const words = (test: RuleTest) => String(ruleTest(test, 100_000).cards?.[0]?.description);
  assert.match(words(shown), /Rex .*, broke it again: staff are told and :kick runs <t:580:R>/);
  const { step: _, ...telling } = rule;
  assert.match(words({ ...shown, rule: telling }), /broke it again: staff are told <t:580:R>/);
});

test("a rule on names checks everybody: its test does not say that only linked players are", () => {
  const { step: _, ...plain } = rule;
  const names = { ...plain, kind: "name", what: "", roleIds: [] } as const;
  const known = { linked: 2, present: 28, ageMs: 4_000 };
  const shown = { rule: names, record, onlyTells: undefined, pause: undefined, known, breakers: [] };
  const words = String(ruleTest(shown, 100_000).cards?.[0]?.description);
  assert.doesNotMatch(words, /linked/);
  assert.match(words, /All 28 players are checked\. Seen <t:96:R>\./);
});

test("a new rule says that more can be turned on only where it can", () => {
  const view = { record, onlyTells: undefined };
  assert.match(
    String(ruleAdded({ ...view, rule }, []).content),
    /who breaks it now, and can turn on more\.$/,
  );
  const names = { ...rule, kind: "name", what: "", roleIds: [] } as const;
  assert.match(String(ruleAdded({ ...view, rule: names }, []).content), /shows who breaks it now\.$/);
});

test("what staff read says how long a breach lasts as people say it", () => {
  const words = (lastsMs: number) =>
    String(
      ruleRenderer.breach({ ...view, lastsMs, breachId: "x", unconfirmedBy: undefined }).cards?.[0]
        ?.description,
    ).replaceAll("\u00a0", " ");
  assert.match(words(24_900), /for at least 24 s\./);
  assert.match(words(518_000), /for at least 8 min\./);
  assert.match(words(3_599_000), /for at least 59 min\./);
  assert.match(words(7_500_000), /for at least 2 h 5 min\./);
});

test("what a test saw has an age that grows by itself, and so have the roles it read", () => {
  const known = { linked: 1, present: 2, ageMs: 4_000 };
  const breaker = { player: view.player, userId: "u3", rolesAgeMs: 7_000, lacksRole: true };
  const breakers = [{ ...breaker, unconfirmedBy: undefined, waitsMs: undefined }];
  const shown = { rule, record, onlyTells: undefined, pause: { byId: "u2", atMs: 9_000 }, known, breakers };
  const words = String(ruleTest(shown, 100_000).cards?.[0]?.description);
  assert.match(words, /only they are checked\. Seen <t:96:R>\./);
  assert.match(words, /Rex \(<@u3>\), roles read <t:93:R>/);
  assert.match(words, /<@u2> paused them <t:9:R>/);
});
