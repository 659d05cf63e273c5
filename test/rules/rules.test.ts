import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ruleList, ruleTest } from "../../src/discord/render/rule-cards.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Lists, Player } from "../../src/domain/model.ts";
import { contradicts, type Rule } from "../../src/domain/rule.ts";
import { whyNotNamed } from "../../src/rules/named-in-full.ts";
import { isAbout, presentOf } from "../../src/rules/present.ts";
import { isBreachToAct, isBreachToTell, lookTimes, Sightings } from "../../src/rules/sightings.ts";
import { createPlayerMessages, parseSentToPlayer } from "../../src/store/player-messages.ts";
import { VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { binding } from "../support/runs-rig.ts";
import { COP, GONE_ROLE, RuleWorld } from "./rule-world.ts";

type Breaker = Awaited<ReturnType<typeof join>>;
const HOUR_MS = 3_600_000;

function player(name: string, id: number, more: Partial<Player> = {}): Player {
  return { player: { name, id }, team: "Police", permission: "Normal", wantedStars: 0, ...more };
}

function rule(more: Partial<Rule>): Rule {
  const ids = { id: "r1", guildId: "g1", bindingId: "b1", number: 1, channelId: "c", byId: "u" };
  return { ...ids, kind: "team", what: "Police", roleIds: [COP], createdAtMs: 0, ...more };
}

/** A world with one player on team Police who is linked and lacks the role. */
async function withBreaker(name: string, step?: "pm" | "load" | "kick", everyMs = 5_000) {
  const world = new RuleWorld({ seed: 9, everyMs, ...(step && { step }) });
  await world.start();
  const breaker = await join(world, name);
  return { world, breaker };
}

async function join(world: RuleWorld, name: string, team: Player["team"] = "Police") {
  const person = world.people.find((one) => one.name === name);
  assert.ok(person);
  const userId = world.memberOf(person.id);
  world.held.set(userId, new Set());
  if ((await world.rig.runs.accounts.of("g1", userId)) === undefined) await world.link(userId, person);
  world.town.arrive({ ...person });
  const here = world.town.find(person.id);
  assert.ok(here);
  here.team = team as "Police";
  return here;
}

const texts = (world: RuleWorld) => world.hits.map(({ text }) => text.split(" ").slice(0, 2).join(" "));

describe("a breach", () => {
  test("is the same state in every answer over 20 seconds, with no gap of 90 for anything but telling", () => {
    const looks = (...atS: (number | [number, Partial<Player>])[]) => {
      const seen = new Sightings();
      for (const one of atS) {
        const [at, more] = typeof one === "number" ? [one, {}] : one;
        const lists = { players: [player("Rex", 1, more)] };
        seen.take(lists, { askedAtMs: at * 1_000 - 500, takenAtMs: at * 1_000, nowMs: at * 1_000 });
      }
      const sighting = seen.players.get(1);
      assert.ok(sighting);
      return [isBreachToTell(sighting), isBreachToAct(sighting), seen.isSparse];
    };
    assert.deepEqual(looks(0), [false, false, false]);
    assert.deepEqual(looks(0, 5, 10, 15, 20), [false, false, false], "the answer of 20 was asked for before");
    assert.deepEqual(looks(0, 5, 10, 15, 21), [true, true, false]);
    assert.deepEqual(looks(0, 5, [10, { callsign: "1A" }], 15, 21), [false, false, false]);
    assert.deepEqual(looks(0, [10, { team: "Civilian" }], 20, 30), [false, false, false]);
    assert.deepEqual(looks(0, 10, [15, { team: "" }], 21), [true, false, false], "one without a team");
    assert.deepEqual(looks(0, 80), [true, true, false]);
    assert.deepEqual(looks(0, 300), [true, false, true]);
    assert.deepEqual(looks(0, 300, 310), [true, false, false]);
    assert.deepEqual(looks(0, 300, 325), [true, true, false]);
  });

  test("begins anew with a life: a kill, or a leave that no look showed", () => {
    const seen = new Sightings();
    const look = (atS: number, more: Partial<Lists> = {}) =>
      seen.take(
        { players: [player("Rex", 1)], ...more },
        { askedAtMs: atS * 1_000, takenAtMs: atS * 1_000, nowMs: atS * 1_000 },
      );
    const rex = { name: "Rex", id: 1 };
    look(0);
    look(30, { killLogs: [{ kind: "kill", atS: 12, killer: rex, killed: rex }] });
    assert.equal(seen.players.get(1)?.sinceMs, 30_000);
    look(60, { joinLogs: [{ kind: "join", joined: true, atS: 55, player: rex }] });
    assert.equal(seen.players.get(1)?.sinceMs, 60_000);
    assert.equal(seen.players.get(1)?.visitFromMs, 55_000);
    look(90);
    assert.equal(seen.players.get(1)?.sinceMs, 60_000, "rows that left the log change nothing");
  });

  test("its visit began by the clock of this machine, by which messages are counted, not by the service's", () => {
    const clock = new VirtualClock();
    const seen = new Sightings();
    const aheadMs = 90_000;
    const atS = Math.floor((clock.nowMs() + aheadMs) / 1_000) - 30;
    const joinLogs = [{ kind: "join", joined: true, atS, player: { name: "Rex", id: 1 } }] as const;
    const look = { askedAtMs: clock.nowMs(), takenAtMs: clock.nowMs(), serviceAtMs: clock.nowMs() + aheadMs };
    seen.take({ players: [player("Rex", 1)], joinLogs }, lookTimes(look, clock));
    assert.equal(seen.players.get(1)?.visitFromMs, atS * 1_000 - aheadMs);
  });

  test("of a vehicle needs exactly one player with its owner's whole name; 500 of them cost nothing", () => {
    const players = [player("Ann", 1), player("Annabel", 2), player("ANN_b", 3)];
    const vehicles = Array.from({ length: 500 }, (_, n) => ({ name: `Van ${n}`, owner: `Gone${n}` }));
    const present = presentOf({
      players: [...players, player("ann_B", 4)],
      vehicles: [...vehicles, { name: "SWAT", owner: "Ann" }, { name: "SWAT", owner: "ANN_b" }],
    });
    const swat = rule({ kind: "vehicle", what: "swat" });
    assert.deepEqual(
      present.filter((one) => isAbout(swat, one)).map((one) => one.player.name),
      ["Ann"],
    );
  });

  test("is never in jail, and a callsign counts by its beginning in any case", () => {
    const of = (more: Partial<Player>) => presentOf({ players: [player("Rex", 1, more)] })[0];
    const callsign = rule({ kind: "callsign", what: "1a-" });
    const about = (one: Rule, more: Partial<Player>) => {
      const present = of(more);
      assert.ok(present);
      return isAbout(one, present);
    };
    const drives = (team: string) => {
      const present = of({ team });
      return present && isAbout(rule({ kind: "vehicle", what: "Bus" }), { ...present, vehicles: ["Bus"] });
    };
    assert.equal(about(callsign, { callsign: "1A-12" }), true);
    assert.equal(about(callsign, { callsign: "1B-12" }), false);
    assert.equal(about(callsign, { callsign: "1A-12", team: "Jail" }), false);
    for (const team of ["", " "]) {
      assert.equal(about(callsign, { callsign: "1A-12", team }), false, "whoever it is may be in jail");
      assert.equal(drives(team), false);
    }
    assert.equal(drives("Civilian"), true);
    assert.equal(about(rule({ what: "jail" }), { team: "Jail" }), false);
  });
});

describe("whom a command with a whole name can hit", () => {
  const why = (name: string, ...others: string[]) =>
    whyNotNamed(
      { name, id: 1 },
      others.map((other, n) => ({ name: other, id: 2 + n })),
    );

  test("names of words, numbers and beginnings of others are never used", () => {
    for (const name of [
      "all",
      "ALL",
      "a",
      "al",
      "others",
      "oth",
      "O",
      "me",
      "M",
      "12",
      "Ann Lee",
      "x,y",
      "",
      ":kick",
    ])
      assert.notEqual(why(name), undefined, name);
    for (const name of ["Mel", "all_in", "other", "x12"]) {
      if (name !== "other") assert.equal(why(name), undefined, name);
    }
    assert.notEqual(why("other"), undefined, "a beginning of others");
    assert.notEqual(why("Ann", "annabel"), undefined);
    assert.notEqual(why("Ann", "ANN"), undefined);
    assert.equal(why("Annabel", "Ann"), undefined);
  });
});

describe("rules that contradict", () => {
  test("are of one thing with different roles", () => {
    const other = (more: Partial<Rule>) => rule({ id: "r2", number: 2, ...more });
    assert.equal(contradicts(rule({}), other({ roleIds: ["x"] })), true);
    assert.equal(contradicts(rule({}), other({ what: "police", roleIds: [COP, "x"] })), true);
    assert.equal(contradicts(rule({}), other({ what: "Sheriff", roleIds: ["x"] })), false);
    assert.equal(contradicts(rule({}), other({ bindingId: "b2", roleIds: ["x"] })), false);
    const callsign = rule({ kind: "callsign", what: "1" });
    assert.equal(contradicts(callsign, other({ kind: "callsign", what: "1A", roleIds: ["x"] })), true);
    assert.equal(contradicts(callsign, other({ kind: "callsign", what: "1A" })), false);
  });

  test("only tell", async () => {
    const { world } = await withBreaker("Rex", "kick");
    const wish = { kind: "team", what: "Police", channelId: "c" } as const;
    const add = (roleIds: readonly string[]) =>
      world.rules.rules.add(world.rig.actor("manager"), binding, { ...wish, roleIds });
    await assert.rejects(add(["x"]), /a rule for that already/);
    await world.rules.rules.add(world.rig.actor("manager"), binding, {
      kind: "callsign",
      what: "1",
      roleIds: [COP],
      channelId: "c",
    });
    const contrary = await world.rules.rules.add(world.rig.actor("manager"), binding, {
      kind: "callsign",
      what: "1A",
      roleIds: ["r-other"],
      channelId: "c",
    });
    assert.equal(contrary.onlyTells, "It contradicts rule 2, so both only tell.");
    await world.rules.rules.setStep(world.rig.actor("manager"), 3, "pm");
    await world.rules.rules.remove("g1", 1);
    const other = await join(world, "Tim");
    other.callsign = "1A-9";
    await world.live(120_000);
    assert.deepEqual([world.told.length, world.hits], [2, []]);
  });

  test("and one whose role was deleted does nothing", async () => {
    const { world } = await withBreaker("Rex");
    await world.rules.rules.remove("g1", 1);
    const gone = { kind: "team", what: "Police", roleIds: [GONE_ROLE, COP], channelId: "c" } as const;
    const view = await world.rules.rules.add(world.rig.actor("manager"), binding, gone);
    assert.match(view.onlyTells ?? "", /role/);
    await world.live(120_000);
    assert.deepEqual([world.told, world.hits], [[], []]);
  });
});

describe("a rule", () => {
  test("by itself only tells, once a breach, and counts what it would have done", async () => {
    const { world } = await withBreaker("Rex");
    await world.live(120_000);
    assert.equal(world.told.length, 1);
    const [view] = world.rules.rules.list("g1").rules;
    assert.deepEqual([view?.record.told, view?.record.would, view?.record.sent], [1, 1, 0]);
    assert.deepEqual(world.hits, []);
    await assert.rejects(world.rules.rules.setStep(world.rig.actor("manager"), 1, "kick"), /a week's record/);
  });

  test("takes one step a breach and one message a visit, three a day, whatever kills the process", async () => {
    const { world, breaker } = await withBreaker("Rex", "pm");
    for (let visit = 0; visit < 5; visit++) {
      await world.live(60_000);
      // The same visit: off the team and on it again.
      breaker.team = "Civilian";
      await world.live(15_000);
      const here = world.town.find(breaker.ref.id);
      assert.ok(here);
      here.team = "Police";
      if (visit === 1) await world.crash();
      await world.live(11 * 60_000);
      world.town.depart(breaker.ref.id);
      await world.live(30_000);
      const next = await join(world, "Rex");
      next.team = "Police";
    }
    assert.equal(world.messages.get(breaker.ref.id)?.length, 3);
    assert.deepEqual(world.wrong, []);
  });

  test("takes no second step where a copy of before was put back, and takes the next", async () => {
    const { world, breaker } = await withBreaker("Rex", "pm");
    const copy = world.copy();
    await world.live(60_000);
    assert.equal(world.hits.length, 1);
    await world.crash(copy);
    await world.live(11 * 60_000);
    assert.equal(world.hits.length, 1);
    const [view] = world.rules.rules.list("g1").rules;
    assert.match(view?.record.events.at(-1)?.why ?? "", /older copy/);
    world.town.depart(breaker.ref.id);
    await world.live(30_000);
    const next = await join(world, "Rex");
    next.team = "Police";
    await world.live(11 * 60_000);
    assert.equal(world.hits.length, 2);
  });

  test("broken again within ten minutes waits with what it tells and does, and a test of it says for how long", async () => {
    const { world, breaker } = await withBreaker("Rex", "pm");
    const waitsMs = async () => (await world.rules.rules.test("g1", 1)).breakers[0]?.waitsMs;
    await world.live(60_000);
    assert.deepEqual([world.told.length, await waitsMs()], [1, undefined]);
    breaker.team = "Civilian";
    await world.live(15_000);
    breaker.team = "Police";
    await world.live(60_000);
    const leftMs = (await waitsMs()) ?? 0;
    assert.ok(leftMs > 7 * 60_000 && leftMs < 9 * 60_000, `${leftMs} ms`);
    assert.equal(world.told.length, 1);
    await world.live(leftMs + 10_000);
    assert.deepEqual([world.told.length, await waitsMs()], [2, undefined]);
  });

  test("is told once, although one answer does not tell the team", async () => {
    const { world, breaker } = await withBreaker("Rex");
    await world.live(11 * 60_000);
    breaker.team = "" as "Police";
    await world.live(5_000);
    breaker.team = "Police";
    await world.live(60_000);
    assert.equal(world.told.length, 1);
  });

  test("does nothing to whom nobody linked, and nothing while roles cannot be read", async () => {
    const { world, breaker } = await withBreaker("Rex", "kick");
    await world.unlink(world.memberOf(breaker.ref.id));
    const other = await join(world, "Tim");
    world.roleReadsFail = true;
    await world.live(180_000);
    assert.deepEqual([world.told, world.hits], [[], []]);
    world.roleReadsFail = false;
    await world.live(60_000);
    assert.deepEqual(texts(world), [`:kick ${other.ref.name}`]);
  });

  test("a link that is moved in the middle of a breach ends it", async () => {
    const { world, breaker } = await withBreaker("Rex", "kick");
    await world.live(12_000);
    const userId = world.memberOf(breaker.ref.id);
    await world.unlink(userId);
    world.held.set("m-other", new Set([COP]));
    await world.link("m-other", { ...breaker.ref });
    await world.live(120_000);
    assert.deepEqual([world.told, world.hits], [[], []]);
  });

  for (const step of ["kick", "load"] as const)
    test(`of :${step} takes another Manager's word for a link only once somebody confirmed it`, async () => {
      const { world, breaker } = await withBreaker("Rex", step);
      const { ref } = breaker;
      const userId = world.memberOf(ref.id);
      const { accounts } = world.rig.runs;
      await world.unlink(userId);
      await accounts.vouch(world.rig.actor("manager", { userId: "m-hostile" }), userId, { ...ref });
      await world.live(120_000);
      assert.deepEqual([world.told.length, world.hits], [1, []]);
      assert.deepEqual(world.unconfirmed, ["m-hostile"]);

      await accounts.confirm(world.rig.actor("manager"), { userId, playerId: ref.id });
      await world.live(60_000);
      assert.deepEqual(texts(world), [`:${step} ${ref.name}`]);
    });

  test("a link that another Manager vouches for right before it leaves stops it", async () => {
    const { world, breaker } = await withBreaker("Rex", "kick");
    await world.live(12_000);
    const { ref } = breaker;
    const userId = world.memberOf(ref.id);
    await world.unlink(userId);
    const { accounts } = world.rig.runs;
    await accounts.vouch(world.rig.actor("manager", { userId: "m-hostile" }), userId, { ...ref });
    await world.live(60_000);
    assert.deepEqual(world.hits, []);
  });

  test("names nobody whose name begins another's, also where that one waits in the queue or is only known", async () => {
    const { world } = await withBreaker("Ann", "kick");
    await world.live(90_000);
    assert.deepEqual([world.told.length, world.hits], [1, []], "Annabel is linked, and so known");
    const [view] = world.rules.rules.list("g1").rules;
    assert.match(view?.record.events.at(-1)?.why ?? "", /begins with theirs/);
  });

  for (const [what, change] of [
    [
      "leaves the team",
      (_: RuleWorld, breaker: Breaker) => {
        breaker.team = "Civilian";
      },
    ],
    [
      "gets the role",
      (world: RuleWorld, { ref }: Breaker) => void world.held.get(world.memberOf(ref.id))?.add(COP),
    ],
  ] as const) {
    test(`somebody who ${what} while the gate holds the command gets none`, async () => {
      const { world, breaker } = await withBreaker("Rex", "kick");
      world.holdMs = 30_000;
      await world.live(40_000);
      assert.deepEqual([world.rig.sent.length, world.hits], [1, []], "the gate has it");
      change(world, breaker);
      await world.live(60_000);
      assert.deepEqual(world.hits, []);
    });
  }

  test("a pause stops it at once, also what waits for its turn", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.rig.readyAtMs = world.clock.nowMs() + 60_000;
    await world.live(45_000);
    await world.rules.rules.pause(world.rig.actor("manager"), true);
    await world.live(120_000);
    assert.deepEqual(world.hits, []);
    const view = await world.rules.rules.pause(world.rig.actor("manager"), false);
    assert.equal(view.pause, undefined);
  });

  test("somebody whose name theirs begins and who joins while the gate holds the command stops it", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.holdMs = 8_000;
    while (world.rig.sent.length === 0) await world.live(1_000);
    world.town.arrive({ name: "Rexx", id: 5_000 });
    await world.live(60_000);
    assert.deepEqual(world.hits, []);
  });

  test("the owner is left alone also where no row says that they are one", async () => {
    const world = new RuleWorld({ seed: 9, everyMs: 5_000, step: "kick" });
    await world.start();
    await world.link("m-owner", { name: "Olive", id: world.rig.ownerId });
    world.town.arrive({ name: "Olive", id: world.rig.ownerId });
    const here = world.town.find(world.rig.ownerId);
    assert.ok(here);
    here.team = "Police";
    await world.live(120_000);
    assert.deepEqual([world.told.length, world.hits], [1, []]);
  });

  test("five within ten minutes are enough: then it is told of only, and that is said", async () => {
    const { world } = await withBreaker("Rex", "kick");
    for (let n = 0; n < 10; n++) {
      await world.live(45_000);
      if (n % 5 !== 4) await join(world, `Player_${n}x`);
    }
    assert.equal(world.hits.length, 5);
    assert.ok(world.told.length > 5);
    const [view] = world.rules.rules.list("g1").rules;
    assert.match(view?.rule.heldWhy ?? "", /broken more than five times within ten minutes/);
    assert.equal(world.notices.length, 1);
    await world.rules.rules.setStep(world.rig.actor("manager"), 1, "kick");
    await join(world, "Tim");
    await world.live(90_000);
    assert.ok(texts(world).includes(":kick Tim"), "a Manager has looked");
  });

  test("those of before a restart are counted, too", async () => {
    const { world } = await withBreaker("Rex", "kick");
    for (let n = 0; n < 10; n++) {
      await world.live(45_000);
      if (n % 3 === 2) await world.crash();
      if (n % 5 !== 4) await join(world, `Player_${n}x`);
    }
    assert.equal(world.hits.length, 5);
  });

  test("where a role is taken from everybody at once, nothing is done to anybody", async () => {
    const { world } = await withBreaker("Rex", "kick");
    for (let n = 0; n < 10; n++) await join(world, `Player_${n}x`);
    await world.live(5 * 60_000);
    assert.deepEqual([world.told.length, world.hits, world.notices.length], [11, [], 1]);
  });

  test("is turned off and told of once, however many break it at once, and counts nothing of that look after it", async () => {
    const { world } = await withBreaker("Rex", "kick");
    for (let n = 0; n < 14; n++) await join(world, `Player_${n}x`);
    await world.live(5 * 60_000);
    assert.deepEqual([world.told.length, world.hits, world.notices.length], [15, [], 1]);
    const [view] = world.rules.rules.list("g1").rules;
    assert.equal(view?.record.dropped, 5, "what was on its way when it was turned off");
  });

  test("is turned off and told of once where its Manager is none any more, however many break it at once", async () => {
    const { world } = await withBreaker("Rex", "pm");
    for (let n = 0; n < 4; n++) await join(world, `Player_${n}x`);
    world.rig.memberRoles.set("u-manager", []);
    await world.live(90_000);
    assert.deepEqual([world.told.length, world.hits, world.notices.length], [5, [], 1]);
  });

  test("what another Manager turned on stays on while the step of one who is none any more comes to nothing", async () => {
    const { world } = await withBreaker("Rex", "kick");
    const second = world.rig.actor("manager", { userId: "u-second" });
    world.rig.memberRoles.set("u-manager", []);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.rig.membersPause = () => promise;
    await world.live(40_000);
    await world.rules.rules.setStep(second, 1, "load");
    world.rig.membersPause = () => Promise.resolve();
    resolve();
    await world.live(30_000);
    const [view] = world.rules.rules.list("g1").rules;
    assert.deepEqual([view?.rule.step?.kind, view?.rule.step?.byId], ["load", "u-second"]);
    assert.deepEqual(world.notices, []);
  });

  test("a week in which it was paused is no week's record", async () => {
    const { world } = await withBreaker("Rex");
    const actor = world.rig.actor("manager");
    const kick = () => world.rules.rules.setStep(actor, 1, "kick");
    await world.rules.rules.pause(actor, true);
    world.clock.step(8 * 24 * HOUR_MS);
    await assert.rejects(kick(), /a week's record/);
    await world.rules.rules.pause(actor, false);
    await assert.rejects(kick(), /a week's record/);
    world.clock.step(8 * 24 * HOUR_MS);
    await kick();
  });

  test("a Manager who is one no more stops its step, and people are told", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.rig.memberRoles.set("u-manager", []);
    await world.live(90_000);
    const [view] = world.rules.rules.list("g1").rules;
    assert.deepEqual([world.hits, view?.rule.step], [[], undefined]);
    assert.match(view?.rule.heldWhy ?? "", /no longer one/);
    assert.equal(world.notices.length, 1);
  });

  test("a step whose answer was lost may have acted, and is not said to have", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.rig.answering = async (_text, _signal, mayStart) => {
      if (!mayStart()) throw new Failure("expired", "held back", { ran: "no" });
      throw new Failure("unreachable", "the answer was lost", { ran: "unknown" });
    };
    await world.live(90_000);
    assert.equal(world.rig.audit.log.at(-1)?.status, "unknown");
    const view = world.rules.rules.list("g1");
    const [first] = view.rules;
    assert.ok(first);
    const asked = { ...first, pause: undefined, known: undefined, breakers: [] };
    const shown = String(ruleTest(asked, world.clock.nowMs()).cards?.[0]?.description);
    assert.match(shown, /Rex: may have acted, no answer came/);
    const listed = String(ruleList(view, () => "Town").cards?.[0]?.description);
    assert.match(listed, /Staff told once · may have acted once$/);
  });

  test("a step that a kill cut off may have acted, and counts among the five of ten minutes", async () => {
    const { world } = await withBreaker("Rex", "kick");
    const record = () => world.rules.rules.list("g1").rules[0]?.record;
    world.holdMs = 60_000;
    await world.live(30_000);
    assert.equal(world.rig.sent.length, 1);
    assert.deepEqual([record()?.sent, record()?.dropped], [0, 0], "it is on its way");
    for (let n = 0; n < 2; n++) {
      await world.crash();
      assert.deepEqual([record()?.sent, record()?.unsure, record()?.dropped], [1, 1, 0]);
      const last = record()?.events.at(-1);
      assert.deepEqual([last?.what, last?.isUnsure, last?.player.name], ["sent", true, "Rex"]);
      await world.live(90_000);
    }
    assert.equal(world.rig.sent.length, 1, "a breach has one step");
    world.holdMs = 0;
    for (let n = 0; n < 5; n++) await join(world, `Player_${n}x`);
    await world.live(60_000);
    const [view] = world.rules.rules.list("g1").rules;
    assert.match(view?.rule.heldWhy ?? "", /more than five times/);
  });

  for (const [when, cut] of [
    ["was checked", (world: RuleWorld) => (world.rig.membersPause = () => new Promise(() => undefined))],
    ["waited for its turn", (world: RuleWorld) => (world.rig.readyAtMs = Number.POSITIVE_INFINITY)],
  ] as const)
    test(`a step that a kill cut off while it ${when} was not sent, and says so`, async () => {
      const { world } = await withBreaker("Rex", "kick");
      const { membersPause } = world.rig;
      cut(world);
      await world.live(60_000);
      world.rig.membersPause = membersPause;
      world.rig.readyAtMs = 0;
      for (let n = 0; n < 2; n++) {
        await world.crash();
        const record = world.rules.rules.list("g1").rules[0]?.record;
        assert.deepEqual([record?.sent, record?.unsure, record?.dropped], [0, undefined, 1]);
        assert.match(record?.events.at(-1)?.why ?? "", /Marshal (?:was )?stopped/);
      }
      assert.equal(world.rig.sent.length, 0);
    });

  test("says that its role was deleted only where that is known, and does nothing where it is not", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.isGuildAway = true;
    await world.live(90_000);
    const onlyTells = () => world.rules.rules.list("g1").rules[0]?.onlyTells;
    assert.match(onlyTells() ?? "", /Discord does not show/);
    assert.deepEqual([world.told, world.hits], [[], []]);
    world.isGuildAway = false;
    await world.live(90_000);
    assert.equal(onlyTells(), undefined);
    assert.deepEqual(texts(world), [":kick Rex"]);
  });

  test("a step that was on its way when Discord stopped showing the roles says so", async () => {
    const { world } = await withBreaker("Rex", "kick");
    const { promise, resolve } = Promise.withResolvers<void>();
    world.rig.membersPause = () => promise;
    await world.live(40_000);
    world.isGuildAway = true;
    world.rig.membersPause = () => Promise.resolve();
    resolve();
    await world.live(30_000);
    const last = world.rules.rules.list("g1").rules[0]?.record.events.at(-1);
    assert.deepEqual([last?.what, last?.why], ["dropped", "Discord does not show the roles."]);
  });

  test("an automatic pause stops at once also what the gate holds", async () => {
    const { world } = await withBreaker("Rex", "kick");
    world.holdMs = 8_000;
    await world.live(30_000);
    assert.deepEqual([world.rig.sent.length, world.hits], [1, []], "the gate has it");
    await world.rig.settings.change("g1", (own) => ({ ...own, automaticPause: { byId: "u", atMs: 0 } }));
    await world.live(60_000);
    assert.deepEqual(world.hits, []);
  });

  test("what waits does not leave in the name of a Manager whose step another one turned off and on", async () => {
    const { world } = await withBreaker("Rex", "kick");
    const second = world.rig.actor("manager", { userId: "u-second" });
    world.rig.memberRoles.set("u-second", world.rig.memberRoles.get("u-manager") ?? []);
    world.holdMs = 8_000;
    await world.live(30_000);
    assert.deepEqual([world.rig.sent.length, world.hits], [1, []], "the gate has it");
    await world.rules.rules.setStep(second, 1, undefined);
    await world.rules.rules.setStep(second, 1, "kick");
    await world.live(10_000);
    assert.deepEqual(world.hits, []);
    assert.equal(world.rules.rules.list("g1").rules[0]?.record.dropped, 1);
  });

  test("an automatic pause leaves it telling", async () => {
    const { world } = await withBreaker("Rex", "kick");
    await world.rig.settings.change("g1", (own) => ({ ...own, automaticPause: { byId: "u", atMs: 0 } }));
    await world.live(120_000);
    assert.deepEqual([world.told.length, world.hits], [1, []]);
  });

  test("wishes that nobody could keep are refused", async () => {
    const { world } = await withBreaker("Rex");
    const add = (wish: object) =>
      world.rules.rules.add(world.rig.actor("manager"), binding, {
        kind: "team",
        what: "Fire",
        roleIds: [COP],
        channelId: "c",
        ...wish,
      });
    for (const wish of [{ what: "Jail" }, { roleIds: [] }, { roleIds: ["g1"] }, { what: " " }])
      await assert.rejects(add(wish), Failure);
    for (let n = 0; n < 19; n++) await add({ what: `Team ${n}` });
    await assert.rejects(add({}), /20 rules/);
  });
});

describe("messages to a player", () => {
  test("are one a visit and three in 24 hours, also when the clock is set back", async () => {
    const clock = new VirtualClock();
    const messages = createPlayerMessages(new MemoryDocuments(parseSentToPlayer), clock);
    const take = (visitFromMs: number | undefined) => messages.take({ playerId: 7, visitFromMs });
    assert.equal(await take(clock.nowMs()), true);
    await clock.advance(HOUR_MS);
    assert.equal(await take(clock.nowMs() - 2 * HOUR_MS), false, "the same visit");
    assert.equal(await take(undefined), false, "perhaps the same visit");
    assert.equal(await take(clock.nowMs()), true);
    await clock.advance(HOUR_MS);
    const both = await Promise.all([take(clock.nowMs()), take(clock.nowMs())]);
    assert.deepEqual(both.toSorted(), [false, true], "two at once");
    await clock.advance(HOUR_MS);
    clock.step(-12 * HOUR_MS);
    assert.equal(await take(clock.nowMs() + 24 * HOUR_MS), false, "a fourth");
    clock.step(12 * HOUR_MS);
    await clock.advance(21 * HOUR_MS + 30_000);
    assert.equal(
      await take(clock.nowMs()),
      false,
      "the first may have left some seconds after it was counted",
    );
    await clock.advance(30_000);
    assert.equal(await take(clock.nowMs()), true);
    await clock.advance(24 * HOUR_MS);
    assert.equal(await take(clock.nowMs()), true);
  });
});
