import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AskedBan } from "../../../src/domain/asked-ban.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { binding, player, RunsRig, roles } from "../../support/runs-rig.ts";

const HOUR_MS = 3_600_000;
const sent = (rig: RunsRig) => rig.sent.map(({ text }) => text);
const alice = { name: "Alice", id: 11 };

async function started(rig = new RunsRig()): Promise<RunsRig> {
  await rig.runs.start();
  rig.runs.beginSchedules();
  return rig;
}

const ask = (rig: RunsRig, who = alice, reason = "spam"): Promise<AskedBan> =>
  rig.runs.askedBans.ask(rig.actor("mod"), { binding, player: who, reason });

async function look(rig: RunsRig): Promise<void> {
  await rig.journal.take(rig.snapshot([]));
  await rig.clock.advance(1_000);
}

/** As long as the server is empty the game says so. */
function empty(rig: RunsRig): void {
  rig.answering = async () => {
    if (rig.players.length === 0) throw new Failure("server-empty", "offline");
    return "Success";
  };
  rig.players = [];
}

describe("a ban that is asked for", () => {
  for (const reason of [", Ghost", ",Ghost spam", ", 4711 spam", ", all"])
    test(`a reason that reads as another name is refused: ${reason}`, async () => {
      const rig = await started();
      await assert.rejects(ask(rig, alice, reason), { code: "bad-command" });
      // As an earlier version has kept it.
      const kept = await ask(rig);
      await rig.askedDocuments.set(`g1:${kept.id}`, { ...kept, reason });
      await rig.runs.stop(0);
      rig.crash();
      await started(rig);
      await assert.rejects(rig.runs.askedBans.approve(rig.actor("admin"), kept.id), { code: "bad-command" });
      await rig.clock.advance(1_000);
      assert.deepEqual(sent(rig), []);
    });

  test("is sent by the approval of somebody else who may ban, once, by id, with a row in the audit", async () => {
    const rig = await started();
    const { id } = await ask(rig);
    assert.deepEqual(await rig.runs.askedBans.approverRoles({ guildId: "g1", bindingId: binding.id }), [
      roles.admin,
      roles.manager,
    ]);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(1_000);
    assert.deepEqual(sent(rig), [":ban 11 spam"]);
    const row = [...rig.audit.rows.values()].at(-1);
    assert.deepEqual(
      [row?.origin, row?.status, row?.actorId, row?.askedBy],
      ["asked-ban", "done", "u-admin", "u-mod"],
    );
    assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    assert.equal(rig.askedTexts.size, 0);
    await assert.rejects(rig.runs.askedBans.approve(rig.actor("admin"), id), { code: "expired" });
  });

  test("is sent once where two approve it at once", async () => {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    const [first, second] = await Promise.allSettled(
      (["admin", "manager"] as const).map((who) => rig.runs.askedBans.approve(rig.actor(who), id)),
    );
    await rig.clock.advance(1_000);
    assert.equal(first?.status, "fulfilled");
    assert.match(String(second?.status === "rejected" && second.reason), /approved already by/);
    assert.equal(rig.sent.length, 1);
  });

  for (const isEmptyFirst of [false, true])
    test(`is not sent again once it was taken out of the queue${isEmptyFirst ? ", after an empty server" : ""}`, async () => {
      const rig = await started();
      const { id } = await ask(rig);
      if (isEmptyFirst) {
        empty(rig);
        await rig.runs.askedBans.approve(rig.actor("admin"), id);
        await rig.clock.advance(1_000);
        rig.players = [player("Bob", 12)];
      }
      const before = rig.sent.length;
      rig.readyAtMs = rig.clock.nowMs() + 30_000;
      if (isEmptyFirst) await look(rig);
      else await rig.runs.askedBans.approve(rig.actor("admin"), id);
      const [waiting] = await rig.runs.queue.waiting("g1");
      assert.equal((await rig.runs.queue.cancel(rig.actor("manager"), waiting?.record.id ?? "")).ok, true);
      await rig.clock.advance(HOUR_MS);
      assert.equal(rig.sent.length, before);
      assert.deepEqual(rig.runs.askedBans.list("g1"), []);
      if (isEmptyFirst) assert.match(JSON.stringify(rig.posts), /cancelled :ban 11 spam/);
    });

  test("is approved neither by who asked nor by who may not ban", async () => {
    const rig = await started();
    const { id } = await ask(rig);
    const asker = rig.actor("mod", { roleIds: [roles.mod, roles.manager] });
    await assert.rejects(rig.runs.askedBans.approve(asker, id), /Who asked for a ban can't approve it/);
    const other = rig.actor("mod", { userId: "u-other" });
    await assert.rejects(rig.runs.askedBans.approve(other, id), { code: "denied" });
    assert.deepEqual(rig.sent, []);
  });

  test("is not for staff of the game, whatever their rank, nor for protected players", async () => {
    const rig = await started();
    rig.setPolicy({ protectedPlayers: ["bob"] });
    rig.players = [...rig.players, player("Hel", 31, "Server Helper")];
    for (const who of [
      { name: "Ada", id: 21 },
      { name: "Hel", id: 31 },
      { name: "owner", id: rig.ownerId },
      { name: "Bob", id: 12 },
    ])
      await assert.rejects(ask(rig, who), { code: "denied" }, who.name);
  });

  test("is not sent where the player is staff by now, or where who asked is no Moderator any more", async () => {
    for (const change of [
      (rig: RunsRig) => rig.admins.set(11, "Alice"),
      (rig: RunsRig) => rig.memberRoles.set("u-mod", [roles.none]),
    ]) {
      const rig = await started();
      const { id } = await ask(rig);
      change(rig);
      const submitted = await rig.runs.askedBans.approve(rig.actor("admin"), id).catch(() => undefined);
      await rig.clock.advance(1_000);
      await submitted?.outcome;
      assert.deepEqual(rig.sent, []);
      assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    }
  });

  test("is not sent where the approver may not ban any more when somebody joins", async () => {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(1_000);
    rig.memberRoles.set("u-admin", [roles.mod]);
    rig.players = [player("Bob", 12)];
    await look(rig);
    assert.equal(rig.sent.length, 1, "the one that met an empty server");
    assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    assert.match(rig.guildNotices.join(), /not sent Alice/);
  });

  /** Approved on an empty server, and its card says that it waits. */
  async function waiting(): Promise<{ readonly rig: RunsRig; readonly id: string }> {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(1_000);
    await rig.runs.askedBans.showWaiting(rig.actor("admin"), id, "m7");
    return { rig, id };
  }

  test("that can't be sent any more is named by name, on its card too, and nobody is advised to ask for it again", async () => {
    const { rig } = await waiting();
    rig.setPolicy({ protectedPlayers: ["alice"], protectedAliases: { alice: "11" } });
    rig.crash();
    await started(rig);
    rig.players = [player("Bob", 12)];
    await look(rig);
    assert.deepEqual(rig.guildNotices, ["not sent Alice: alice is protected. Nobody can target them."]);
    assert.deepEqual(rig.cardEdits, ["m7 Alice: alice is protected. Nobody can target them."]);
    await assert.rejects(ask(rig), /^Failure: alice is protected/);
  });

  test("has a card that says what came of it, once it was sent, given up or taken back", async () => {
    const sentOne = await waiting();
    sentOne.rig.players = [player("Bob", 12)];
    await look(sentOne.rig);
    assert.deepEqual(sentOne.rig.cardEdits, ["m7 Alice: done"]);

    const old = await waiting();
    await old.rig.clock.advance(24 * HOUR_MS);
    assert.match(old.rig.cardEdits.join(), /^m7 Alice: Nobody was in the server/);
    assert.match(old.rig.guildNotices.join(), /Ask again\.$/);

    const withdrawn = await waiting();
    await withdrawn.rig.runs.askedBans.refuse(withdrawn.rig.actor("mod"), withdrawn.id);
    assert.deepEqual(withdrawn.rig.cardEdits, ["m7 Alice refused by u-mod"]);
  });

  test("waits on an empty server, over a kill too, is sent once when somebody is there, and its outcome is told", async () => {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.runs.askedBans.list("g1").length, 1);
    rig.crash();
    await started(rig);
    const before = rig.sent.length;
    rig.players = [player("Bob", 12)];
    await look(rig);
    await look(rig);
    assert.equal(rig.sent.length, before + 1);
    assert.match(JSON.stringify(rig.posts), /done :ban 11 spam/);
    assert.equal(rig.askedTexts.size, 0);
  });

  for (const setBackMs of [0, 5_000, 72 * HOUR_MS])
    test(`waits for a day at most, which is told, with a clock set back by ${setBackMs} ms`, async () => {
      const rig = await started();
      empty(rig);
      const { id } = await ask(rig);
      await rig.runs.askedBans.approve(rig.actor("admin"), id);
      rig.clock.step(-setBackMs);
      await rig.clock.advance(24 * HOUR_MS + 1_000);
      assert.match(rig.guildNotices.join(), /not sent Alice: Nobody was in the server/);
      rig.players = [player("Bob", 12)];
      const before = rig.sent.length;
      await look(rig);
      assert.equal(rig.sent.length, before);
    });

  test("is tried once a minute while Discord does not tell the roles, however many answers come meanwhile", async () => {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(1_000);
    rig.membersFailure = new Failure("paused", "Discord is away");
    rig.players = [player("Bob", 12)];
    const before = rig.membersRead;
    for (let s = 0; s < 1_800; s += 5) {
      await rig.journal.take(rig.snapshot([]));
      await rig.clock.advance(5_000);
    }
    assert.ok(rig.membersRead - before <= 31, `${rig.membersRead - before} reads in half an hour`);
    rig.membersFailure = undefined;
    await rig.clock.advance(60_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":ban 11 spam"]);
  });

  test("is not said to be given up when somebody joins at the end of its day and it is being claimed", async () => {
    const rig = await started();
    empty(rig);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(24 * HOUR_MS - 1);
    rig.players = [player("Bob", 12)];
    const documents = rig.askedDocuments;
    const written = Promise.withResolvers<void>();
    const set = documents.set.bind(documents);
    documents.set = async (key, asked) => {
      await written.promise;
      await set(key, asked);
    };
    await rig.journal.take(rig.snapshot([]));
    await rig.clock.advance(1);
    written.resolve();
    await rig.clock.advance(10_000);
    assert.deepEqual(rig.guildNotices, []);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":ban 11 spam"]);
  });

  test("that was being sent when the process was killed is not sent again", async () => {
    const rig = await started();
    rig.answering = () => new Promise(() => undefined);
    const { id } = await ask(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), id);
    await rig.clock.advance(1_000);
    assert.equal(rig.sent.length, 1);
    rig.crash();
    await started(rig);
    await look(rig);
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual(rig.runs.askedBans.list("g1"), []);
  });

  test("of an older copy that was put back is closed and told of: it may have been approved or refused since", async () => {
    const rig = await started();
    const open = await ask(rig);
    const waiting = await ask(rig, { name: "Wes", id: 13 });
    empty(rig);
    await rig.runs.askedBans.approve(rig.actor("admin"), waiting.id);
    await rig.clock.advance(1_000);
    const copy = new Map(rig.askedTexts);
    rig.players = [player("Bob", 12)];
    await rig.runs.askedBans.approve(rig.actor("admin"), open.id);
    await rig.clock.advance(60_000);
    await look(rig);
    await rig.clock.advance(60_000);
    const before = sent(rig);
    assert.deepEqual(before.slice(1).toSorted(), [":ban 11 spam", ":ban 13 spam"]);
    for (const [key, text] of copy) rig.askedTexts.set(key, text);
    rig.crash({ isStoreInDoubt: true, isOlderCopy: true });
    await started(rig);
    assert.deepEqual([rig.runs.askedBans.list("g1"), rig.askedTexts.size], [[], 0]);
    await assert.rejects(rig.runs.askedBans.approve(rig.actor("admin"), open.id), { code: "expired" });
    await look(rig);
    await rig.clock.advance(HOUR_MS);
    assert.deepEqual(sent(rig), before, "nothing is sent twice");
    const notices = rig.guildNotices.join("\n");
    assert.match(notices, /^unsure Alice: .*older copy, so it may have been approved or refused already\.$/m);
    assert.match(notices, /^unsure Wes: .*older copy, so it may already have been sent\.$/m);
  });

  for (const isOlderCopy of [true, false])
    test(`is ${isOlderCopy ? "closed without a word where it was too old" : "still open where seconds may be missing"}`, async () => {
      const rig = await started();
      const { id } = await ask(rig);
      if (isOlderCopy) await rig.clock.advance(73 * HOUR_MS);
      rig.crash({ isStoreInDoubt: true, isOlderCopy });
      await started(rig);
      assert.deepEqual(
        rig.runs.askedBans.list("g1").map((asked) => asked.id),
        isOlderCopy ? [] : [id],
      );
      assert.deepEqual([rig.guildNotices, rig.askedTexts.size], [[], isOlderCopy ? 0 : 1]);
    });

  test("is claimed before it is sent: where the store refuses that, nothing is", async () => {
    const rig = await started();
    const { id } = await ask(rig);
    rig.askedDocuments.refuseWrites = new Error("disk full");
    await assert.rejects(rig.runs.askedBans.approve(rig.actor("admin"), id), /disk full/);
    await rig.clock.advance(60_000);
    assert.deepEqual(rig.sent, []);
  });

  for (const isInQueue of [false, true])
    test(`goes on where it did not leave and the store refused to write that${isInQueue ? ", after it was in the queue" : ""}`, async () => {
      const rig = await started();
      const { id } = await ask(rig);
      const fail = () => {
        rig.askedDocuments.refuseWrites = new Error("disk full");
        throw new Failure("paused", "Discord is away", { ran: "no" });
      };
      if (isInQueue) rig.answering = async () => fail();
      else rig.membersPause = async () => fail();
      await rig.runs.askedBans.approve(rig.actor("admin"), id).catch(() => undefined);
      await rig.clock.advance(15 * 60_000);
      const before = rig.sent.length;
      rig.askedDocuments.refuseWrites = undefined;
      rig.membersPause = async () => undefined;
      rig.answering = async () => "Success";
      await rig.clock.advance(15 * 60_000);
      assert.deepEqual(sent(rig).slice(before), [":ban 11 spam"]);
      assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    });

  test("is refused by who may ban, and taken back by who asked; others may not", async () => {
    const rig = await started();
    const first = await ask(rig);
    await assert.rejects(rig.runs.askedBans.refuse(rig.actor("mod", { userId: "u-other" }), first.id), {
      code: "denied",
    });
    await rig.runs.askedBans.refuse(rig.actor("mod"), first.id);
    const second = await ask(rig);
    await rig.runs.askedBans.refuse(rig.actor("admin"), second.id);
    assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    assert.equal(rig.askedTexts.size, 0);
  });

  test("is one a player, ten a person, and for three days", async () => {
    const rig = await started();
    await ask(rig);
    await assert.rejects(ask(rig), /asked for already/);
    for (let id = 501; id < 510; id += 1) await ask(rig, { name: `P${id}`, id });
    await assert.rejects(ask(rig, { name: "P600", id: 600 }), /Too many/);
    await rig.clock.advance(73 * HOUR_MS);
    assert.deepEqual(rig.runs.askedBans.list("g1"), []);
    await ask(rig);
    assert.equal(rig.askedTexts.size, 1);
  });
});
