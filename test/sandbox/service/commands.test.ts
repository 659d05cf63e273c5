import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_COMMAND_RULES, runCommand } from "../../../src/sandbox/service/town/commands.ts";
import { Town } from "../../../src/sandbox/service/town/town.ts";

// Every verb that the game's public clients list.
const VERBS =
  "kill killlogs kl down heal view spectate wanted unwanted arrest unjail jail free refresh respawn load bring teleport tp to tocar toatv kick ban unban bans helper unhelper helplers mod unmod mods moderators admin unadmin admins administrators h hint m message pm privatemessage prty priority peacetimer pt time startfire startnearfire snf stopfire stopdumpsterfire log logs commands cmds weather loadlayout unloadlayout shutdown".split(
    " ",
  );

function makeTown(): Town {
  const nowMs = Date.UTC(2026, 2, 1, 18);
  const town = new Town(5, () => nowMs, { intensity: 0, initialPlayers: 0 });
  for (const [index, name] of ["Alex", "Alexa", "alexander_9", "Bob", "Cleo"].entries())
    town.join(name, index + 1);
  return town;
}

const names = (town: Town): string[] => town.players.map(({ name }) => name);
const player = (town: Town, name: string) => {
  const found = town.world.players.find(({ ref }) => ref.name === name);
  assert.ok(found, name);
  return found;
};

describe("targets of a command", () => {
  const left = (text: string): string[] => {
    const town = makeTown();
    town.runRemote(text);
    return names(town);
  };

  test("match by the whole name, else by its beginning without regard to case, so that one word can hit several", () => {
    assert.deepEqual(left(":kick alexa"), ["Alex", "alexander_9", "Bob", "Cleo"]);
    assert.deepEqual(left(":kick ale"), ["Bob", "Cleo"]);
    assert.deepEqual(left(":kick ALEXANDER"), ["Alex", "Alexa", "Bob", "Cleo"]);
    assert.deepEqual(left(":kick lex"), ["Alex", "Alexa", "alexander_9", "Bob", "Cleo"]);
  });

  test("commas give several, ids match whole with the verbs that take them, a reason follows", () => {
    assert.deepEqual(left(":kick bo,cl being rude"), ["Alex", "Alexa", "alexander_9"]);
    assert.deepEqual(left(":ban 4"), ["Alex", "Alexa", "alexander_9", "Cleo"]);
    assert.deepEqual(left(":kick 4").length, 5);
  });

  test("`all` and `others` hit everyone when the virtual server management asks", () => {
    assert.deepEqual(left(":kick all"), []);
    assert.deepEqual(left(":kick others"), []);
    assert.deepEqual(left(":kick me").length, 5);
  });
});

describe("what commands do", () => {
  test("every known verb is answered, and what was done stands in the log exactly once", () => {
    for (const verb of VERBS) {
      const town = makeTown();
      const timers = /^(prty|priority|pt|peacetimer)$/.test(verb);
      const words = timers ? "60" : /fire|snf/.test(verb) ? "brush" : "Alex Bob";
      const effect = town.runRemote(`:${verb} ${words}`);
      const wants = /^(view|spectate|to|tocar|toatv)$/.test(verb) ? "restricted" : "done";
      assert.equal(effect.outcome, wants, verb);
      assert.equal(town.record.commands.length, wants === "done" ? 1 : 0, verb);
    }
  });

  test(":kick lets them come back, :ban does not, :unban does", () => {
    const town = makeTown();
    town.runRemote(":kick Bob");
    assert.ok(town.record.joins.some((entry) => !entry.join && entry.player === "Bob:4"));
    town.join("Bob", 4);
    assert.ok(names(town).includes("Bob"));
    town.runRemote(":ban Bob");
    town.join("Bob", 4);
    assert.ok(!names(town).includes("Bob"));
    town.runRemote(":unban Bob");
    town.join("Bob", 4);
    assert.ok(names(town).includes("Bob"));
  });

  test(":ban with an id keeps out someone who is not here", () => {
    const town = makeTown();
    town.runRemote(":ban 77");
    town.join("Zed", 77);
    assert.ok(!names(town).includes("Zed"));
  });

  test(":h, :m and :pm show words, to everyone or to those named", () => {
    const town = makeTown();
    town.runRemote(":h hint");
    town.runRemote(":message to you all");
    town.runRemote(":pm Bob,Cleo come to spawn");
    assert.deepEqual(
      town.record.messages.map(({ kind, text, to }) => [kind, text, to.length]),
      [
        ["hint", "hint", 5],
        ["message", "to you all", 5],
        ["private", "come to spawn", 2],
      ],
    );
  });

  test(":wanted and :unwanted, :jail and :unjail, :down and :heal", () => {
    const town = makeTown();
    const bob = player(town, "Bob");
    const team = bob.team;
    town.runRemote(":wanted Bob 3");
    assert.equal(bob.wantedStars, 3);
    town.runRemote(":unwanted Bob");
    assert.equal(bob.wantedStars, 0);
    town.runRemote(":jail Bob");
    assert.equal(bob.team, "Jail");
    town.runRemote(":free Bob");
    assert.equal(bob.team, team);
    town.runRemote(":down Bob");
    assert.equal(bob.downed, true);
    town.runRemote(":heal Bob");
    assert.equal(bob.downed, false);
  });

  test("what needs a body does nothing for the virtual server management, and works for a player", () => {
    const town = makeTown();
    const [bob, cleo] = [player(town, "Bob"), player(town, "Cleo")];
    const rules = { ...DEFAULT_COMMAND_RULES, restricted: [] };
    const before = town.world.placeOf(bob);
    for (const text of [":bring all", ":bring", ":snf house"]) {
      assert.equal(town.runRemote(text).outcome, "done", text);
    }
    assert.deepEqual(town.world.placeOf(bob), before);
    assert.equal(town.world.environment.fires, 0);
    runCommand(town.world, cleo.ref, ":bring Bob", rules);
    assert.deepEqual(town.world.placeOf(bob), town.world.placeOf(cleo));
    runCommand(town.world, cleo.ref, ":snf house", rules);
    assert.equal(town.world.environment.fires, 1);
    assert.equal(runCommand(town.world, cleo.ref, ":tocar", rules).outcome, "done");
    assert.equal(runCommand(town.world, cleo.ref, ":tocar Bob", rules).outcome, "incomplete");
  });

  test("a fire has one of four kinds", () => {
    const town = makeTown();
    for (const kind of ["house", "brush", "BUILDING", "dumpster"]) {
      assert.equal(town.runRemote(`:startfire ${kind}`).outcome, "done", kind);
    }
    assert.equal(town.world.environment.fires, 4);
    assert.equal(town.runRemote(":startfire lava").outcome, "incomplete");
    assert.equal(town.runRemote(":snf lava").outcome, "incomplete");
    assert.equal(town.world.environment.fires, 4);
  });

  test(":tp moves people, :respawn and :load start them again on foot", () => {
    const town = makeTown();
    const [bob, cleo] = [player(town, "Bob"), player(town, "Cleo")];
    town.runRemote(":tp Bob Cleo");
    assert.deepEqual(town.world.placeOf(bob), town.world.placeOf(cleo));
    town.world.spawnVehicle(bob);
    town.runRemote(":respawn Bob");
    assert.equal(bob.vehicle, null);
  });

  test(":mod, :admin and :helper change the staff lists, their opposites undo them; owners keep their standing", () => {
    const town = makeTown();
    for (const [verb, role] of [
      ["mod", "mod"],
      ["admin", "admin"],
      ["helper", "helper"],
    ] as const) {
      town.runRemote(`:${verb} Bob`);
      assert.equal(town.world.staff.get(4)?.role, role);
      town.runRemote(`:un${verb} Bob`);
      assert.equal(town.world.staff.get(4), undefined);
    }
    const owner = town.world.info.ownerId;
    town.join("Owner", owner);
    town.runRemote(`:mod ${owner}`);
    assert.equal(town.world.staff.get(owner)?.role, "owner");
  });

  test(":weather, :time, timers, fires and layouts change the surroundings", () => {
    const town = makeTown();
    for (const text of [
      ":weather fog",
      ":time 20",
      ":prty 300",
      ":pt 60",
      ":startfire",
      ":snf",
      ":loadlayout event",
    ])
      town.runRemote(text);
    assert.deepEqual(town.world.environment, {
      weather: "fog",
      time: "20",
      priorityTimerS: 300,
      peaceTimerS: 60,
      fires: 1,
      layout: "event",
    });
    town.runRemote(":stopfire");
    town.runRemote(":unloadlayout");
    assert.deepEqual([town.world.environment.fires, town.world.environment.layout], [0, null]);
  });

  test(":kill respawns without a kill-log row: the virtual server management is no player", () => {
    const town = makeTown();
    town.runRemote(":kill Bob");
    assert.equal(town.record.kills.length, 0);
  });

  test(":shutdown sends everyone away, each with a leave row", () => {
    const town = makeTown();
    town.runRemote(":shutdown");
    assert.deepEqual([town.players.length, town.record.joins.filter((entry) => !entry.join).length], [0, 5]);
  });
});
