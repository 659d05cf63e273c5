import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withoutProtected, withProtected, withRule, withTier } from "../../commands/staff-policy.ts";
import { staffCard } from "../../src/discord/render/staff-cards.ts";
import { EMPTY_POLICY, type StaffPolicy } from "../../src/domain/guild.ts";
import { linkedServer } from "../support/bindings.ts";

function times<T>(count: number, start: T, step: (value: T, index: number) => T): T {
  let value = start;
  for (let index = 0; index < count; index += 1) value = step(value, index);
  return value;
}

describe("what /staff keeps has an end, and says so", () => {
  const full = { code: "bad-command", message: /200/ };

  test("200 allowed or denied commands; one that stands there already is no further one", () => {
    const rules = times(200, [] as StaffPolicy["allowed"], (list, index) =>
      withRule(list, `r${index}`, "kick"),
    );
    assert.throws(() => withRule(rules, "r200", "kick"), full);
    assert.equal(withRule(rules, "r7", "kick").length, 200);
  });

  test("200 roles with a tier; one that has a tier may get another", () => {
    const policy = times(200, EMPTY_POLICY, (one, index) => withTier(one, `r${index}`, "viewer"));
    assert.throws(() => withTier(policy, "r200", "viewer"), full);
    assert.equal(withTier(policy, "r7", "manager").roleTiers.r7, "manager");
  });

  test("200 protected players; a name and its id are one", () => {
    const policy = times(200, EMPTY_POLICY, (one, index) => withProtected(one, `p${index}`, undefined));
    assert.throws(() => withProtected(policy, "p200", undefined), full);
    const known = { name: "P7", id: 7 };
    const paired = withProtected(policy, "p7", known);
    assert.deepEqual(paired.protectedAliases, { P7: "7" });
    assert.equal(withProtected(paired, "7", known).protectedPlayers.length, 200);
    assert.deepEqual(withoutProtected(paired, "7").protectedAliases, {});
    assert.equal(withoutProtected(paired, "7").protectedPlayers.includes("P7"), false);
  });

  test("a protected player keeps the spelling of the game, is one in any case, and was so before spellings were kept", () => {
    const known = { name: "NightOwl", id: 4711 };
    const kept = withProtected(EMPTY_POLICY, "nightowl", known);
    assert.deepEqual(kept.protectedPlayers, ["NightOwl"]);
    assert.deepEqual(withProtected(kept, "NIGHTOWL", undefined).protectedPlayers, ["NIGHTOWL"]);
    assert.deepEqual(withoutProtected(kept, "nightOWL").protectedPlayers, []);
    const before = {
      ...EMPTY_POLICY,
      protectedPlayers: ["nightowl"],
      protectedAliases: { nightowl: "4711" },
    };
    assert.deepEqual(withProtected(before, "NightOwl", known).protectedPlayers, ["NightOwl"]);
    assert.deepEqual(withoutProtected(before, "4711").protectedPlayers, []);
  });

  test("the list of as many as may be kept names every tier, and fits a card", () => {
    const idOf = (n: number) => String(1_456_074_443_980_800_001n + BigInt(n));
    const tiers = ["viewer", "moderator", "administrator", "manager"] as const;
    const each = Array.from({ length: 200 }, (_, n) => n);
    const rules = each.map((n) => ({ roleId: idOf(n), verb: "kick" }));
    const accounts = each.map((n) => ({
      userId: idOf(n),
      player: { name: `Player_${n}`, id: n },
      linkedAtMs: 0,
    }));
    const protectedPlayers = each.map((n) => `Player_${n}`);
    for (const count of [4, 80, 120, 200]) {
      const roleTiers = Object.fromEntries(
        each.slice(0, count).map((n) => [idOf(n), tiers[n % 4] ?? "viewer"]),
      );
      const policy = { roleTiers, allowed: rules, denied: rules, protectedPlayers };
      const card = staffCard(linkedServer({ name: "N".repeat(60) }), policy, accounts);
      const lines = (card.description ?? "").split("\n");
      assert.deepEqual(
        lines.map((line) => /^\*\*(\w+)\*\* <@&/.exec(line)?.[1]),
        ["Manager", "Administrator", "Moderator", "Viewer"],
      );
      const counts = lines.map((line) => {
        return (line.match(/<@&/g)?.length ?? 0) + Number(/ and (\d+) more$/.exec(line)?.[1] ?? 0);
      });
      assert.deepEqual(
        counts,
        tiers.map(() => count / 4),
      );
      const texts = [card.title, card.description, ...(card.fields ?? []).flatMap((f) => [f.name, f.value])];
      assert.ok(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) <= 6_000);
    }
  });
});
