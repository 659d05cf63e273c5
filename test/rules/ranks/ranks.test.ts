import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { Binding } from "../../../src/domain/guild.ts";
import { binding } from "../../support/runs-rig.ts";
import { RankWorld, ROLE_OF } from "./rank-world.ts";

/** A world in which these play and the first of them has a role. */
async function withPlayers(names: readonly string[], everyMs = 5_000): Promise<RankWorld> {
  const world = new RankWorld({ seed: 5, everyMs });
  await world.start();
  for (const name of names) world.town.arrive({ ...world.person(name) });
  return world;
}

const texts = (world: RankWorld) => world.hits.map(({ text }) => text);

/** It did not run, and nobody says so. */
async function noAnswer(): Promise<never> {
  throw new Failure("unreachable", "no answer", { ran: "unknown" });
}

/** The game's log shows nothing of what got no answer. */
async function neverRan({ rig: { audit } }: RankWorld): Promise<void> {
  for (const row of audit.rows.values())
    if (row.ran === "unknown") await audit.put({ ...row, proof: "not-seen" });
}

async function unsetRole(world: RankWorld, rank: keyof typeof ROLE_OF): Promise<void> {
  const roleId = ROLE_OF[rank];
  const { ranks } = world.ranks;
  const { key } = await world.ended(ranks.checkUnset(world.linked, roleId));
  await world.ended(ranks.unset(world.actor, world.linked, { roleId, key }));
}

describe("ranks that follow roles", () => {
  test("by themselves do nothing; a plan is shown, confirmed, and then kept", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.live(120_000);
    const plan = await world.check();
    assert.deepEqual(
      plan.raise.map(({ player, rank }) => [player.name, rank]),
      [["Rex", "mod"]],
    );
    assert.deepEqual([world.hits, plan.take, plan.isForMany], [[], [], false]);
    await world.ended(world.ranks.ranks.apply(world.actor, world.linked, plan.key));
    await world.live(60_000);
    assert.deepEqual([texts(world), world.rankOf("Rex")], [[":mod 1002"], "mod"]);
    world.give("Una", "helper");
    await world.live(120_000);
    assert.equal(world.rankOf("Una"), "helper");
    assert.deepEqual(world.wrong, []);
  });

  test("a plan that says something else by now is not confirmed", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.live(45_000);
    const { key } = await world.check();
    world.give("Una", "admin");
    await world.live(70_000);
    await assert.rejects(
      world.ended(world.ranks.ranks.apply(world.actor, world.linked, key)),
      /plan has changed/,
    );
    assert.deepEqual(world.hits, []);
  });

  test("a lost role takes the rank back within two minutes of the read that shows it, a second and third 40 and 60 s later; the fourth pauses and tells", async () => {
    const world = await withPlayers(["Rex", "Una", "Ann", "Player_1x"]);
    const names = ["Rex", "Una", "Ann", "Player_1x"];
    for (const name of names) world.give(name, "mod");
    await world.turnOn();
    await world.live(180_000);
    for (const name of names) assert.equal(world.rankOf(name), "mod", name);
    world.holdMs = 300;
    for (const name of names) world.takeRole(name, "mod");
    const lostAtMs = world.clock.monotonicMs();
    await world.live(240_000);
    const taken = world.hits.filter(({ text }) => text.startsWith(":un")).map(({ atMs }) => atMs - lostAtMs);
    assert.equal(taken.length, 3);
    const [first = 0, second = 0, third = 0] = taken;
    // Roles are read once a minute. One of four turns of five seconds is for ranks.
    assert.ok(
      first <= 60_000 + 120_000 && second <= first + 40_000 && third <= first + 60_000,
      String(taken),
    );
    assert.match(world.notices.join(), /paused: A fourth rank/);
    const [view] = world.ranks.ranks.list("g1");
    assert.notEqual(view?.pause, undefined);
    await world.live(600_000);
    assert.equal(world.hits.filter(({ text }) => text.startsWith(":un")).length, 3, "paused");
    await world.apply();
    await world.live(60_000);
    assert.equal([...world.given.keys()].length, 0);
    assert.deepEqual(world.wrong, []);
  });

  test("a rank that changes twice within a day pauses and tells", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.takeRole("Rex", "mod");
    await world.live(180_000);
    assert.equal(world.rankOf("Rex"), undefined);
    world.give("Rex", "mod");
    await world.live(180_000);
    assert.deepEqual(texts(world), [":mod 1002", ":unmod 1002"]);
    assert.match(world.notices.join(), /paused: The rank of one person.*Rex/);
    await world.apply();
    await world.live(60_000);
    assert.equal(world.rankOf("Rex"), "mod");
  });

  test("nobody is touched whom Marshal did not raise: owner, co-owner, staff by hand", async () => {
    const world = await withPlayers(["Rex"]);
    for (const [id, name] of [
      [1, "Owner"],
      [2, "Co"],
      [901, "HandMod"],
    ] as const) {
      await world.link({ id, name });
      world.town.arrive({ id, name });
      world.held.set(world.memberOf(id), new Set([ROLE_OF.admin]));
    }
    world.give("Tim", "admin");
    await world.turnOn();
    await world.live(300_000);
    assert.deepEqual(world.hits, []);
    const plan = await world.check();
    assert.deepEqual(
      plan.notDone.map(({ player, why }) => [player.name, why]),
      [
        ["Owner", "owner"],
        ["Co", "owner"],
        ["HandMod", "has-rank"],
        ["Tim", "has-rank"],
      ],
    );
  });

  test("whom the owner removed in the game is not put back, and that is told", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    world.give("Una", "mod");
    await world.turnOn();
    await world.live(120_000);
    world.byHand(":unmod 1002");
    await world.live(120_000);
    assert.deepEqual(world.notices, ["left: Rex"]);
    world.takeRole("Rex", "mod");
    await world.live(120_000);
    world.give("Rex", "mod");
    await world.live(120_000);
    await world.apply();
    await world.live(120_000);
    assert.equal(world.rankOf("Rex"), undefined);
    assert.deepEqual(world.wrong, []);
  });

  test("a list of staff that is absent or empty is not believed: nobody is raised, taken back or let go of", async () => {
    for (const staffAs of ["absent", "empty"] as const) {
      const world = await withPlayers(["Rex", "Una"]);
      world.give("Rex", "mod");
      world.staffAs = staffAs;
      await world.live(120_000);
      const plan = await world.check();
      assert.equal(plan.staffAgeMs, undefined);
      await assert.rejects(
        world.ended(world.ranks.ranks.apply(world.actor, world.linked, plan.key)),
        /list of staff/,
      );
      world.staffAs = "whole";
      await world.turnOn();
      await world.live(60_000);
      world.staffAs = staffAs;
      world.takeRole("Rex", "mod");
      world.give("Una", "mod");
      await world.live(600_000);
      assert.deepEqual([texts(world), world.notices], [[":mod 1002"], []]);
      world.staffAs = "whole";
      await world.live(180_000);
      assert.deepEqual(texts(world), [":mod 1002", ":unmod 1002", ":mod 1004"]);
      assert.deepEqual(world.wrong, []);
    }
  });

  test("while roles cannot be read nothing happens", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.roleReadsFail = true;
    world.takeRole("Rex", "mod");
    world.give("Una", "mod");
    await world.live(900_000);
    assert.deepEqual(texts(world), [":mod 1002"]);
    const plan = await world.check();
    assert.deepEqual(
      plan.notDone.filter(({ player }) => player.name === "Rex").map(({ why }) => why),
      ["roles"],
    );
    world.roleReadsFail = false;
    await world.live(180_000);
    assert.deepEqual(texts(world), [":mod 1002", ":unmod 1002", ":mod 1004"]);
  });

  test("one Manager's word raises to helper only, until a second one confirms it", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    for (const name of ["Rex", "Una"]) {
      await world.unlink(world.person(name).id);
      await world.vouch(world.person(name));
    }
    world.give("Rex", "admin");
    world.give("Una", "helper");
    await world.turnOn();
    await world.live(120_000);
    assert.deepEqual([world.rankOf("Rex"), world.rankOf("Una")], [undefined, "helper"]);
    const { id: playerId } = world.person("Rex");
    await world.rig.runs.accounts.confirm(world.rig.actor("manager", { userId: "u-second" }), {
      userId: world.memberOf(playerId),
      playerId,
    });
    await world.live(120_000);
    assert.equal(world.rankOf("Rex"), "admin");
  });

  test("a link that is moved while the gate holds the command is noticed, and the rank goes with it", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    const rex = world.person("Rex");
    await world.unlink(rex.id);
    // Another member is Rex now, and Rex' member is somebody else.
    world.held.set("m-other", new Set());
    await world.link(rex, "m-other");
    await world.unlink(world.person("Una").id);
    await world.link(world.person("Una"), world.memberOf(rex.id));
    await world.live(240_000);
    assert.deepEqual([world.rankOf("Rex"), world.rankOf("Una")], [undefined, "mod"]);
    assert.deepEqual(world.wrong, []);
  });

  test("somebody who is named like the id of another gets nothing of theirs", async () => {
    const world = await withPlayers(["all", "1005", "Una"]);
    // The player named 1005 is in the server, and the id 1005 is that of "all".
    assert.equal(world.person("all").id, 1_005);
    world.give("all", "mod");
    await world.turnOn();
    await world.live(600_000);
    assert.deepEqual(world.hits, []);
    const [view] = world.ranks.ranks.list("g1");
    assert.match(view?.events.at(-1)?.why ?? "", /By now it would hit 1005, so it was not sent/);
  });

  test("nor does somebody whose name only begins like it, and who is not there", async () => {
    const world = await withPlayers(["1005", "Una"]);
    // The id 1006 is that of "1005"; another member is linked as "1006x".
    world.give("1005", "mod");
    await world.turnOn();
    await world.live(600_000);
    assert.deepEqual(world.hits, []);
    const [view] = world.ranks.ranks.list("g1");
    assert.match(view?.events.at(-1)?.why ?? "", /named like their id/);
  });

  test("somebody named like an id who joins while the gate holds the command gets nothing of it", async () => {
    const world = await withPlayers(["all", "Una"]);
    await world.unlink(world.person("1005").id);
    world.give("all", "mod");
    world.holdMs = 6_500;
    await world.turnOn();
    await world.live(2_000);
    assert.equal(world.rig.sent.length, 1, "the gate has it");
    world.town.arrive({ ...world.person("1005") });
    await world.live(300_000);
    assert.deepEqual(world.hits, []);
  });

  test("who gets a rank by hand while the command waits, or while the gate holds it, is left as they are", async () => {
    for (const [everyMs, waitMs, holdMs] of [
      [300_000, 60_000, 300],
      [5_000, 0, 6_500],
    ] as const) {
      const world = await withPlayers(["Rex", "Una"], everyMs);
      world.give("Una", "mod");
      world.holdMs = holdMs;
      await world.live(2.5 * Math.max(everyMs, 30_000));
      const { key } = await world.check();
      world.rig.readyAtMs = world.clock.nowMs() + waitMs;
      await world.ended(world.ranks.ranks.apply(world.actor, world.linked, key));
      await world.live(2_000);
      world.byHand(":admin 1004");
      await world.live(240_000);
      assert.deepEqual([world.rankOf("Una"), world.hits], ["admin", []]);
    }
  });

  test("a rank given by hand after a taking back whose answer was lost is left alone, where one look between showed it gone", async () => {
    const everyMs = 300_000;
    const world = await withPlayers(["Rex", "Una"], everyMs);
    world.give("Rex", "helper");
    await world.turnOn();
    await world.live(4 * everyMs);
    assert.equal(world.rankOf("Rex"), "helper");
    const runs = world.rig.answering;
    world.rig.answering = async (...sent) => {
      await runs(...sent);
      throw new Failure("unreachable", "the answer was lost", { ran: "unknown" });
    };
    world.takeRole("Rex", "helper");
    while (world.rankOf("Rex") !== undefined) await world.live(1_000);
    world.rig.answering = runs;
    await world.live(everyMs + 10_000);
    world.byHand(":helper 1002");
    await world.live(6 * everyMs);
    assert.deepEqual((await world.check()).take, []);
    await world.apply();
    await world.live(2 * everyMs);
    assert.equal(world.rankOf("Rex"), "helper");
    assert.deepEqual(world.wrong, []);
  });

  test("a role that was deleted takes nothing from anybody: it pauses and tells; unset takes back", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    world.give("Una", "helper");
    await world.turnOn();
    await world.live(120_000);
    world.gone.add(ROLE_OF.mod);
    await world.live(300_000);
    assert.deepEqual([world.rankOf("Rex"), world.notices.length], ["mod", 1]);
    assert.match(world.notices[0] ?? "", /role was deleted/);
    const plan = await world.ended(world.ranks.ranks.checkUnset(world.linked, ROLE_OF.mod));
    assert.deepEqual(
      plan.take.map(({ player }) => player.name),
      ["Rex"],
    );
    await world.ended(
      world.ranks.ranks.unset(world.actor, world.linked, { roleId: ROLE_OF.mod, key: plan.key }),
    );
    await world.live(120_000);
    assert.deepEqual([world.rankOf("Rex"), world.rankOf("Una")], [undefined, "helper"]);
  });

  test("a role that everyone has is said so, with the people; @everyone is refused", async () => {
    const world = await withPlayers(["Rex"]);
    for (const { name } of world.people) world.give(name, "helper");
    await world.live(60_000);
    const plan = await world.check();
    assert.deepEqual([plan.isForMany, plan.raise.length], [true, world.people.length - 1], "all but Tim");
    const wish = { roleId: "g1", rank: "mod" } as const;
    await assert.rejects(world.ranks.ranks.set(world.actor, world.linked, wish), /Everyone has that role/);
  });

  test("a pause stops it at once, also what the gate holds; what was confirmed before waits for a new plan", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    world.holdMs = 8_000;
    await world.turnOn();
    await world.live(4_000);
    assert.equal(world.rig.sent.length, 1, "the gate has it");
    await world.ranks.ranks.pause(world.actor);
    await world.live(300_000);
    assert.deepEqual(world.hits, []);
    await world.apply();
    await world.live(60_000);
    assert.equal(world.rankOf("Rex"), "mod");
  });

  test("a plan for many that was paused halfway goes on with a press of /rank apply", async () => {
    const world = await withPlayers(["Una"]);
    for (let n = 0; n < 120; n++) {
      const person = { name: `Member_${n}`, id: 5_000 + n };
      await world.link(person);
      world.held.set(world.memberOf(person.id), new Set([ROLE_OF.helper]));
    }
    await world.turnOn();
    await world.live(60_000);
    await world.ranks.ranks.pause(world.actor);
    await world.live(30_000);
    const before = texts(world).length;
    await world.apply();
    await world.live(60_000);
    assert.ok(before > 0 && before < 60 && texts(world).length > before, `${before} ${texts(world).length}`);
  });

  test("what was confirmed while it is paused is sent again where the log shows that it did not run", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(120_000);
    await world.ranks.ranks.pause(world.actor);
    world.takeRole("Rex", "mod");
    const runs = world.rig.answering;
    world.rig.answering = noAnswer;
    await unsetRole(world, "mod");
    await world.live(60_000);
    await neverRan(world);
    world.rig.answering = runs;
    await world.live(5 * 60_000);
    assert.deepEqual([world.rankOf("Rex"), world.rig.sent.length], [undefined, 3]);
    assert.deepEqual(world.wrong, []);
  });

  test("what was confirmed and tried three times in vain is paused and told of, and tried anew once it is confirmed again", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(120_000);
    await world.ranks.ranks.pause(world.actor);
    world.takeRole("Rex", "mod");
    const runs = world.rig.answering;
    world.rig.answering = noAnswer;
    let asked = 0;
    const { of } = world.rig.settings;
    world.rig.settings.of = (guildId) => {
      asked += 1;
      return asked < 5_000 ? of(guildId) : Promise.reject(new Error("it never rests"));
    };
    await unsetRole(world, "mod");
    await world.live(30 * 60_000);
    assert.deepEqual([world.rig.sent.length, world.wrong], [4, []], "one raise and three tries");
    assert.match(world.notices.join(), /three times/);
    world.rig.answering = runs;
    await unsetRole(world, "helper");
    await world.live(5 * 60_000);
    assert.deepEqual([world.rankOf("Rex"), world.wrong], [undefined, []]);
  });

  test("a taking back that got no answer and did not run is sent again, and is no second change of that rank", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(120_000);
    const runs = world.rig.answering;
    world.rig.answering = noAnswer;
    world.takeRole("Rex", "mod");
    while (world.rig.sent.length === 1) await world.live(1_000);
    world.rig.answering = runs;
    await world.live(60_000);
    await neverRan(world);
    await world.live(120_000);
    assert.deepEqual([world.rankOf("Rex"), world.notices, world.wrong], [undefined, [], []]);
  });

  test("a plan that two confirm at once sends each command once, and Marshal knows afterwards whom it raised", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.live(45_000);
    const { key } = await world.check();
    const { ranks } = world.ranks;
    const second = ranks.apply(world.rig.actor("manager", { userId: "u-second" }), world.linked, key);
    await world.ended(Promise.all([ranks.apply(world.actor, world.linked, key), second]));
    await world.live(120_000);
    assert.deepEqual([texts(world), ranks.list("g1")[0]?.raised[0]?.state], [[":mod 1002"], "raised"]);
  });

  test("a plan that is confirmed while its first command leaves already does not make Marshal forget whom it raised", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.live(45_000);
    const { key } = await world.check();
    const { ranks } = world.ranks;
    const slow = Promise.withResolvers<void>();
    world.slowFor.set("u-second", slow.promise);
    const second = ranks.apply(world.rig.actor("manager", { userId: "u-second" }), world.linked, key);
    await world.ended(ranks.apply(world.actor, world.linked, key));
    const runs = world.rig.answering;
    world.rig.answering = async (...sent) => {
      const answer = await runs(...sent);
      await world.clock.sleep(8_000);
      return answer;
    };
    while (world.hits.length === 0) await world.live(1_000);
    slow.resolve();
    await world.ended(second);
    await world.live(120_000);
    assert.deepEqual([texts(world), ranks.list("g1")[0]?.raised[0]?.state], [[":mod 1002"], "raised"]);
  });

  test("while it is paused nobody is told that Marshal keeps trying to take a rank back", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(120_000);
    await world.ranks.ranks.pause(world.actor);
    await world.unlink(1_002);
    await world.live(20 * 60_000);
    assert.deepEqual([world.notices, world.rankOf("Rex")], [[], "mod"]);
  });

  test("an automatic pause stops it at once, and it goes on after", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.live(45_000);
    await world.rig.settings.change("g1", (own) => ({ ...own, automaticPause: { byId: "u", atMs: 0 } }));
    await world.apply();
    await world.live(120_000);
    assert.deepEqual([world.hits, world.rig.audit.rows.size], [[], 0]);
    await world.rig.settings.change("g1", ({ automaticPause: _, ...own }) => own);
    await world.live(60_000);
    assert.equal(world.rankOf("Rex"), "mod");
  });

  test("a Manager who is one no more stops it, and people are told", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.rig.memberRoles.set("u-manager", []);
    world.takeRole("Rex", "mod");
    await world.live(180_000);
    assert.deepEqual(texts(world), [":mod 1002"]);
    assert.match(world.notices.join(), /no longer one/);
  });

  test("who may not run the commands cannot confirm a plan", async () => {
    const world = await withPlayers(["Rex"]);
    world.give("Rex", "mod");
    await world.live(45_000);
    const { key } = await world.check();
    const admin = world.rig.actor("admin");
    await assert.rejects(
      world.ended(world.ranks.ranks.apply(admin, world.linked, key)),
      (error) => error instanceof Failure && error.code === "denied",
    );
  });

  test("nor unset a role that gave ranks, also while the list of staff is not believed", async () => {
    const world = await withPlayers(["Rex"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.staffAs = "absent";
    await world.live(60_000);
    const roleId = ROLE_OF.mod;
    const { key, take } = await world.ended(world.ranks.ranks.checkUnset(world.linked, roleId));
    assert.deepEqual(take, []);
    const admin = world.rig.actor("admin");
    await assert.rejects(
      world.ended(world.ranks.ranks.unset(admin, world.linked, { roleId, key })),
      (error) => error instanceof Failure && error.code === "denied",
    );
    world.staffAs = "whole";
    await world.live(300_000);
    assert.equal(world.rankOf("Rex"), "mod");
  });

  test("one community a server keeps ranks, a second is refused", async () => {
    const world = await withPlayers(["Rex"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    const other = { ...binding, id: "b2", guildId: "g2" } as Binding;
    world.rig.linked.push(other);
    world.rig.setPolicy({}, "b2", "g2");
    const foreign = world.rig.actor("manager", { guildId: "g2", userId: "u-other" });
    const wish = { roleId: "r-x", rank: "mod" } as const;
    await assert.rejects(world.ranks.ranks.set(foreign, other, wish), /Another community/);
    for (const roleId of Object.values(ROLE_OF)) {
      const plan = await world.ended(world.ranks.ranks.checkUnset(world.linked, roleId));
      await world.ended(world.ranks.ranks.unset(world.actor, world.linked, { roleId, key: plan.key }));
    }
    await world.live(180_000);
    assert.deepEqual(
      [texts(world), world.texts.ranks.size, world.texts.keepings.size],
      [[":mod 1002", ":unmod 1002"], 0, 0],
    );
    await world.ranks.ranks.set(foreign, other, wish);
  });

  test("two communities that set theirs before either confirmed: the second to confirm is refused", async () => {
    const world = await withPlayers(["Rex"]);
    const other = { ...binding, id: "b2", guildId: "g2" } as Binding;
    world.rig.linked.push(other);
    world.rig.setPolicy({}, "b2", "g2");
    const foreign = world.rig.actor("manager", { guildId: "g2", userId: "u-other" });
    await world.ranks.ranks.set(foreign, other, { roleId: "r-x", rank: "mod" });
    await world.turnOn();
    const { key } = await world.check(other);
    await assert.rejects(world.ended(world.ranks.ranks.apply(foreign, other, key)), /Another community/);
  });

  test("the bot removed and invited again goes on with nothing until a plan is confirmed, and still knows whom it raised", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.rig.linked = [];
    await world.ranks.onGuildRemoved({ guildId: "g1", bindingId: binding.id });
    world.takeRole("Rex", "mod");
    world.give("Una", "mod");
    await world.live(120_000);
    world.rig.linked = [binding as Binding];
    world.ranks.onLinksChanged("g1");
    await world.live(300_000);
    assert.deepEqual(texts(world), [":mod 1002"]);
    await world.apply();
    await world.live(120_000);
    assert.deepEqual(texts(world), [":mod 1002", ":unmod 1002", ":mod 1004"]);
    assert.deepEqual(world.wrong, []);
  });

  test("after an older copy was put back nobody loses a rank that somebody gave since, until a plan is confirmed", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "helper");
    await world.turnOn();
    await world.live(60_000);
    const copy = world.copy();
    world.takeRole("Rex", "helper");
    await world.live(180_000);
    world.byHand(":helper 1002");
    await world.live(60_000);
    await world.crash(copy);
    world.give("Una", "mod");
    await world.live(300_000);
    assert.deepEqual([texts(world), world.rankOf("Rex")], [[":helper 1002", ":unhelper 1002"], "helper"]);
    assert.match(world.notices.join(), /^paused: [^,]*restored from an older copy/);
    const { take, pause } = await world.check();
    assert.match(pause?.why ?? "", /older copy/);
    assert.deepEqual(
      take.map(({ player }) => player.name),
      ["Rex"],
      "whoever confirms it reads who would lose one",
    );
    await world.crash();
    await world.live(120_000);
    assert.equal(world.notices.length, 1, "told once");
    world.byHand(":unhelper 1002");
    await world.live(120_000);
    await world.apply();
    await world.live(120_000);
    assert.deepEqual(texts(world).slice(2), [":mod 1004"], "confirmed, it goes on");
    assert.deepEqual(world.wrong, []);
  });

  test("after an older copy was put back ranks that nobody had turned on are not told of", async () => {
    const world = await withPlayers(["Rex"]);
    await world.crash(world.copy());
    const [view] = world.ranks.ranks.list("g1");
    assert.deepEqual([world.notices, view?.pause], [[], undefined]);
  });

  test("an unlinked server is told of with the people who keep their rank", async () => {
    const world = await withPlayers(["Rex"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    await world.ranks.onUnlinked({ guildId: "g1", bindingId: binding.id }, "Liberty County");
    assert.deepEqual(
      [world.notices, world.texts.ranks.size, world.texts.keepings.size],
      [["unlinked: Rex"], 0, 0],
    );
  });

  test("a higher role first takes the lower rank, and is no flip", async () => {
    const world = await withPlayers(["Rex", "Una"]);
    world.give("Rex", "helper");
    await world.turnOn();
    await world.live(60_000);
    world.give("Rex", "admin");
    await world.live(240_000);
    assert.deepEqual(texts(world), [":helper 1002", ":unhelper 1002", ":admin 1002"]);
    assert.deepEqual([world.wrong, world.notices], [[], []]);
  });

  for (const [what, holdMs] of [
    ["before it left", 30_000],
    ["while it was answered", 1_000],
  ] as const) {
    test(`a kill ${what} leaves nothing over`, async () => {
      const world = await withPlayers(["Rex", "Una"]);
      world.give("Rex", "mod");
      world.holdMs = holdMs;
      await world.turnOn();
      await world.live(2_000);
      world.takeRole("Rex", "mod");
      await world.crash();
      world.holdMs = undefined;
      await world.live(600_000);
      assert.equal(world.rankOf("Rex"), undefined);
      assert.equal(world.given.size, 0);
      assert.deepEqual(world.wrong, []);
    });
  }

  test("people's commands go first, and somebody who is missing everywhere costs nothing while nobody is in the server", async () => {
    const world = await withPlayers(["Rex"]);
    world.give("Rex", "mod");
    await world.turnOn();
    await world.live(60_000);
    world.takeRole("Rex", "mod");
    world.town.depart(world.person("Rex").id);
    await world.live(600_000);
    assert.deepEqual(texts(world), [":mod 1002"]);
    world.town.arrive({ ...world.person("Una") });
    await world.live(180_000);
    assert.deepEqual(texts(world), [":mod 1002", ":unmod 1002"]);
  });
});
