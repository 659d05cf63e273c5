import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import type { Actor } from "../../../src/domain/guild.ts";
import { opennessOf } from "../../../src/history/cases/receipt.ts";
import { actorOf } from "../../support/fake-services.ts";
import { kick, kickRun } from "./case-samples.ts";
import { CasesWorld } from "./cases-world.ts";

const ann = { name: "Ann_Lee", id: 11 };
const bob = { name: "Bob", id: 12 };
const mo = { name: "Mo", id: 14 };
const actor: Actor = actorOf({ guildId: "g1", userId: "u2" });

async function world(): Promise<CasesWorld> {
  const made = new CasesWorld();
  for (const player of [ann, bob, mo]) made.join(player);
  await made.start();
  await made.look();
  await made.clock.advance(10_000);
  return made;
}

const run = (made: CasesWorld, changes: Parameters<typeof kickRun>[0] = {}) =>
  kickRun({ ...{ sentAtMs: made.clock.nowMs(), endedAtMs: made.clock.nowMs() + 400 }, ...changes });

describe("cases made from commands", () => {
  for (const serviceAheadS of [-300, -40, 40, 300]) {
    test(`a kick whose player left 4 s later says so, also with a clock of the host that is ${-serviceAheadS} s off`, async () => {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      made.room.onRun(run(made, { proof: "seen" }));
      await made.settle(4_000);
      made.leave(ann);
      await made.look();
      assert.match(made.sink.text("cases"), /🚪 Player left 4.s later/u);
    });
  }

  for (const serviceAheadS of [-200, 200]) {
    test(`a command hits who is there, and nobody who has left, also with a clock of the host that is ${-serviceAheadS} s off`, async () => {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      await made.settle(400_000);
      made.leave(ann);
      made.join({ name: "Anna_New", id: 77 });
      await made.look();
      await made.settle(5_000);
      const { id: _, ...sent } = run(made, { text: ":kick Ann" });
      made.room.onRun({ ...sent, id: "r8", status: "sending" });
      await made.settle();
      made.room.onRun({ ...sent, id: "r8" });
      // Of a run that an earlier process sent nothing but its time is known.
      made.room.onRun({ ...sent, id: "r9" });
      await made.settle();
      const targets = made.cases.all().map((one) => one.targets.map(({ name }) => name));
      assert.deepEqual(targets, [["Anna_New"], ["Anna_New"]]);
    });
  }

  test("a kick through Marshal: one card, completed from sent to left by editing", async () => {
    const made = await world();
    const { id: _, ...sent } = run(made);
    const record = { ...sent, id: "r9", message: "Success" };
    made.room.onRun({ ...record, status: "sending" });
    made.leave(ann);
    made.room.onRun(record);
    await made.settle();
    assert.match(made.sink.text("cases"), /\*\*Ann\\_Lee\*\*.*Sent.*Answered after 0.4.s/s);
    assert.doesNotMatch(made.sink.text("cases"), /left|Seen/);

    made.room.onRun({ ...record, proof: "seen" });
    await made.settle();
    await made.look();
    assert.match(made.sink.text("cases"), /Seen in the game's log\n🚪 Player left at once/);
    assert.equal(made.sink.messages("cases").length, 1);
    assert.equal(made.cases.all().length, 1);
    assert.deepEqual(made.cases.all()[0]?.targets, [{ name: "Ann_Lee", playerId: 11 }]);
  });

  test("the card says that the log is read for what may have run as long as it is, then what to do, then what the log shows", async () => {
    for (const isStopped of [false, true]) {
      const made = await world();
      const { id: _, ...sent } = run(made, { status: "unknown", ran: "unknown" });
      const record = { ...sent, id: "r9" };
      made.room.onRun(record);
      await made.clock.advance(60_000);
      assert.match(made.sink.text("cases"), /It may have run.*\n-# Checking the game's log\.$/m);
      // Nobody is there to correct the card when the search would have ended.
      if (isStopped) await made.room.stop();
      // The timer counts other seconds than the wall.
      else made.clock.step(-2_000);
      await made.clock.advance(isStopped ? 20 * 60_000 : 34_000);
      if (isStopped) await made.kill();
      await made.settle();
      const notYet = /It may have run.*\n📜 The game's log has not shown it yet\. \*\*Do not repeat it\*\*/m;
      assert.match(made.sink.text("cases"), notYet);
      assert.doesNotMatch(made.sink.text("cases"), /Checking/);

      made.room.onRun({ ...record, proof: "seen" });
      await made.settle();
      assert.match(made.sink.text("cases"), /It ran: the game's log shows it/);
      assert.doesNotMatch(made.sink.text("cases"), /may have run|not repeat/);
      assert.equal(made.sink.messages("cases").length, 1);
    }
  });

  test("a ban says who lifted it, through Marshal or in the game, as soon as that surely ran", async () => {
    for (const way of ["typed", "sent", "unclear"]) {
      const made = await world();
      const ends = { term: { lastsMs: 86_400_000 }, atMs: made.clock.nowMs() + 86_400_000 };
      made.room.onRun({ ...run(made, { text: ":ban Ann_Lee", verb: "ban" }), id: "r1", ends });
      await made.settle();
      const [ban] = made.cases.all();
      assert.ok(ban !== undefined);
      assert.match(made.sink.text("cases"), /Set to end/);
      await made.clock.advance(60_000);
      const unclear = { status: "unknown", ran: "unknown" } as const;
      const lift = { ...run(made, { text: ":unban Ann_Lee", verb: "unban" }), id: "r2" };
      if (way === "typed") made.types(mo, ":unban Ann_Lee");
      else made.room.onRun({ ...lift, ...(way === "unclear" ? unclear : {}) });
      if (way === "typed") await made.look();
      await made.settle();
      await made.clock.advance(2_000);
      const cardOf = () => JSON.stringify(made.sink.messages("cases")[0]?.body);
      if (way === "unclear") {
        assert.match(cardOf(), /Set to end/);
        made.room.onRun({ ...lift, ...unclear, proof: "seen" });
        await made.settle();
        await made.clock.advance(2_000);
      }
      assert.match(cardOf(), /🕊️ Lifted by .*: case 2/, way);
      assert.doesNotMatch(cardOf(), /Set to end/, way);
    }
  });

  test("the card offers a replay where the case keeps positions, and none where it does not", async () => {
    for (const hasReplay of [true, false]) {
      const made = await world();
      made.hasReplay = hasReplay;
      made.types(mo, ":kick bob spam");
      await made.look();
      await made.clock.advance(2_000);
      const buttons = (made.sink.messages("cases")[0]?.body.rows ?? []).flat();
      const isOffered = buttons.some((part) => part.kind === "button" && part.id.startsWith("case-replay:"));
      assert.ok(buttons.length > 0);
      assert.equal(isOffered, hasReplay);
    }
  });

  test("cases that are read in one look are numbered by their time, whichever end of the log comes first", async () => {
    for (const [isNewestFirst, isFirstLook] of [
      [false, false],
      [true, false],
      [true, true],
    ] as const) {
      const made = isFirstLook ? new CasesWorld() : await world();
      if (isFirstLook) await made.start();
      for (const name of ["first", "second", "third"]) {
        made.types(mo, `:kick bob ${name}`);
        await made.clock.advance(2_000);
      }
      await made.look(isNewestFirst ? (rows) => rows.toReversed() : undefined);
      const byNumber = made.cases.all().toSorted((a, b) => a.number - b.number);
      assert.deepEqual(
        byNumber.map(({ reason }) => reason),
        ["first", "second", "third"],
      );
    }
  });

  test("a ban that a linked member typed in the game is theirs; the same window twice is one case", async () => {
    const made = await world();
    made.types(mo, ":ban ann raid");
    await made.clock.advance(3_000);
    made.leave(ann);
    await made.look();
    await made.look();
    const [one, ...others] = made.cases.all();
    assert.deepEqual(others, []);
    assert.deepEqual(one?.author, { name: "Mo", playerId: 14, userId: "u14" });
    assert.deepEqual(one?.targets, [{ name: "Ann_Lee", playerId: 11 }]);
    assert.match(made.sink.text("cases"), /> raid.*Typed in the game.*left 3.s later/s);
    assert.equal(made.sink.messages("cases").length, 1);
  });

  test("what came through an API, or before the server was linked, is none", async () => {
    const made = await world();
    made.types({ name: "Remote Server" }, ":kick Ann_Lee");
    made.commands.push({ kind: "command", atS: made.nowS - 3_600, player: mo, text: ":kick Bob" });
    await made.look();
    assert.deepEqual(made.cases.all(), []);
  });

  test("`:ban all` is one case that lists its targets, and so is a command whose name fits two", async () => {
    const made = await world();
    made.join({ name: "Bobby", id: 13 });
    await made.look();
    made.types(mo, ":kick bo");
    made.types(mo, ":ban others raid");
    await made.look();
    const [kicked, banned] = made.cases.all();
    assert.deepEqual(kicked?.targets.map(({ playerId }) => playerId).sort(), [12, 13]);
    assert.deepEqual(banned?.targets.map(({ playerId }) => playerId).sort(), [11, 12, 13]);
  });

  test("nobody punishes themselves: `:jail me` in the game or through Marshal makes no case", async () => {
    const made = await world();
    made.join(mo);
    await made.look();
    for (const text of [":jail me", ":jail", ":jail Mo", ":kick mo"]) made.types(mo, text);
    await made.look();
    for (const [at, text] of [":jail me", ":jail Mo"].entries()) {
      made.room.onRun(kickRun({ id: `self${at}`, text, actorId: "u14" }));
    }
    await made.settle();
    assert.deepEqual(made.cases.all(), []);
    made.room.onRun(kickRun({ id: "other", text: ":jail Mo", actorId: "u15" }));
    await made.settle();
    assert.deepEqual(made.cases.all()[0]?.targets, [{ name: "Mo", playerId: 14 }]);
  });

  test("a Manager who vouched alone for an account as their own hides no punishment of it", async () => {
    const made = await world();
    made.join(mo);
    await made.look();
    made.link = { vouchedBy: "u14" };
    made.room.onRun(kickRun({ id: "vouched", text: ":jail Mo", actorId: "u14" }));
    await made.settle();
    made.link = { vouchedBy: "u14", confirmedBy: "u15" };
    made.room.onRun(kickRun({ id: "confirmed", text: ":jail Mo", actorId: "u14" }));
    await made.settle();
    assert.deepEqual(
      made.cases.all().map(({ origin }) => origin),
      ["run vouched"],
    );
  });

  test("a ban of a player who is gone is found by the whole name, as the log or the history knows it", async () => {
    const made = await world();
    made.leave(ann);
    await made.clock.advance(10_000);
    made.types(mo, ":ban Ann_Lee");
    made.types(mo, ":ban Long_Gone");
    made.types(mo, ":ban Ann");
    await made.look();
    assert.deepEqual(
      made.cases.all().map(({ targets }) => targets[0]?.playerId),
      [11, 99, undefined],
    );
  });

  test("an unban by name is of the player of that whole name, who may be there again; never of one whose name begins so", async () => {
    const made = await world();
    made.types(mo, ":unban Bob");
    made.types(mo, ":unban Long_Gone");
    made.types(mo, ":unban Ann");
    await made.look();
    made.room.onRun(run(made, { id: "r8", text: ":unban ann_lee" }));
    await made.settle();
    assert.deepEqual(
      made.cases.all().map(({ targets }) => targets),
      [
        [{ name: "Bob", playerId: 12 }],
        [{ name: "Long_Gone", playerId: 99 }],
        [{ name: "Ann" }],
        [{ name: "Ann_Lee", playerId: 11 }],
      ],
    );
  });

  test("nothing is lost while the history is down: the window still shows it, a run is tried again", async () => {
    const made = await world();
    made.cases.isDown = true;
    made.types(mo, ":kick Bob");
    made.room.onRun(run(made));
    await made.look();
    assert.deepEqual(made.cases.all(), []);
    made.cases.isDown = false;
    await made.clock.advance(5_000);
    await made.look();
    assert.deepEqual(
      made.cases
        .all()
        .map(({ command }) => command)
        .sort(),
      [":kick Ann_Lee", ":kick Bob"],
    );
  });

  test("a run while the history is down gets its case after a restart, with whom it hit", async () => {
    for (const isInOrder of [true, false]) {
      const made = await world();
      made.cases.isDown = true;
      const record = run(made);
      made.room.onRun({ ...record, status: "sending" });
      made.leave(ann);
      made.audit.set(record.id, record);
      made.room.onRun(record);
      await made.settle();
      if (isInOrder) await made.room.stop();
      await made.kill();
      await made.clock.advance(3_600_000);
      made.cases.isDown = false;
      await made.clock.advance(600_000);
      assert.deepEqual(
        made.cases.all().map(({ targets }) => targets),
        [[{ name: "Ann_Lee", playerId: 11 }]],
        isInOrder ? "a stop in order" : "a kill",
      );
      assert.deepEqual(made.unstored.keys, []);
    }
  });

  test("a run gets its case however long the history was down", async () => {
    const made = await world();
    made.cases.isDown = true;
    made.room.onRun(run(made));
    await made.clock.advance(5 * 3_600_000);
    made.cases.isDown = false;
    await made.clock.advance(600_000);
    assert.equal(made.cases.all().length, 1);
  });

  test("a run that was refused is noted no longer, and one with its case neither", async () => {
    const made = await world();
    const record = run(made);
    made.room.onRun({ ...record, status: "sending" });
    made.room.onRun({ ...record, id: "r2", status: "sending" });
    await made.settle();
    assert.equal(made.unstored.keys.length, 2);
    made.room.onRun({ ...record, status: "failed" });
    made.room.onRun({ ...record, id: "r2" });
    await made.settle();
    assert.deepEqual(made.unstored.keys, []);
    assert.equal(made.cases.all().length, 1);
  });

  test("a kill at any moment loses no case and repeats no card", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const made = await world();
      made.types(mo, ":kick Bob spam");
      made.room.take(made.snapshot());
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await made.kill();
      await made.look();
      await made.clock.advance(20_000);
      assert.equal(made.cases.all().length, 1, `after ${turns} turns`);
      assert.equal(made.sink.messages("cases").length, 1, `after ${turns} turns`);
    }
  });

  test("a post that Discord took without an answer is found again, also when its nonce is forgotten", async () => {
    const made = await world();
    made.sink.nonceMemoryMs = 130_000;
    let sends = 0;
    let isAway = true;
    made.sink.fault = (call) =>
      isAway ? (call === "send" && sends++ === 0 ? "lost" : "unknown") : undefined;
    made.types(mo, ":kick Bob");
    await made.look();
    await made.clock.advance(240_000);
    isAway = false;
    await made.clock.advance(90_000);
    await made.settle();
    assert.equal(made.sink.messages("cases").length, 1);
    assert.equal(made.cases.all()[0]?.card?.messageId, made.sink.messages("cases")[0]?.messageId);
  });

  test("a post without an answer is found by the next process behind hundreds of others, whatever clock dated its case", async () => {
    for (const serviceAheadS of [0, 3_600]) {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      made.sink.nonceMemoryMs = 0;
      let sends = 0;
      made.sink.fault = (call) => (call === "send" && sends++ === 0 ? "lost" : "unknown");
      made.commands.push({ kind: "command", atS: made.nowS + serviceAheadS, player: mo, text: ":kick Bob" });
      await made.look();
      await made.clock.advance(serviceAheadS * 1_000);
      made.sink.fault = () => undefined;
      for (let nth = 0; nth < 150; nth += 1)
        await made.sink.send("cases", { content: md`Somebody joined`, nonce: `${nth}` });
      await made.kill();
      await made.clock.advance(120_000);
      const cards = made.sink.messages("cases").filter(({ body }) => body.cards !== undefined);
      assert.equal(cards.length, 1, `${serviceAheadS}`);
    }
  });

  for (const minutes of [8, 60, 6 * 60]) {
    test(`the card of a case stands in its channel though Discord was away for ${minutes} minutes`, async () => {
      const made = await world();
      made.sink.fault = () => "unknown";
      made.types(mo, ":kick Bob");
      await made.look();
      await made.clock.advance(minutes * 60_000);
      made.sink.fault = () => undefined;
      await made.clock.advance(120_000);
      assert.equal(made.sink.messages("cases").length, 1);
    });
  }

  test("a card that Discord's outage left owing is posted by the next process, hours later", async () => {
    const made = await world();
    made.sink.fault = () => "unknown";
    made.types(mo, ":kick Bob");
    await made.look();
    await made.clock.advance(6 * 3_600_000);
    made.sink.fault = () => undefined;
    await made.kill();
    await made.clock.advance(120_000);
    assert.equal(made.sink.messages("cases").length, 1);
  });

  test("a card is still posted by the next process where other communities have thousands of newer cases", async () => {
    const made = await world();
    made.anothersGuild = "g9";
    made.sink.fault = () => "unknown";
    made.types(mo, ":kick Bob");
    await made.look();
    await made.clock.advance(3_600_000);
    for (let number = 1; number <= 2_500; number += 1) {
      const one = kick({ guildId: "g9", number, atMs: made.clock.nowMs() + (number % 3) });
      made.cases.rows.set(`g9 ${number}`, { one });
    }
    made.sink.fault = () => undefined;
    await made.kill();
    await made.clock.advance(120_000);
    assert.equal(made.sink.messages("cases").length, 1);
  });

  test("a card whose words Discord refuses says who and what without them, also where they come later", async () => {
    for (const reason of [undefined, "spam"]) {
      const made = await world();
      made.types(mo, reason === undefined ? ":kick Bob bad.example" : ":kick Bob spam");
      made.sink.fault = (_, __, body) =>
        JSON.stringify(body ?? {}).includes("bad.example") ? "form" : undefined;
      await made.look();
      if (reason !== undefined) await made.room.cases.edit(actor, 1, { reason: "see bad.example" });
      await made.settle();
      assert.match(made.sink.text("cases"), /Player 12\b[\s\S]*Discord refuses/, `then ${reason}`);
      assert.equal(made.sink.messages("cases").length, 1);
      assert.deepEqual(made.told, []);
      await made.room.cases.revoke(actor, 1, "bad.example again");
      await made.settle();
      assert.match(made.sink.messages("cases")[0]?.body.cards?.[0]?.title ?? "", /Revoked/);
    }
  });

  test("a channel that takes nothing brings one notice, and the case is kept", async () => {
    const made = await world();
    made.sink.fault = () => "no-access";
    made.types(mo, ":kick Bob");
    made.types(mo, ":kick Ann_Lee");
    await made.look();
    assert.equal(made.told.length, 1);
    assert.equal(made.cases.all().length, 2);
  });
});

describe("a case that is changed", () => {
  test("in a thread that Discord archived shows it once the thread is open again, and no channel is called closed", async () => {
    const made = await world();
    made.types(mo, ":kick Bob");
    await made.look();
    made.sink.fault = (call) => (call === "edit" ? "closed" : undefined);
    await made.room.cases.edit(actor, 1, { reason: "spam" });
    await made.clock.advance(60_000);
    made.sink.fault = () => undefined;
    await made.clock.advance(360_000);
    assert.match(JSON.stringify(made.sink.messages("cases")[0]?.body), /spam/);
    assert.deepEqual(made.told, []);
  });

  test("shows it on its card, and a revoked one counts no more", async () => {
    const made = await world();
    made.types(mo, ":kick Bob");
    await made.look();
    await made.room.cases.edit(actor, 1, { reason: "spam" });
    await made.settle();
    assert.match(made.sink.text("cases"), /> spam.*Edited by <@u2>/s);
    assert.equal((await made.room.cases.summary("g1", 12)).counts.kick, 1);
    await made.room.cases.revoke(actor, 1, "wrong player");
    await made.settle();
    assert.match(made.sink.text("cases"), /Revoked by <@u2>.*wrong player/s);
    assert.equal((await made.room.cases.summary("g1", 12)).counts.kick, undefined);
    assert.equal(await made.room.cases.edit(actor, 7, { reason: "x" }), undefined);
  });

  test("says when it was undone and by whom, once, also where the database was away for both", async () => {
    for (const isDown of [false, true]) {
      const made = await world();
      const jail = run(made, { id: "r1", text: ":jail Ann_Lee", verb: "jail" });
      const undo = {
        ...jail,
        id: "r2",
        text: ":unjail Ann_Lee",
        verb: "unjail",
        undoes: "r1",
        actorId: "u9",
      };
      made.cases.isDown = isDown;
      for (const record of [jail, { ...undo, status: "sending" } as const, undo]) {
        made.audit.set(record.id, record);
        made.room.onRun(record);
      }
      await made.settle();
      if (isDown) {
        await made.kill();
        made.cases.isDown = false;
        await made.clock.advance(600_000);
      }
      made.room.onRun(undo);
      await made.settle();
      const [one, ...others] = made.cases.all();
      assert.deepEqual(others, []);
      const atMs = undo.sentAtMs ?? undo.askedAtMs;
      assert.deepEqual(one?.undone, [{ runId: "r2", verb: "unjail", atMs, byId: "u9" }]);
      const at = Math.floor(atMs / 1_000);
      assert.match(made.sink.text("cases"), new RegExp(`Undone: .:unjail. ran <t:${at}:f>, by <@u9>`));
      assert.deepEqual(made.unstored.keys, []);
    }
  });

  test("of a warning says when its player was told, once, and not by what may not have run", async () => {
    const made = await world();
    const { number } = await made.room.cases.add({
      guildId: "g1",
      kind: "warning",
      mass: false,
      atMs: 0,
      reason: "spam",
      targets: [{ name: "Ann_Lee", playerId: 11 }],
      author: { name: "Mo", userId: "u1" },
    });
    const tell = { ...run(made, { id: "r1", text: ":pm Ann_Lee You", verb: "pm" }), tells: number };
    made.room.onRun({ ...tell, status: "failed", ran: "no" });
    made.room.onRun({ ...tell, status: "unknown", ran: "unknown", proof: "unchecked" });
    await made.settle();
    assert.equal(made.cases.all()[0]?.told, undefined);
    for (const id of ["r2", "r3"]) made.room.onRun({ ...tell, id, actorId: `by ${id}` });
    await made.settle();
    const atMs = tell.sentAtMs ?? tell.askedAtMs;
    assert.deepEqual(made.cases.all()[0]?.told, { atMs, byId: "by r2" });
    assert.equal(made.cases.all().length, 1);
    assert.match(made.sink.text("cases"), new RegExp(`Told in the game <t:${Math.floor(atMs / 1_000)}:f>`));
  });

  test("does not say that it was undone by what did not run, or is of no case", async () => {
    const made = await world();
    const jail = run(made, { id: "r1", text: ":jail Ann_Lee", verb: "jail" });
    made.room.onRun(jail);
    const undo = { ...jail, id: "r2", text: ":unjail Ann_Lee", verb: "unjail", undoes: "r1" };
    made.room.onRun({ ...undo, status: "failed", ran: "no" });
    made.room.onRun({ ...undo, status: "unknown", ran: "unknown", proof: "unchecked" });
    made.room.onRun({ ...undo, undoes: "r0" });
    await made.settle();
    assert.equal(made.cases.all()[0]?.undone, undefined);
    // Its answer was lost, and the game's log shows it.
    made.room.onRun({ ...undo, status: "unknown", ran: "unknown", proof: "seen" });
    await made.settle();
    assert.equal(made.cases.all()[0]?.undone?.length, 1);
    assert.deepEqual(made.reported, []);
  });

  test("that changed while Discord was away has the change on its card after a restart, however old it is", async () => {
    const made = await world();
    const draft = { guildId: "g1", mass: false, author: { name: "Mo", userId: "u2" } } as const;
    const target = { name: "Bob", playerId: 12 };
    const atMs = made.clock.nowMs() - 60 * 24 * 3_600_000;
    const ofBob = { ...draft, targets: [target], atMs };
    await made.room.cases.add({ ...ofBob, kind: "note", reason: "a mistake" });
    await made.room.cases.add({ ...ofBob, kind: "note", reason: "before" });
    const both = [{ name: "Ann_Lee", playerId: 11 }, target];
    await made.room.cases.add({ ...ofBob, kind: "note", targets: both, reason: "of both" });
    await made.room.cases.add({ ...ofBob, kind: "ban", bindingId: "b1" });
    await made.settle(5_000);
    assert.equal(made.sink.messages("cases").length, 4);
    made.sink.fault = () => "unknown";
    await made.room.cases.revoke(actor, 1, undefined);
    await made.room.cases.edit(actor, 2, { reason: "after" });
    await made.room.cases.eraseOf("g1", 11);
    await made.room.cases.add({ ...ofBob, kind: "unban", bindingId: "b1", atMs: atMs + 1 });
    await made.clock.advance(60_000);
    await made.kill();
    await made.clock.advance(60_000);
    made.sink.fault = () => undefined;
    await made.clock.advance(120_000);
    const texts = made.sink.messages("cases").map(({ body }) => JSON.stringify(body));
    const [revoked = "", edited = "", changed = "", ban = ""] = texts;
    assert.match(revoked, /Revoked/i);
    assert.match(edited, /after/);
    assert.doesNotMatch(changed, /Ann/);
    assert.match(ban, /case 5/i);
    // What is shown is owed no longer.
    assert.deepEqual(
      made.cases.all().filter((one) => opennessOf(one) === 2),
      [],
    );
  });

  test("that is erased leaves a card that says no more than that, also where Discord is away for hours", async () => {
    const made = await world();
    const draft = { guildId: "g1", kind: "note", mass: false, author: { name: "Mo", userId: "u2" } } as const;
    const target = { name: "Ann_Lee", playerId: 11 };
    for (const reason of ["a secret", "another secret"]) {
      await made.room.cases.add({ ...draft, targets: [target], reason, atMs: made.clock.nowMs() });
    }
    const both = [target, { name: "Bob", playerId: 12 }];
    await made.room.cases.add({ ...draft, targets: both, reason: "of both", atMs: made.clock.nowMs() });
    await made.settle();
    made.sink.fault = () => "unknown";
    const erased = await made.room.cases.eraseOf("g1", 11);
    assert.equal(erased.cases, 3);
    await made.clock.advance(6 * 3_600_000);
    made.sink.fault = () => undefined;
    await made.clock.advance(120_000);
    const texts = made.sink.messages("cases").map(({ body }) => JSON.stringify(body));
    for (const own of texts.slice(0, 2)) {
      assert.match(own, /This case was erased/);
      assert.doesNotMatch(own, /secret|Ann|"button"/);
    }
    assert.match(texts[2] ?? "", /Bob/);
    assert.doesNotMatch(texts[2] ?? "", /Ann/);
  });

  for (const fault of ["lost", "slow"] as const) {
    test(`that is erased while its card is on its way leaves no card that names the player: ${fault}`, async () => {
      const made = await world();
      const draft = {
        guildId: "g1",
        kind: "note",
        mass: false,
        author: { name: "Mo", userId: "u2" },
      } as const;
      const targets = [{ name: "Ann_Lee", playerId: 11 }];
      if (fault === "lost") made.sink.fault = (call) => (call === "send" ? "lost" : "unknown");
      let arrive = () => {};
      if (fault === "slow") {
        made.sink.answer = (call) =>
          call === "send"
            ? new Promise((resolve) => {
                arrive = () => resolve(undefined);
              })
            : Promise.resolve();
      }
      await made.room.cases.add({ ...draft, targets, reason: "a secret", atMs: made.clock.nowMs() });
      await made.clock.advance(5_000);
      await made.room.cases.eraseOf("g1", 11);
      made.sink.fault = () => undefined;
      made.sink.answer = () => Promise.resolve();
      arrive();
      await made.clock.advance(180_000);
      assert.equal(made.sink.messages("cases").length, 1);
      assert.doesNotMatch(JSON.stringify(made.sink.messages("cases")[0]?.body), /secret|Ann/);
    });
  }

  test("that is erased just as Discord takes its card leaves no card that names the player, whatever comes first", async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const made = await world();
      const author = { name: "Mo", userId: "u2" };
      const targets = [{ name: "Ann_Lee", playerId: 11 }];
      let arrive = () => {};
      made.sink.answer = (call) =>
        call === "send"
          ? new Promise((resolve) => {
              arrive = () => resolve(undefined);
            })
          : Promise.resolve();
      const atMs = made.clock.nowMs();
      await made.room.cases.add({ guildId: "g1", kind: "note", mass: false, author, targets, atMs });
      await made.clock.advance(5_000);
      arrive();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await made.room.cases.eraseOf("g1", 11);
      made.sink.answer = () => Promise.resolve();
      await made.clock.advance(180_000);
      const texts = made.sink.messages("cases").map(({ body }) => JSON.stringify(body));
      assert.doesNotMatch(texts.join(), /Ann/, `after ${turns} turns`);
    }
  });

  test("that is erased leaves no card that names the player where the power goes right after", async () => {
    const made = await world();
    const draft = { guildId: "g1", kind: "note", mass: false, author: { name: "Mo", userId: "u2" } } as const;
    const targets = [{ name: "Ann_Lee", playerId: 11 }];
    await made.room.cases.add({ ...draft, targets, reason: "a secret", atMs: made.clock.nowMs() });
    await made.settle();
    const erase = made.cases.erasePlayer.bind(made.cases);
    let killed: Promise<void> | undefined;
    made.cases.erasePlayer = async (...of) => {
      const done = await erase(...of);
      killed = made.kill();
      return done;
    };
    void made.room.cases.eraseOf("g1", 11);
    await made.settle();
    await killed;
    await made.clock.advance(120_000);
    assert.deepEqual(made.cases.all(), []);
    const texts = made.sink.messages("cases").map(({ body }) => JSON.stringify(body));
    assert.match(texts.join(), /This case was erased/);
    assert.doesNotMatch(texts.join(), /secret|Ann/);
  });

  test("that could not be erased has its card as it was", async () => {
    const made = await world();
    const author = { name: "Mo", userId: "u2" };
    const targets = [{ name: "Ann_Lee", playerId: 11 }];
    const atMs = made.clock.nowMs();
    await made.room.cases.add({ guildId: "g1", kind: "note", mass: false, author, targets, atMs });
    await made.settle();
    made.cases.erasePlayer = () => Promise.reject(new Error("the database is away"));
    await assert.rejects(made.room.cases.eraseOf("g1", 11), /away/);
    await made.clock.advance(120_000);
    assert.match(JSON.stringify(made.sink.messages("cases")[0]?.body), /Ann/);
  });

  test("that is erased while Discord does not let its card be changed is told with a link to it", async () => {
    const made = await world();
    const draft = { guildId: "g1", kind: "note", mass: false, author: { name: "Mo", userId: "u2" } } as const;
    const targets = [{ name: "Ann_Lee", playerId: 11 }];
    await made.room.cases.add({ ...draft, targets, reason: "a secret", atMs: made.clock.nowMs() });
    await made.settle();
    made.sink.fault = (call) => (call === "edit" ? "no-access" : undefined);
    await made.room.cases.eraseOf("g1", 11);
    await made.settle();
    const [card] = made.sink.messages("cases");
    assert.match(made.sink.text("notices"), new RegExp(`Case 1 was erased.*cases/${card?.messageId}`));
  });

  test("at once by several people loses none of their changes", async () => {
    const made = await world();
    made.types(mo, ":kick Bob");
    await made.look();
    await Promise.all([
      made.room.cases.edit(actor, 1, { reason: "a" }),
      made.room.cases.edit(actor, 1, { reason: "b" }),
      made.room.cases.edit(actor, 1, { evidence: "https://x.example" }),
    ]);
    const [one] = made.cases.all();
    assert.equal(one?.edits.length, 3);
    assert.equal(one?.evidence, "https://x.example");
  });

  test("the third warning in 30 days tells staff, the fourth of a longer time does not", async () => {
    const made = await world();
    const warn = (atMs: number) =>
      made.room.cases.add({
        guildId: "g1",
        kind: "warning",
        targets: [{ name: "Bob", playerId: 12 }],
        mass: false,
        author: { name: "Mo", userId: "u14" },
        atMs,
        reason: "spam",
      });
    const nowMs = made.clock.nowMs();
    await warn(nowMs - 31 * 86_400_000);
    for (const daysAgo of [20, 10]) await warn(nowMs - daysAgo * 86_400_000);
    await made.settle();
    assert.doesNotMatch(made.sink.text("cases"), /warnings in 30 days/);
    await warn(nowMs);
    await made.settle();
    assert.match(made.sink.text("cases"), /\*\*3 warnings in 30 days\.\*\*/);
    await made.room.cases.revoke({ guildId: "g1", userId: "u9" }, 3, undefined);
    await made.settle();
    assert.doesNotMatch(made.sink.text("cases"), /warnings in 30 days/, "one of them counts no more");
  });

  test("warnings of another server do not count on a card", async () => {
    const made = await world();
    for (const [n, bindingId] of ["b1", "b2", "b2", "b1", "b2"].entries()) {
      await made.room.cases.add({
        guildId: "g1",
        kind: "warning",
        bindingId,
        targets: [{ name: "Bob", playerId: 12 }],
        mass: false,
        author: { name: "Mo", userId: "u14" },
        atMs: made.clock.nowMs(),
        reason: `number ${n + 1}`,
      });
      await made.settle();
      const isThird = n === 4;
      assert.equal(/\*\*3 warnings in 30 days/.test(made.sink.text("cases")), isThird, `case ${n + 1}`);
    }
    assert.equal(await made.room.cases.warnings({ guildId: "g1", bindingId: "b1" }, 12), 2);
    assert.equal(await made.room.cases.warnings({ guildId: "g1" }, 12), 0);
  });
});
