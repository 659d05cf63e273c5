import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { RunPlan } from "../../../src/domain/run.ts";
import { catalogue, findVerb, leadsSomewhere } from "../../../src/runs/catalogue/verbs.ts";
import { binding, player, RunsRig, type roles } from "../../support/runs-rig.ts";

function plan(rig: RunsRig, text: string, role: keyof typeof roles = "manager"): Promise<RunPlan> {
  return rig.runs.runner.plan({ actor: rig.actor(role), binding, text, origin: "command" });
}

/** Why that is not allowed; undefined: it is. */
async function refusalOf(text: string, role: keyof typeof roles): Promise<string | undefined> {
  const { decision } = await plan(new RunsRig(), text, role);
  return decision.allowed ? undefined : decision.why;
}

describe("a plan", () => {
  test("sends nothing and names verb, players, tier and inverse", async () => {
    const rig = new RunsRig();
    const made = await plan(rig, ":wanted ali reckless");
    assert.equal(made.command.verb, "wanted");
    assert.deepEqual(made.targets[0]?.players, [{ name: "Alice", id: 11 }]);
    assert.deepEqual(made.inverse, [":unwanted Alice"]);
    assert.equal(made.confirm, "none");
    assert.equal(made.decision.allowed, true);
    assert.equal(rig.sent.length, 0);
    assert.equal(rig.audit.log.length, 0);
  });

  const confirmations: readonly (readonly [string, RunPlan["confirm"]])[] = [
    [":h hello", "none"],
    [":kick Alice", "none"],
    [":ban Alice", "button"],
    [":shutdown", "button"],
    [":kill bo", "button"],
    [":kill alice,bob", "button"],
    [":kill Alice,Bobby", "button"],
    [":kick Ada", "button"],
    [":kick %police", "button"],
    [":kick Nobody_Here", "button"],
    [":unban Nobody_Here", "none"],
    [":kik Alice", "button"],
    [":explode Alice", "none"],
    [":kill all", "name"],
    [":kick others", "name"],
  ];
  for (const [text, confirm] of confirmations) {
    test(`asks "${confirm}" before ${text}`, async () => {
      assert.equal((await plan(new RunsRig(), text)).confirm, confirm);
    });
  }

  test("says who else's name begins with a whole one, before what it does and in its row", async () => {
    const rig = new RunsRig();
    rig.players = [player("Max", 31), player("MaxineYT", 32), player("Alice", 11)];
    const kick = await plan(rig, ":kick Max");
    assert.deepEqual(kick.targets[0]?.players, [{ name: "Max", id: 31 }]);
    const [reason = ""] = kick.confirmReasons;
    assert.equal(reason, "It may hit MaxineYT too, whose name begins the same.");
    const heal = await plan(rig, ":heal max");
    assert.equal(heal.confirm, "none");
    assert.deepEqual(heal.warnings, [reason]);
    assert.match((await plan(rig, ":ban Max")).confirmReasons.join(" "), /MaxineYT.*Use the id/);
    for (const text of [":kick Max,MaxineYT", ":kick Alice", ":ban 31", ":unban Max"])
      assert.doesNotMatch((await plan(rig, text)).confirmReasons.join(" "), /MaxineYT/, text);
    const run = await rig.runs.runner.submit(heal);
    const { record } = await run.outcome;
    assert.deepEqual(record.alike, ["MaxineYT"]);
  });

  test("asks nobody whether they mean themselves, staff or not", async () => {
    const rig = new RunsRig();
    rig.players = [...rig.players, player("Ada", 21)];
    const made = await plan(rig, ":tp Ada Alice");
    const ownPlayerId = made.targets[0]?.players[0]?.id;
    assert.ok(made.confirm === "button" && ownPlayerId !== undefined);
    const own = await rig.runs.runner.plan({ ...made.request, ownPlayerId });
    assert.equal(own.confirm, "none");
    const both = await rig.runs.runner.plan({ ...made.request, text: ":tp Ada,Bob Alice", ownPlayerId });
    assert.equal(both.confirm, "button");
  });

  test("refuses what is aimed at the absent owner by a name that only the history knows", async () => {
    const rig = new RunsRig();
    rig.history = [
      { playerId: rig.ownerId, name: "Olga", earlierNames: ["OldOlga"], firstSeenS: 0, lastSeenS: 0 },
      { playerId: 77, name: "Passer", earlierNames: [], firstSeenS: 0, lastSeenS: 0 },
    ];
    const may = async (text: string, role: keyof typeof roles = "admin") =>
      (await plan(rig, text, role)).decision;
    for (const text of [":ban Olga", ":ban OLGA", ":ban oldolga", ":ban Olg", `:ban ${rig.ownerId}`]) {
      const decision = await may(text);
      assert.equal(decision.allowed, false, text);
      assert.match(decision.why, /Owner in the game/, text);
    }
    assert.equal((await may(":ban Olga", "manager")).allowed, true);
    assert.equal((await may(":ban Passer")).allowed, true);
    assert.deepEqual((await plan(rig, ":ban passer")).targets[0]?.players, [{ name: "Passer", id: 77 }]);
  });

  test("refuses it again when it is confirmed, by what the history knows by then", async () => {
    const rig = new RunsRig();
    const made = await plan(rig, ":ban Olga", "admin");
    assert.equal(made.confirm, "button");
    rig.history = [{ playerId: rig.ownerId, name: "Olga", earlierNames: [], firstSeenS: 0, lastSeenS: 0 }];
    await assert.rejects(rig.runs.runner.confirmed(made.id, rig.actor("admin")), /Owner in the game/);
    assert.deepEqual(rig.sent, []);
  });

  test("a command for one player is refused with several, of which the game would take one", async () => {
    await assert.rejects(plan(new RunsRig(), ":unban Alice,Bob"), /takes one player/);
  });

  test("undoes by exact names, ids and mass words as they are", async () => {
    const rig = new RunsRig();
    assert.deepEqual((await plan(rig, ":ban bo")).inverse, [":unban Bob", ":unban Bobby"]);
    assert.deepEqual((await plan(rig, ":ban 4711")).inverse, [":unban 4711"]);
    assert.deepEqual((await plan(rig, ":jail all")).inverse, [":unjail all"]);
    assert.deepEqual((await plan(rig, ":startfire house")).inverse, [":stopfire"]);
    assert.deepEqual((await plan(rig, ":loadlayout event 2")).inverse, [":unloadlayout event 2"]);
    assert.deepEqual((await plan(rig, ":kick Alice")).inverse, []);
  });

  test("warns of what may not do what was meant", async () => {
    const rig = new RunsRig();
    const said = async (text: string) => (await plan(rig, text)).warnings.join(" ");
    assert.match(await said(`:h ${"x".repeat(500)}`), /503 characters/);
    assert.match(await said(":explode"), /Marshal doesn't know :explode/);
    assert.equal(await said(":kcik Alice"), "", "it is asked whether :kick was meant");
    assert.match(await said(":kill Alice, Bob"), /space next to a comma/);
    assert.equal(await said(":kick Alice"), "");
    rig.haltUntilMs = rig.clock.nowMs() + 60_000;
    assert.match(await said(":kick Alice"), /queued until/);
  });

  test("of a ban with an end says that nothing ends it while automatic commands are paused", async () => {
    const rig = new RunsRig();
    const ban = async (term?: { readonly lastsMs: number }) => {
      const request = {
        actor: rig.actor("manager"),
        binding,
        text: ":ban Alice",
        origin: "command",
        term,
      } as const;
      return (await rig.runs.runner.plan(request)).warnings;
    };
    assert.deepEqual(await ban({ lastsMs: 3_600_000 }), []);
    await rig.settings.change("g1", (own) => ({ ...own, automaticPause: { byId: "1", atMs: 0 } }));
    assert.deepEqual(await ban({ lastsMs: 3_600_000 }), [
      "Automatic commands are paused: it ends only after they are resumed in /run queue.",
    ]);
    assert.deepEqual(await ban(), []);
  });

  test("says of a severe verb how it ends, and that it can't be undone only where nothing undoes it", async () => {
    const asked = async (text: string) => (await plan(new RunsRig(), text)).confirmReasons.join(" ");
    assert.equal(await asked(":ban Alice"), ":ban lasts until :unban lifts it.");
    assert.equal(await asked(":shutdown"), ":shutdown can't be undone.");
  });

  test("suggests no verb that does nothing for a sender without a body", async () => {
    const rig = new RunsRig();
    for (const { verb, aliases } of catalogue) {
      for (const name of [verb, ...aliases]) {
        const { meant } = await plan(rig, `:${name}q`);
        const about = meant === undefined ? undefined : findVerb(meant.slice(1));
        assert.ok(about === undefined || leadsSomewhere(about), `${name}: ${meant}`);
      }
    }
  });

  test("is not made for `me`, which from outside the game is nobody, and says what to write", async () => {
    for (const text of [
      ":kill me",
      ":heal Alice,ME",
      ":tp Alice me",
      ":tp me Alice",
      ":kick me",
      ":pm me hi",
    ]) {
      await assert.rejects(plan(new RunsRig(), text), (error) => {
        return error instanceof Failure && /nobody is "me"\. Write the player's name/.test(error.message);
      });
    }
    assert.equal((await plan(new RunsRig(), ":h me")).confirm, "none");
    assert.equal((await plan(new RunsRig(), ":pm Alice me too")).confirm, "none");
  });

  test("is not made for several players where one is taken, or for one where none is", async () => {
    for (const text of [":to Alice,Bob", ":tp Alice Bob,Bobby", ":view Alice,Bob", ":unban Alice, Bob"]) {
      await assert.rejects(plan(new RunsRig(), text), /takes one player/, text);
    }
    for (const text of [":tocar Alice", ":toatv Alice,Bob"]) {
      await assert.rejects(
        plan(new RunsRig(), text),
        /takes no player\. It works only for a person in the game/,
        text,
      );
    }
  });

  test("is not made for a kind of fire that the game does not have", async () => {
    for (const text of [":startfire lava", ":startfire Alice"]) {
      await assert.rejects(
        plan(new RunsRig(), text),
        /:startfire needs a kind of fire: house, brush, building, dumpster\./,
        text,
      );
    }
    const nearest = /Did you mean :startfire brush\? Kinds of fire: brush, house, building, dumpster\./;
    for (const text of [":startfire bru", ":startfire brsuh now", ":startfire bruhs"])
      await assert.rejects(plan(new RunsRig(), text), nearest, text);
    assert.match((await refusalOf(":startfire lava", "mod")) ?? "", /^Only Administrators can/);
    for (const text of [":startfire House", ":startfire dumpster now", ":startfire"]) {
      assert.equal((await plan(new RunsRig(), text)).confirm, "none", text);
    }
  });

  test("asks before a command that does nothing for a sender without a body", async () => {
    const asked = async (text: string) => (await plan(new RunsRig(), text)).confirmReasons.join(" ");
    for (const text of [":bring Alice", ":to Alice", ":view Alice", ":tocar", ":toatv", ":snf brush"]) {
      assert.match(await asked(text), /works only for a person in the game/, text);
    }
    assert.match(await asked(":bring Alice"), /; use :tp with two names\.$/);
    assert.equal(await asked(":bans"), ":bans works only for a person in the game.");
    assert.equal(
      await asked(":help"),
      ":help works only for a person in the game; /help shows what Marshal can do.",
    );
    assert.equal(await asked(":tp Alice Bob"), "");
  });

  test("is not made for a verb without its target, and says how it is written", async () => {
    for (const text of [":kick", ":kick ", ":tp Alice", ":tp", ":pm"]) {
      await assert.rejects(plan(new RunsRig(), text), (error) => {
        return (
          error instanceof Failure &&
          /needs a (second )?player\. Write it like :\w+ Alice/.test(error.message)
        );
      });
    }
    for (const text of [":to", ":bring", ":view"])
      await assert.rejects(
        plan(new RunsRig(), text),
        /^Failure: :\w+ works only for a person in the game/,
        text,
      );
  });

  test("says before sending that nobody matches, for each name", async () => {
    const { confirmReasons } = await plan(new RunsRig(), ":kick Nobody_Here,Zoe,Alice");
    assert.deepEqual(confirmReasons, [
      'Nobody in the server matches "Nobody_Here".',
      'Nobody in the server matches "Zoe".',
    ]);
  });

  test("says of somebody who has just left that they did, and when", async () => {
    const rig = new RunsRig();
    const nowS = Math.floor(rig.clock.nowMs() / 1_000);
    const left = (name: string, id: number, agoS: number, joined = false) =>
      ({ kind: "join", player: { name, id }, atS: nowS - agoS, joined }) as const;
    rig.joinLogs = [
      left("Turbo_1803", 71, 60),
      left("Long_Gone", 72, 700),
      left("Alice", 11, 30),
      left("Twin_A", 73, 20),
      left("Twin_B", 74, 10),
      left("Zoe", 75, 90),
      left("Zoe", 75, 80, true),
      left("Zoe", 75, 40),
    ];
    const says = async (text: string) => (await plan(rig, text)).confirmReasons;
    const turbo = `Turbo_1803 left <t:${nowS - 60}:R>.`;
    for (const text of [":kick Turbo_1803", ":jail turbo", ":pm TURBO_1803 hello"])
      assert.deepEqual(await says(text), [turbo], text);
    const both = await says(":kick Turbo_1803,Bobb_9");
    assert.deepEqual(both, [turbo, 'Nobody in the server matches "Bobb_9".']);
    assert.deepEqual(await says(":kick Zoe"), [`Zoe left <t:${nowS - 40}:R>.`]);
    for (const name of ["Long_Gone", "Twin", "Nobody_Here"])
      assert.deepEqual(await says(`:kick ${name}`), [`Nobody in the server matches "${name}".`]);
    assert.deepEqual(await says(":kick Alice"), []);
    const ban = await plan(rig, ":ban Turbo_1803 spam");
    assert.deepEqual(ban.targets[0]?.players, [{ name: "Turbo_1803", id: 71 }]);
    assert.deepEqual(ban.confirmReasons, [":ban lasts until :unban lifts it."]);
  });

  test("asks about the player to whom others are moved as about those who are", async () => {
    const rig = new RunsRig();
    const atS = Math.floor(rig.clock.nowMs() / 1_000) - 60;
    rig.joinLogs = [{ kind: "join", player: { name: "Turbo_1803", id: 71 }, atS, joined: false }];
    const asked = async (text: string) => (await plan(rig, text)).confirmReasons;
    assert.deepEqual(await asked(":tp Bobby Zorblax99"), ['Nobody in the server matches "Zorblax99".']);
    assert.deepEqual(await asked(":teleport Bobby Turbo_1803"), [`Turbo_1803 left <t:${atS}:R>.`]);
    for (const text of [":tp Bobby Alice", ":tp Bobby ali", ":pm Bobby Zorblax99"])
      assert.deepEqual(await asked(text), [], text);
    assert.deepEqual((await plan(rig, ":tp Bobby Alcie")).near, [{ name: "Alice", text: ":tp Bobby Alice" }]);
  });

  test("of a button that moves somebody is not made where the other is not there", async () => {
    const rig = new RunsRig();
    rig.players = [...rig.players, player("Zoe_Two", 14)];
    const press = (goal: string) =>
      rig.runs.runner.plan({
        actor: rig.actor("manager"),
        binding,
        text: `:tp Alice ${goal}`,
        origin: "button",
        only: { name: "Alice", id: 11 },
      });
    await assert.rejects(press("Ghost"), { code: "bad-command", message: "Ghost is not in the server." });
    await assert.rejects(press("Zoe"), /^Failure: Zoe is not in the server\. .* for Zoe_Two/);
    assert.equal((await press("Bob")).confirm, "none");
  });

  test("names the verb that was meant, first those that the person may use", async () => {
    assert.equal((await plan(new RunsRig(), ":kik Alice  bye")).meant, ":kick Alice  bye");
    assert.equal((await plan(new RunsRig(), ":weahter rain", "admin")).meant, ":weather rain");
    assert.equal((await plan(new RunsRig(), ":weahter rain", "mod")).meant, ":weather rain");
    assert.equal((await plan(new RunsRig(), ":kil Alice", "mod")).meant, ":kill Alice");
    assert.equal((await plan(new RunsRig(), ":explode")).meant, undefined);
    assert.equal((await plan(new RunsRig(), ":kick Alice")).meant, undefined);
  });

  test("uses an older list when a new one cannot be had", async () => {
    const rig = new RunsRig();
    rig.freshFailure = new Failure("rate-limited", "wait");
    const made = await plan(rig, ":kick Alice", "mod");
    assert.equal(made.decision.allowed, true);
    assert.equal(made.playersSeen?.ageMs, 0);
  });

  test("tells why the lists could not be read, where nothing can be judged without them", async () => {
    const rig = new RunsRig();
    rig.listsKnown = false;
    rig.freshFailure = new Failure("unreachable", "no route");
    await assert.rejects(plan(rig, ":kick Alice", "mod"), { code: "unreachable" });
    assert.equal((await plan(rig, ":h hello", "mod")).decision.allowed, true);
    // A verb that they may not use at all is refused for that.
    assert.equal((await plan(rig, ":ban Alice", "mod")).decision.allowed, false);
    const unseen = await plan(rig, ":kick Alice");
    assert.deepEqual([unseen.decision.allowed, unseen.confirm], [true, "button"]);
    assert.match(unseen.confirmReasons.join(" "), /can't tell whom this hits/);
    assert.equal((await plan(rig, ":unban 4711")).confirm, "none");
    assert.equal((await plan(rig, ":kick 4711")).confirm, "button");
  });

  test("of a button for one player refuses words that the game would read as another name", async () => {
    const rig = new RunsRig();
    for (const words of [", Ghost", ",Ghost bye", " , 4711"]) {
      const request = { actor: rig.actor("manager"), binding, text: `:kick Alice${words}` } as const;
      const only = { name: "Alice", id: 11 };
      await assert.rejects(rig.runs.runner.plan({ ...request, origin: "button", only }), /as another name/);
      // Who types it themselves means both.
      assert.equal((await rig.runs.runner.plan({ ...request, origin: "command" })).decision.allowed, true);
    }
  });

  test("says whether a target is staff and refuses one above the tier", async () => {
    const rig = new RunsRig();
    rig.players = [player("Moe", 22), player("Ada", 21)];
    const equal = await plan(rig, ":kick Moe", "mod");
    assert.deepEqual(equal.targets[0]?.staff, [{ name: "Moe", id: 22 }]);
    assert.ok(equal.confirmReasons.includes("Moe is staff in the game."));
    assert.equal(equal.confirm, "button");
    assert.equal((await plan(rig, ":kick Ada", "mod")).decision.allowed, false);
  });
});
