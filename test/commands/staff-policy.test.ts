import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withoutProtected, withProtected, withRule, withTier } from "../../commands/staff-policy.ts";
import { EMPTY_POLICY, type StaffPolicy } from "../../src/domain/guild.ts";

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
});
