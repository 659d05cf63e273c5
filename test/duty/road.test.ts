import assert from "node:assert/strict";
import { test } from "node:test";
import { dutyActions } from "../../commands/duty-shift.ts";
import type { Press, Reply } from "../../src/discord/command.ts";
import { ownCard } from "../../src/discord/render/shifts/duty-cards.ts";
import { endWords } from "../../src/discord/render/shifts/shift-lines.ts";
import type { Services } from "../../src/discord/services.ts";
import { countedS } from "../../src/domain/duty.ts";
import { componentIdsOf } from "../../src/domain/message.ts";
import type { PlayerRef } from "../../src/domain/model.ts";
import type { OnDuty } from "../../src/domain/ports/duty.ts";
import { DUTY_KINDS } from "../../src/domain/ports/duty-store.ts";
import { shiftIn } from "../../src/duty/duty-rows.ts";
import { DUTY_OFF, STAFFING_OFF } from "../../src/duty/no-duty.ts";
import { eraseDeparted } from "../../src/history/queries/erase-cases.ts";
import { forget } from "../../src/history/queries/forget-player.ts";
import { linked } from "../../src/history/queries/recorded-guilds.ts";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, START_S, snapshotOf, type Town } from "../history/rig.ts";
import { textOf } from "../support/fake-answers.ts";
import { type DutyRig, EAST, member, openDutyRig, refuses, WEST } from "./duty-rig.ts";

const mona = { name: "Mona", id: 13 };
const startS = START_S + 1_000;

onBothDatabases("a shift", (databases) => {
  /** A server on which Mona comes and goes; each look is ten seconds after the one before. */
  async function town() {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    const patrol = await rig.addType({ name: "Patrol", start: "declared" });
    const joins: (readonly [PlayerRef, number, boolean])[] = [];
    const commands: (readonly [PlayerRef, string, number])[] = [];
    let players: NonNullable<Town["players"]> = [];
    const go = async (atS: number, source = EAST.source) => {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins, commands, players }, atS, source));
    };
    const every = async (fromS: number, untilS: number) => {
      for (let atS = fromS; atS < untilS; atS += 10) await go(atS);
    };
    const join = (atS: number, permission = "Server Moderator") => {
      joins.push([mona, atS, true]);
      players = [{ ...mona, permission }];
    };
    const leave = (atS: number) => {
      joins.push([mona, atS, false]);
      players = [];
    };
    return { rig, patrol, go, every, join, leave, commands };
  }
  const shiftsOf = async (rig: DutyRig) =>
    (await rig.wing.duty.shifts(GUILD, { fromS: 0, untilS: Number.MAX_SAFE_INTEGER, userId: "u13" })).shifts;

  test("of a community that keeps no duty nothing is read but that", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    let read = 0;
    const { facts } = rig.store;
    Object.assign(rig.store, {
      facts: async (wanted: Parameters<typeof facts>[0]) => {
        read += 1;
        return await facts(wanted);
      },
    });
    const at = (atS: number) =>
      snapshotOf({ players: [{ ...mona, permission: "Server Moderator" }] }, atS, EAST.source);
    await rig.clock.advanceTo(startS * 1_000);
    await rig.take(at(startS));
    assert.equal(read, 0);
    await rig.addType({ name: "Patrol", start: "declared" });
    await rig.take(at(startS + 10));
    assert.ok(read > 0, "with a type its servers are looked at");
  });

  test("who is in the game has their account also where nobody keeps duty, until they unlink it", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    rig.link("u13", mona, START_S);
    await rig.clock.advanceTo(startS * 1_000);
    const players = [mona, { name: "Nora", id: 14 }].map((one) => ({
      ...one,
      permission: "Server Moderator",
    }));
    await rig.take(snapshotOf({ players }, startS, EAST.source));
    const idle = async () =>
      (await rig.wing.duty.now(GUILD)).idle.map(({ player, userId }) => [player.name, userId]);
    assert.deepEqual(await idle(), [
      ["Mona", "u13"],
      ["Nora", undefined],
    ]);
    rig.unlink("u13");
    assert.deepEqual((await idle())[0], ["Mona", undefined]);
  });

  test("where nobody has linked an account, what was looked at is known all the same", async () => {
    const rig = await openDutyRig(databases, { startS: START_S });
    await rig.clock.advanceTo(startS * 1_000);
    await rig.take(snapshotOf({ players: [] }, startS, EAST.source));
    const { on, knownS } = await rig.wing.duty.now(GUILD);
    assert.deepEqual([on.length, knownS], [0, startS]);
  });

  test("counts the time that was seen in the game, to the second, and ends by itself", async () => {
    const { rig, patrol, go, every, join, leave } = await town();
    await go(startS - 10);
    await rig.clock.advanceTo((startS - 5) * 1_000);
    const begun = await rig.wing.duty.start(member("u13"), undefined);
    assert.deepEqual([begun.type.id, begun.bindingId], [patrol.id, undefined]);
    join(startS + 33);
    await every(startS + 40, startS + 1_000);
    const { on, idle } = await rig.wing.duty.now(GUILD);
    assert.deepEqual([on.length, on[0]?.bindingId, idle.length], [1, EAST.bindingId, 0]);
    leave(startS + 1_003);
    // Back within ten minutes: the same shift goes on.
    await every(startS + 1_010, startS + 1_300);
    join(startS + 1_301);
    await every(startS + 1_310, startS + 2_000);
    leave(startS + 2_007);
    await every(startS + 2_010, startS + 2_600);
    assert.equal((await rig.wing.duty.now(GUILD)).on.length, 1);
    await every(startS + 2_600, startS + 2_700);
    assert.equal((await rig.wing.duty.now(GUILD)).on.length, 0);
    // Without a rank, but they worked lately: staff who is in the game and not on duty.
    join(startS + 2_701, "Normal");
    await every(startS + 2_710, startS + 2_730);
    const later = await rig.wing.duty.now(GUILD);
    assert.deepEqual(
      later.idle.map(({ userId, rank }) => [userId, rank]),
      [["u13", undefined]],
    );
    const [shift, ...others] = await shiftsOf(rig);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [shift?.fromS, shift?.untilS, shift?.why, shift && countedS(shift)],
      [startS - 5, startS + 2_007, "left", 970 + 706],
    );
    await refuses(rig.wing.duty.end(member("u13")), /not on duty/);
  });

  test("time without a move counts, and is told apart to the look, also while it lasts and after a restart", async () => {
    const { rig } = await town();
    const joins = [[mona, startS, true]] as const;
    const go = async (on: DutyRig, atS: number, x: number) => {
      await rig.clock.advanceTo(atS * 1_000);
      await on.take(snapshotOf({ joins, players: [{ ...mona, permission: "Server Moderator", x }] }, atS));
    };
    await go(rig, startS + 10, 0);
    await rig.wing.duty.start(member("u13"), undefined);
    // She drives for ten minutes, stands for twenty, drives on, and stands for ten.
    for (let atS = startS + 20; atS <= startS + 600; atS += 10) await go(rig, atS, atS);
    for (let atS = startS + 610; atS <= startS + 1_800; atS += 10) await go(rig, atS, -1);
    const span = { fromS: 0, untilS: startS + 9_000 };
    const still = async (on: DutyRig) => (await on.wing.staffing.board(GUILD, span)).lines[0]?.stillS;
    assert.ok(((await still(rig)) ?? 0) > 1_100, `${await still(rig)} s while it lasts`);
    for (let atS = startS + 1_810; atS <= startS + 2_000; atS += 10) await go(rig, atS, atS);
    for (let atS = startS + 2_010; atS <= startS + 2_600; atS += 10) await go(rig, atS, -2);
    await go(rig, startS + 2_610, 0);
    await go(rig, startS + 2_650, 0);
    assert.equal(await still(rig), 1_190);
    const next = await openDutyRig(databases, { startS: START_S, url: rig.url, before: rig });
    await rig.wing.stop();
    await go(next, startS + 2_660, 5);
    assert.equal(await still(next), 1_190);
    const { shifts, stills } = await next.wing.duty.shifts(GUILD, { ...span, userId: "u13" });
    assert.deepEqual(
      [shifts.length, stills],
      [1, [{ bindingId: EAST.bindingId, playerId: 13, fromS: startS + 610, untilS: startS + 1_800 }]],
    );
    await next.wing.stop();
  });

  test("breaks do not count, and end the shift after an hour", async () => {
    const { rig, go, every, join } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    await rig.wing.duty.start(member("u13"), "patrol");
    await every(startS, startS + 300);
    const paused = await rig.wing.duty.pause(member("u13"));
    assert.equal(paused.breakFromS, startS + 290);
    await every(startS + 300, startS + 600);
    assert.equal((await rig.wing.duty.pause(member("u13"))).breakFromS, undefined);
    await every(startS + 600, startS + 900);
    await rig.wing.duty.pause(member("u13"));
    for (let atS = startS + 900; atS < startS + 4_700; atS += 100) await go(atS);
    const [shift] = await shiftsOf(rig);
    assert.deepEqual(
      [shift?.fromS, shift?.untilS, shift?.why, shift && countedS(shift)],
      [startS - 10, startS + 890, "break", 300 + 300],
    );
  });

  test("who starts one while their server can't be read reads that, not that they are there or not", async () => {
    const { rig, every, join } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    const server = { id: EAST.bindingId, name: "East", source: EAST.source };
    const services = {
      ...{ duty: rig.wing.duty, bindings: { list: async () => [server] }, clock: rig.clock },
      ...{ settings: { of: async () => ({}) }, health: { halt: () => undefined, parked: () => undefined } },
      snapshots: { failing: () => undefined },
    } as unknown as Services;
    await rig.wing.duty.start(member("u13"), "patrol");
    const said = async (over: object, argument: string) => {
      const one = { actor: member("u13"), argument } as unknown as Press;
      return textOf((await dutyActions["duty-break"].execute(one, { ...services, ...over })) as Reply);
    };
    assert.match(await said({}, "end"), /You are on \*\*East\*\*/);
    const parked = { halt: () => undefined, parked: () => ({ why: "" }) };
    const unread = await said({ health: parked }, "end");
    assert.match(
      unread,
      /East\*\* can't be read right now: .*key.*\nThe time counts if you are still in the game/,
    );
    assert.doesNotMatch(unread, /You are/);
    const press = { actor: member("u13") } as unknown as Press;
    const away = { ...services, health: parked } as unknown as Services;
    const over = (await dutyActions["duty-end"].execute(press, away)) as Reply;
    assert.doesNotMatch(textOf(over), /Not seen in the game/);
  });

  test("a button of a break that is pressed twice, or on an older message, does what it says and not the opposite", async () => {
    const { rig, every, join } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    const { duty } = rig.wing;
    const settings = { of: async () => ({}) };
    const services = { duty, settings, bindings: { list: async () => [] } } as unknown as Services;
    const names = { typeName: () => "", serverName: () => "", isOneServer: true };
    const breakButton = (own: OnDuty) =>
      componentIdsOf(ownCard(own, names)).find((id) => id.startsWith("duty-break")) ?? "";
    const press = async (id: string) => {
      const one = { actor: member("u13"), argument: id.split(":")[1] ?? "" } as unknown as Press;
      await dutyActions["duty-break"].execute(one, services);
      return (await duty.now(GUILD)).on[0]?.breakFromS;
    };
    const take = breakButton(await duty.start(member("u13"), "patrol"));
    await every(startS, startS + 50);
    assert.equal(await press(take), startS + 40);
    assert.equal(await press(take), startS + 40, "it lasts");
    await every(startS + 50, startS + 100);
    const end = breakButton(await duty.pause(member("u13"), true));
    assert.equal(await press(end), undefined);
    await every(startS + 100, startS + 150);
    assert.equal(await press(end), undefined, "no other begins");
    const [shift] = await shiftsOf(rig);
    assert.deepEqual(shift?.breaks, [{ fromS: startS + 40, untilS: startS + 90 }]);
  });

  for (const [start, teams, words] of [
    ["team", ["civilian"], /Auto starts by itself on the team Civilian\. .*when you leave the team/],
    ["presence", [], /Auto starts by itself for staff in the game\. .*when you leave the game/],
  ] as const)
    test(`a shift that starts by itself (${start}) is not ended and not paused: whoever asks reads how it ends`, async () => {
      const { rig, every, join } = await town();
      await rig.addType({ name: "Auto", start, teams });
      join(startS - 100);
      await every(startS - 90, startS);
      const { duty } = rig.wing;
      await refuses(duty.pause(member("u13")), words);
      await refuses(duty.end(member("u13")), words);
      await refuses(duty.start(member("u13"), "auto"), /Auto starts by itself/);
      await refuses(duty.start(member("u13"), "autos"), /no such duty type/);
      assert.deepEqual(await rig.store.rows({ guildId: GUILD, kinds: ["mark"] }), []);
      assert.equal((await duty.now(GUILD)).on[0]?.type.name, "Auto");
    });

  for (const [awayS, seen] of [
    [60, [150, "switched"]],
    [1_800, [80, "left"]],
  ] as const)
    test(`one who starts a shift ${awayS} seconds after the last look is on that one alone, not on the one of before too`, async () => {
      const { rig, patrol, every, join } = await town();
      await rig.addType({ name: "Auto", start: "presence" });
      join(startS - 100);
      await every(startS - 90, startS);
      await rig.clock.advanceTo((startS + awayS) * 1_000);
      await rig.wing.duty.start(member("u13"), undefined);
      const on = async () => (await rig.wing.duty.now(GUILD)).on.map(({ type }) => type.name);
      assert.deepEqual(await on(), [patrol.name]);
      // What the next looks show of the time between counts for the one of before, up to the start.
      await every(startS + awayS + 10, startS + awayS + 100);
      assert.deepEqual(await on(), [patrol.name]);
      const counted = (await shiftsOf(rig)).map((shift) => [shift.fromS, countedS(shift), shift.why]);
      assert.deepEqual(counted, [
        [startS + awayS, 90, undefined],
        [startS - 90, ...seen],
      ]);
    });

  test(":log duty and :log off in the game are a start and an end", async () => {
    const { rig, every, join, commands } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    commands.push([mona, ":log duty", startS + 5]);
    await every(startS + 10, startS + 200);
    assert.equal((await rig.wing.duty.now(GUILD)).on[0]?.shift.fromS, startS + 5);
    commands.push([mona, ":log off", startS + 207]);
    await every(startS + 210, startS + 300);
    const [shift, ...others] = await shiftsOf(rig);
    assert.deepEqual(
      [others.length, shift?.untilS, shift?.why, shift && countedS(shift)],
      [0, startS + 207, "ended", 202],
    );
  });

  test("a role that a type asks for is asked for in Discord and in the game; a full type takes nobody more", async () => {
    const { rig, every, join, commands } = await town();
    const senior = await rig.addType({ name: "Senior", start: "declared", requiredRoleId: "r1", most: 1 });
    join(startS - 100);
    await every(startS - 90, startS);
    await refuses(rig.wing.duty.start(member("u13"), senior.id), /need the role/);
    commands.push([mona, ":log duty senior", startS + 5]);
    await every(startS + 10, startS + 50);
    assert.equal((await rig.wing.duty.now(GUILD)).on.length, 0);
    rig.roles.set("u13", ["r1"]);
    commands.push([mona, ":log duty senior", startS + 55]);
    await every(startS + 60, startS + 100);
    assert.equal((await rig.wing.duty.now(GUILD)).on[0]?.type.id, senior.id);
    rig.link("u14", { name: "Nils", id: 14 }, startS);
    await refuses(rig.wing.duty.start(member("u14", ["r1"]), senior.id), /full/);
    await refuses(rig.wing.duty.start(member("u15"), undefined), /me link/);
  });

  test("a full type takes the first of two who type at once, and whoever is on it goes on after a break", async () => {
    const { rig, every, join, commands } = await town();
    const nils = { name: "Nils", id: 14 };
    rig.link("u14", nils, START_S);
    await rig.addType({ name: "Desk", start: "declared", most: 1 });
    join(startS - 100);
    await every(startS - 90, startS);
    const on = async () =>
      (await rig.wing.duty.now(GUILD)).on.map(({ shift, breakFromS }) => [shift.userId, breakFromS]);
    commands.push([mona, ":log duty desk", startS + 5], [nils, ":log duty desk", startS + 6]);
    await every(startS + 10, startS + 50);
    assert.deepEqual(await on(), [["u13", undefined]]);
    commands.push([mona, ":log break", startS + 55]);
    await every(startS + 60, startS + 100);
    assert.deepEqual(await on(), [["u13", startS + 55]]);
    commands.push([mona, ":log duty desk", startS + 105]);
    await every(startS + 110, startS + 150);
    assert.deepEqual(await on(), [["u13", undefined]]);
    commands.push([mona, ":log off", startS + 155], [nils, ":log duty desk", startS + 156]);
    await every(startS + 160, startS + 200);
    assert.deepEqual(await on(), [["u14", undefined]]);
  });

  test("one who is on two servers at once counts once, and an account that is unlinked counts no more", async () => {
    const { rig, go, every, join } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    await rig.wing.duty.start(member("u13"), undefined);
    for (let atS = startS; atS < startS + 300; atS += 10) {
      await go(atS);
      await go(atS + 5, WEST.source);
    }
    rig.unlink("u13");
    for (let atS = startS + 300; atS < startS + 1_000; atS += 10) {
      await go(atS);
      await go(atS + 5, WEST.source);
    }
    const [shift] = await shiftsOf(rig);
    assert.deepEqual([shift?.untilS, shift?.why, shift && countedS(shift)], [startS + 295, "unlinked", 305]);
  });

  test("the role comes back with the next press of who left Discord's server and came back in the middle of it", async () => {
    const { rig, every, join } = await town();
    const { duty } = rig.wing;
    const { id } = await rig.addType({ name: "Desk", start: "declared", roleId: "r9" });
    join(startS - 100);
    await every(startS - 90, startS);
    await duty.start(member("u13"), id);
    await every(startS, startS + 300);
    for (const press of [() => duty.start(member("u13"), id), () => duty.pause(member("u13"), false)]) {
      rig.roles.set("u13", []);
      await press();
      await rig.wing.idle();
      assert.deepEqual(rig.roles.get("u13"), ["r9"]);
    }
  });

  for (const start of ["declared", "presence"] as const) {
    test(`an account that is unlinked ends a ${start} shift at once, with what was seen until then`, async () => {
      const { rig, every, join } = await town();
      const { id } = await rig.addType({ name: "Desk", start, roleId: "r9" });
      join(startS - 100);
      await every(startS - 90, startS);
      if (start === "declared") await rig.wing.duty.start(member("u13"), id);
      await every(startS, startS + 300);
      assert.equal((await rig.wing.duty.now(GUILD)).on.length, 1);
      assert.deepEqual(rig.roles.get("u13"), ["r9"]);
      rig.unlink("u13");
      await rig.wing.idle();
      assert.deepEqual(rig.roster.of(GUILD), [], "before anybody looks again");
      assert.deepEqual(rig.roles.get("u13"), []);
      await every(startS + 300, startS + 400);
      const shift = (await shiftsOf(rig)).find(({ typeId }) => typeId === id);
      const begun = start === "declared" ? startS : startS - 100;
      assert.equal(shift?.why, "unlinked");
      const counted = shift === undefined ? 0 : countedS(shift);
      assert.ok(counted > startS + 270 - begun && counted <= startS + 300 - begun, String(counted));
    });
  }

  for (const turns of [0, 200])
    test(`a role comes within two looks of being on duty, and goes within half a minute of the end${turns === 0 ? "" : ", where the history is slow"}`, async () => {
      const { rig, go, every, join, leave } = await town();
      const { facts } = rig.store;
      Object.assign(rig.store, {
        facts: async (wanted: Parameters<typeof facts>[0]) => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return await facts(wanted);
        },
      });
      await rig.addType({ name: "Staff", start: "presence", roleId: "r9" });
      await go(startS);
      join(startS + 5);
      await every(startS + 10, startS + 30);
      assert.deepEqual(rig.roles.get("u13"), ["r9"]);
      await every(startS + 30, startS + 110);
      leave(startS + 105);
      // Who comes back within ten minutes was never away.
      await every(startS + 110, startS + 705);
      assert.deepEqual(rig.roles.get("u13"), ["r9"]);
      await every(startS + 710, startS + 750);
      assert.deepEqual(rig.roles.get("u13"), []);
    });

  for (const aheadS of [20, 3_600])
    test(`whose start was dated ${aheadS} s ahead of the machine's clock ends when somebody ends it, and begins anew`, async () => {
      const { rig, every, join } = await town();
      join(startS - 20);
      await every(startS - 10, startS);
      // The clock is put right after the start; or the game's clock, by which `:log duty` is dated, is ahead of ours.
      rig.clock.step(aheadS * 1_000);
      await rig.wing.duty.start(member("u13"), undefined);
      rig.clock.step((5 - aheadS) * 1_000);
      await rig.wing.duty.end(member("u13"));
      assert.deepEqual((await rig.wing.duty.now(GUILD)).on, []);
      rig.clock.step(5_000);
      const again = await rig.wing.duty.start(member("u13"), undefined);
      const paused = await rig.wing.duty.pause(member("u13"));
      assert.notEqual(paused.breakFromS, undefined);
      assert.equal(paused.shift.id, again.shift.id);
      await rig.wing.duty.end(member("u13"));
      assert.deepEqual((await rig.wing.duty.now(GUILD)).on, []);
    });

  test("that began by itself is ended by nobody's word, and has no break: both are refused, and it goes on", async () => {
    const { rig, go, every, join } = await town();
    await rig.addType({ name: "Staff", start: "presence" });
    await go(startS);
    join(startS + 5);
    await every(startS + 10, startS + 60);
    await refuses(rig.wing.duty.end(member("u13")), /starts by itself/);
    await refuses(rig.wing.duty.pause(member("u13")), /starts by itself/);
    await every(startS + 70, startS + 100);
    assert.deepEqual(
      (await rig.wing.duty.now(GUILD)).on.map(({ type, breakFromS }) => [type.name, breakFromS]),
      [["Staff", undefined]],
    );
    // One that they start takes its place, and is theirs to end.
    await rig.wing.duty.start(member("u13"), undefined);
    await rig.wing.duty.end(member("u13"));
  });

  for (const [words, left] of [
    ["its server is unlinked", [WEST]],
    ["the last server is unlinked", []],
  ] as const) {
    test(`ends, and its role goes, when ${words} in the middle of it`, async () => {
      const { rig, go, every, join } = await town();
      await rig.addType({ name: "Badge", start: "declared", roleId: "r9" });
      await go(startS - 100);
      if (left.length > 0) await rig.take(snapshotOf({ players: [] }, startS - 95, WEST.source));
      join(startS - 100);
      await every(startS - 90, startS);
      await rig.wing.duty.start(member("u13"), "badge");
      await every(startS, startS + 300);
      assert.deepEqual(rig.roles.get("u13"), ["r9"]);
      rig.places = left;
      const links = left.map(({ bindingId }) => ({ guildId: GUILD, bindingId }));
      await linked(rig.history.context, { links, guildIds: [GUILD], endedMs: (startS + 300) * 1_000 });
      rig.wing.start();
      for (let atS = startS + 310; atS < startS + 1_200; atS += 30) {
        if (left.length === 0) await rig.clock.advanceTo(atS * 1_000);
        else {
          await rig.clock.advanceTo(atS * 1_000);
          await rig.take(snapshotOf({ players: [] }, atS, WEST.source));
        }
      }
      // What rounds of the clock ask the database for is waited for by asking it too.
      const isOver = async () => {
        const rows = await rig.store.rows({ guildId: GUILD, kinds: ["role", "shift"] });
        return rows.every(({ kind, untilS }) => kind === "shift" && untilS !== undefined);
      };
      for (let round = 0; round < 400 && !(await isOver()); round += 1) await rig.clock.advance(60_000);
      await rig.wing.stop();
      const [row] = await rig.store.rows({ guildId: GUILD, kinds: ["shift"] });
      const shift = row && shiftIn(row);
      assert.deepEqual(
        [shift?.untilS, shift?.why, shift && countedS(shift), row?.untilS],
        [startS + 290, "left", 300, startS + 290],
      );
      assert.match(shift === undefined ? "" : endWords(shift), /the game server was unlinked/);
      assert.deepEqual(rig.roles.get("u13"), []);
    });
  }

  test("where the history is off every question says that duty needs it", async () => {
    const { rig } = await town();
    rig.isRecorded = false;
    const { duty } = rig.wing;
    for (const asked of [
      duty.start(member("u13"), undefined),
      duty.now(GUILD),
      duty.addType(GUILD, { name: "New", start: "declared", teams: [] }),
    ])
      await refuses(asked, /Duty needs Marshal's records/);
    const off = [
      DUTY_OFF.types(GUILD),
      STAFFING_OFF.imports(GUILD),
      STAFFING_OFF.board(GUILD, { fromS: 0, untilS: 1 }),
    ];
    for (const asked of off)
      await refuses(asked, /Duty needs Marshal's records, but Marshal's host has turned recording off/);
  });

  test("the role is theirs while on duty, and the channel has one message that says how it ended", async () => {
    const { rig, go, every, join } = await town();
    await rig.addType({ name: "Posted", start: "declared", roleId: "r9", channelId: "c9" });
    join(startS - 100);
    await every(startS - 90, startS);
    await rig.wing.duty.start(member("u13"), "posted");
    await every(startS, startS + 50);
    assert.deepEqual(rig.roles.get("u13"), ["r9"]);
    assert.match(rig.sink.text("c9"), /Since/);
    await rig.wing.duty.pause(member("u13"));
    await every(startS + 50, startS + 70);
    assert.deepEqual(rig.roles.get("u13"), []);
    await rig.wing.duty.pause(member("u13"));
    // Killed: another process takes over, and the shift ends with it.
    const next = await openDutyRig(databases, { startS: START_S, url: rig.url, before: rig });
    await next.wing.duty.end(member("u13"));
    await rig.wing.stop();
    await go(startS + 100);
    for (const atS of [startS + 110, startS + 120, startS + 130]) {
      await next.clock.advanceTo(atS * 1_000);
      await next.take(snapshotOf({ players: [] }, atS));
    }
    // The database answers in its own time, so how far the clock has to go until the edit is not known.
    for (let steps = 0; steps < 600 && !/to <t:/.test(rig.sink.text("c9")); steps++)
      await next.clock.advance(1_000);
    assert.deepEqual([rig.roles.get("u13"), rig.sink.messages("c9").length], [[], 1]);
    assert.match(rig.sink.text("c9"), /to <t:.*Seen/s);
  });

  test("what was seen of a player before they were forgotten does not come back when they leave", async () => {
    const { rig, every, join, leave } = await town();
    join(startS - 100);
    await every(startS - 90, startS + 100);
    const { context } = rig.history;
    await forget(context, { guildId: GUILD, playerId: 13, nowS: startS + 100 });
    rig.wing.onForgotten(GUILD, 13);
    await every(startS + 110, startS + 130);
    leave(startS + 131);
    await every(startS + 140, startS + 200);
    const states = await rig.store.rows({ guildId: GUILD, kinds: ["state"] });
    assert.deepEqual(
      states.map(({ fromS, untilS }) => [fromS, untilS]),
      [[startS + 110, startS + 120]],
    );
  });

  test("a shift that goes on keeps its hours when what was recorded of its player is erased", async () => {
    const { rig, every, join, leave } = await town();
    join(startS - 100);
    await every(startS - 90, startS);
    await rig.wing.duty.start(member("u13"), "patrol");
    await every(startS, startS + 2_000);
    await forget(rig.history.context, { guildId: GUILD, playerId: 13, nowS: startS + 1_995 });
    await every(startS + 2_000, startS + 2_500);
    assert.deepEqual(
      (await shiftsOf(rig)).map(({ decidedS }) => decidedS),
      [undefined],
      "it goes on",
    );
    await every(startS + 2_500, startS + 3_000);
    leave(startS + 3_000);
    await every(startS + 3_005, startS + 3_900);
    const [shift, ...more] = await shiftsOf(rig);
    assert.deepEqual([shift?.why, shift?.untilS, more], ["left", startS + 3_000, []]);
    assert.ok(shift !== undefined);
    const hoursS = countedS(shift);
    assert.ok(hoursS > 2_900 && hoursS <= 3_000, `${hoursS} s`);
  });

  test("what looks showed of a player before they were forgotten is not written again", async () => {
    const { rig, every, join, leave } = await town();
    join(startS - 100);
    await every(startS - 90, startS + 200);
    const seen = () => rig.store.rows({ guildId: GUILD, kinds: ["state", "still"] });
    assert.equal((await seen()).length, 1);
    await forget(rig.history.context, { guildId: GUILD, playerId: 13, nowS: startS + 200 });
    leave(startS + 300);
    await every(startS + 200, startS + 400);
    assert.deepEqual(await seen(), []);
    join(startS + 400);
    await every(startS + 400, startS + 500);
    assert.deepEqual(
      (await seen()).map(({ fromS }) => fromS >= startS + 400),
      [true],
    );
  });

  test("what names a player who is forgotten goes, and all of it with a community that left long ago", async () => {
    const { rig, every, join } = await town();
    await rig.addType({ name: "Team", start: "team", teams: ["civilian"] });
    join(startS - 100);
    await every(startS - 90, startS);
    await rig.wing.duty.start(member("u13"), "patrol");
    await every(startS, startS + 100);
    await rig.wing.duty.end(member("u13"));
    await every(startS + 100, startS + 200);
    const { context } = rig.history;
    const kinds = async () => [
      ...new Set((await rig.store.rows({ guildId: GUILD, kinds: DUTY_KINDS })).map(({ kind }) => kind)),
    ];
    assert.ok((await kinds()).includes("state"));
    await forget(context, { guildId: GUILD, playerId: 13, nowS: startS + 200 });
    assert.deepEqual((await kinds()).sort(), ["mark", "setup", "shift"]);
    await linked(context, { links: [], guildIds: [GUILD], endedMs: startS * 1_000 });
    assert.equal(await eraseDeparted(context, { guildId: GUILD }), true);
    assert.deepEqual(await kinds(), []);
  });
});
