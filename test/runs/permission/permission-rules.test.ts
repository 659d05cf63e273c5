import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { EMPTY_POLICY, type StaffPolicy, type Tier } from "../../../src/domain/guild.ts";
import { tierLevel } from "../../../src/domain/tiers.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { type People, rankOf, resolveTargets } from "../../../src/runs/catalogue/targets.ts";
import { catalogue } from "../../../src/runs/catalogue/verbs.ts";
import { decide, isStaff, tierOf } from "../../../src/runs/permission/permission-rules.ts";
import { player } from "../../support/runs-rig.ts";

const people: People = {
  players: [
    player("Alice", 11),
    player("Bob", 12),
    player("Bobby", 13),
    player("Olga", 1),
    player("Shown", 14, "Server Moderator"),
  ],
  staff: { admins: new Map([[21, "Ada"]]), mods: new Map([[13, "Bobby"]]), helpers: new Map([[12, "Bob"]]) },
  ownerId: 1,
  coOwnerIds: [2],
  seen: new Map(),
  kept: [],
  left: [],
  ageMs: 0,
};

const policy: StaffPolicy = {
  ...EMPTY_POLICY,
  roleTiers: { v: "viewer", m: "moderator", a: "administrator", x: "manager" },
  protectedPlayers: ["celeb", "777"],
};

function may(
  roleIds: readonly string[],
  text: string,
  more: Partial<StaffPolicy> = {},
  known: People | undefined = people,
) {
  return decide({ ...policy, ...more }, { roleIds }, { command: parseCommand(text), people: known });
}

describe("targets", () => {
  const names = (text: string, verb = "ban") =>
    resolveTargets(parseCommand(`:${verb} ${text}`), people)[0]?.players.map(({ name }) => name);

  test("match by the whole name, else by its beginning in any case, by id where the verb takes ids, and all", () => {
    assert.deepEqual(names("bob"), ["Bob"]);
    assert.deepEqual(names("bo"), ["Bob", "Bobby"]);
    assert.deepEqual(names("BOBB"), ["Bobby"]);
    assert.deepEqual(names("11"), ["Alice"]);
    assert.deepEqual(names("11", "kick"), []);
    assert.deepEqual(names("me", "jail"), []);
    assert.equal(names("others")?.length, 5);
    assert.deepEqual(names("nobody"), []);
  });

  test("find people who are not there by their whole name or id, where the verb reaches them", () => {
    assert.deepEqual(names("ada"), ["Ada"]);
    assert.deepEqual(names("ada", "kick"), []);
    assert.deepEqual(names("ada", "unban"), ["Ada"]);
    const [absent] = resolveTargets(parseCommand(":ban 21"), people);
    assert.deepEqual(absent?.staff, [{ name: "Ada", id: 21 }]);
  });

  test("have the rank of the lists, of what they show, or of owning the server; the higher one", () => {
    const rank = (name: string, id?: number) => rankOf(id === undefined ? { name } : { name, id }, people);
    assert.equal(rank("Olga", 1), "manager");
    assert.equal(rank("Co", 2), "manager");
    assert.equal(rank("Ada", 21), "administrator");
    assert.equal(rank("Shown", 14), "moderator");
    assert.equal(rank("Bob", 12), "viewer");
    assert.equal(rank("Alice", 11), undefined);
  });
});

describe("who may run what", () => {
  test("denies by default, Manage Guild or not", () => {
    assert.equal(may([], ":h hi").allowed, false);
    assert.equal(may(["stranger"], ":bans").allowed, false);
    assert.equal(may(["__proto__", "constructor"], ":bans").allowed, false);
  });

  test("gives each tier its verbs and those below", () => {
    assert.equal(may(["v"], ":bans").allowed, true);
    assert.equal(may(["v"], ":h hi").allowed, false);
    assert.equal(may(["m"], ":kick Alice").allowed, true);
    assert.equal(may(["m"], ":ban Alice").allowed, false);
    assert.equal(may(["a"], ":ban Alice").allowed, true);
    assert.equal(may(["a"], ":shutdown").allowed, false);
    assert.equal(may(["x"], ":shutdown").allowed, true);
    assert.equal(may(["a"], ":explode").allowed, false);
    assert.equal(may(["x"], ":explode").allowed, true);
  });

  test("lets a denial beat every tier and every allowance", () => {
    const denied = [{ roleId: "m", verb: "kick" }];
    assert.equal(may(["x", "m"], ":kick Alice", { denied }).allowed, false);
    assert.equal(may(["m"], ":kick Alice", { denied, allowed: denied }).allowed, false);
    assert.equal(may(["m"], ":kill Alice", { denied }).allowed, true);
  });

  test("lets an allowance lift one verb above the tier, aliases included", () => {
    const allowed = [{ roleId: "m", verb: "ban" }];
    assert.equal(may(["m"], ":BAN Alice", { allowed }).allowed, true);
    assert.equal(may(["m"], ":unban Alice", { allowed }).allowed, false);
  });

  test("lets nobody target someone above their own tier, by whatever they were matched", () => {
    assert.equal(may(["m"], ":kill Ada").allowed, false);
    assert.equal(may(["m"], ":kill ad").allowed, false);
    assert.equal(may(["m"], ":kill Alice,21").allowed, false);
    assert.equal(may(["m"], ":kill all").allowed, false);
    assert.equal(may(["m"], ":kill Bobby").allowed, true);
    assert.equal(may(["a"], ":kill Olga").allowed, false);
    assert.equal(may(["x"], ":kill Olga").allowed, true);
    assert.match(may(["m"], ":kill Ad").why, /Ada .*matched by "Ad".*outranks you \(Administrator/);
  });

  test("names the rank of whom it protects as the lists of staff do", () => {
    const coOwner = player("Cleo", 15, "Server Co-Owner");
    const known = { ...people, players: [...people.players, coOwner, player("Cody", 2)] };
    const why = (text: string, role = "m") => may([role], text, {}, known).why;
    assert.equal(why(":kill Olga"), "Olga outranks you (Owner in the game).");
    assert.equal(why(":kill Cody"), "Cody outranks you (Co-owner in the game).");
    assert.equal(why(":kill Cleo"), "Cleo outranks you (Co-owner in the game).");
    assert.equal(why(":kill Ada"), "Ada outranks you (Administrator in the game).");
    const allowed = [{ roleId: "only kill", verb: "kill" }];
    assert.equal(
      may(["only kill"], ":kill Bob", { allowed }, known).why,
      "Bob outranks you (Helper in the game).",
    );
  });

  test("nobody's own rank keeps them from moving themselves, and it lifts nothing else", () => {
    const asAda = { roleIds: ["m"], ownPlayerId: 21 };
    const judged = (text: string) => decide(policy, asAda, { command: parseCommand(text), people }).allowed;
    assert.equal(judged(":tp Ada Alice"), true);
    assert.equal(judged(":tp Ada,Olga Alice"), false);
    for (const text of [":kill Ada", ":ban Ada", ":ban 21", ":unmod Ada", ":jail Ada"]) {
      assert.equal(judged(text), false, text);
    }
    const online = { ...people, players: [player("Ada", 21), player("Alice", 11)], ownerId: 3 };
    const why = (text: string) => decide(policy, asAda, { command: parseCommand(text), people: online }).why;
    const own = "is your own account (Administrator in the game). Below that rank only :tp works on it.";
    assert.equal(why(":kick Ada"), `Ada ${own}`);
    assert.equal(why(":kill all"), `Ada (matched by "all") ${own}`);
    assert.equal(
      decide(policy, { roleIds: ["m"] }, { command: parseCommand(":tp Ada Alice"), people }).allowed,
      false,
    );
  });

  test("lets nobody at all target the protected, by name, prefix or id", () => {
    for (const text of [":kick celeb", ":kick CELEB", ":kick cel", ":kick 777", ":ban Alice,celeb"]) {
      assert.equal(may(["x"], text).allowed, false, text);
    }
  });

  test("an owner who is not in the server is a Manager all the same, by id and by every name that is known", () => {
    const away: People = {
      ...people,
      players: [player("Alice", 11)],
      seen: new Map([
        [1, "Olga"],
        [555, "Passer"],
      ]),
    };
    for (const text of [":ban 1", ":ban Olga", ":ban olg", ":ban 2", ":ban Alice,2"]) {
      const judged = may(["a"], text, {}, away);
      assert.equal(judged.allowed, false, text);
      assert.match(judged.why, text.includes("2") ? /\(Co-owner in the game/ : /\(Owner in the game/);
    }
    assert.equal(may(["x"], ":ban 1", {}, away).allowed, true);
    assert.equal(may(["a"], ":ban Passer", {}, away).allowed, true);
  });

  test("who names absent staff as a whole hits them, though a present player's name begins so", () => {
    const near: People = { ...people, players: [player("Adalbert", 31), player("21savage", 32)] };
    assert.equal(may(["m"], ":kill Ada", {}, near).allowed, false);
    assert.equal(may(["m"], ":kill 21", {}, near).allowed, false);
    assert.equal(may(["m"], ":kill Adal", {}, near).allowed, true);
  });

  test("the protected are so by name and by id, whichever was given, present or not", () => {
    const known: People = { ...people, seen: new Map([[900, "Celeb"]]) };
    assert.equal(may(["x"], ":ban 900", {}, known).allowed, false);
    const byId = { protectedPlayers: ["900"] };
    assert.equal(may(["x"], ":ban Celeb", byId, known).allowed, false);
    assert.equal(may(["x"], ":ban Celeb", byId).allowed, true);
    const aliases = { protectedPlayers: ["900"], protectedAliases: { "900": "celeb" } };
    for (const text of [":ban celeb", ":ban 900", ":ban cel"]) {
      assert.equal(may(["x"], text, aliases).allowed, false, text);
    }
    const toId = { protectedPlayers: ["celeb"], protectedAliases: { celeb: "900" } };
    assert.equal(may(["x"], ":ban 900", toId).allowed, false);
    const spelled = { protectedPlayers: ["NightOwl"], protectedAliases: { NightOwl: "900" } };
    for (const text of [":ban nightowl", ":ban NIGHTOWL", ":ban night", ":ban 900"]) {
      assert.equal(may(["x"], text, spelled).allowed, false, text);
    }
    assert.match(may(["x"], ":ban 90", { ...spelled }).why, /may mean NightOwl/);
  });

  test("further colons change nothing: what is denied stays denied", () => {
    const denied = [{ roleId: "x", verb: "kick" }];
    assert.equal(may(["x"], "::kick Alice", { denied }).allowed, false);
    assert.equal(may(["m"], "::kick Ada").allowed, false);
  });

  test("shields nobody from what does no harm", () => {
    assert.equal(may(["m"], ":pm Ada hello").allowed, true);
    assert.equal(may(["m"], ":heal all").allowed, true);
  });

  test("judges no harmful target blindly: without the lists only Managers may", () => {
    assert.equal(
      decide(policy, { roleIds: ["m"] }, { command: parseCommand(":kick Alice"), people: undefined }).allowed,
      false,
    );
    assert.equal(
      decide(policy, { roleIds: ["m"] }, { command: parseCommand(":h hello"), people: undefined }).allowed,
      true,
    );
    const unprotected = { ...policy, protectedPlayers: [] };
    assert.equal(
      decide(unprotected, { roleIds: ["x"] }, { command: parseCommand(":kick A"), people: undefined })
        .allowed,
      true,
    );
    assert.equal(
      decide(policy, { roleIds: ["x"] }, { command: parseCommand(":kick A"), people: undefined }).allowed,
      false,
    );
  });

  test("says that someone with one allowed verb is staff", () => {
    assert.equal(isStaff(policy, ["v"]), true);
    assert.equal(isStaff({ ...EMPTY_POLICY, allowed: [{ roleId: "r", verb: "h" }] }, ["r"]), true);
    assert.equal(isStaff({ ...EMPTY_POLICY, allowed: [{ roleId: "r", verb: "h" }] }, ["other"]), false);
    assert.equal(isStaff(policy, ["stranger"]), false);
  });

  test("allows nothing above the tier without a rule, over all verbs and roles", () => {
    const roleIds = fc.subarray(["v", "m", "a", "x", "none"]);
    const verb = fc.constantFrom(...catalogue);
    const rules = fc.array(
      fc.record({
        roleId: fc.constantFrom("v", "m", "a", "x", "none"),
        verb: fc.constantFrom("ban", "kick", "h"),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(roleIds, verb, rules, rules, (ids, chosen, allowed, denied) => {
        const own: StaffPolicy = { ...policy, allowed, denied };
        const result = decide(own, { roleIds: ids }, { command: parseCommand(`:${chosen.verb}`), people });
        const holds = (list: typeof allowed) =>
          list.some((rule) => rule.verb === chosen.verb && ids.includes(rule.roleId));
        const tier: Tier | undefined = tierOf(own, ids);
        const expected = !holds(denied) && (holds(allowed) || tierLevel(tier) >= tierLevel(chosen.tier));
        assert.equal(result.allowed, expected);
        assert.notEqual(result.why, "");
      }),
      { numRuns: 1_000 },
    );
  });
});
