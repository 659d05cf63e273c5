import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Case, isBannedAgain, standingBan } from "../../../src/domain/case.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { CommandEntry } from "../../../src/domain/model.ts";
import { binding, player, RunsRig } from "../../support/runs-rig.ts";

const HOUR_MS = 3_600_000;

const row = (atS: number, text: string, by?: string): CommandEntry => ({
  kind: "command",
  atS,
  player: by === undefined ? { name: "Remote Server" } : { name: by, id: 22 },
  text,
});

const nowS = (rig: RunsRig) => Math.floor(rig.clock.nowMs() / 1_000);
const sent = (rig: RunsRig) => rig.sent.map(({ text }) => text);
const states = (rig: RunsRig) => rig.runs.banEnds.list("g1").map(({ end }) => end.heldFor ?? end.state);

const aCase = (fields: Partial<Case>): Case => ({
  guildId: "g1",
  number: 1,
  kind: "ban",
  bindingId: "b1",
  targets: [{ name: "Alice", playerId: 11 }],
  mass: false,
  author: { name: "Moe" },
  atMs: 1_000,
  edits: [],
  ...fields,
});

async function started(): Promise<RunsRig> {
  const rig = new RunsRig();
  await rig.runs.start();
  rig.runs.beginSchedules();
  return rig;
}

async function restarted(rig: RunsRig): Promise<void> {
  await rig.runs.start();
  rig.runs.beginSchedules();
}

/** Bans somebody for that long, by whatever names them. */
async function ban(rig: RunsRig, who: string, lastsMs = HOUR_MS): Promise<string> {
  const actor = rig.actor("admin");
  const term = { lastsMs };
  const plan = await rig.runs.runner.plan({
    actor,
    binding,
    text: `:ban ${who} spam`,
    origin: "command",
    term,
  });
  const submitted = await rig.runs.runner.confirmed(plan.id, actor);
  await rig.clock.advance(1_000);
  return submitted.id;
}

async function look(rig: RunsRig, ...rows: CommandEntry[]): Promise<void> {
  await rig.journal.take(rig.snapshot(rows));
  await rig.clock.advance(0);
}

describe("a ban that ends", () => {
  test("is sent with the id of the player and lifted by it once, not before its time, with a row in the audit", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    assert.deepEqual(sent(rig), [":ban 11 spam"]);
    await rig.clock.advance(HOUR_MS - 10_000);
    assert.deepEqual(sent(rig), [":ban 11 spam"]);
    await rig.clock.advance(30_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
    const last = [...rig.audit.rows.values()].at(-1);
    assert.deepEqual([last?.origin, last?.status, last?.actorId], ["ban-end", "done", "u-admin"]);
    // People read the name in the place of the id.
    for (const { byId } of rig.audit.rows.values()) assert.deepEqual(byId, [{ name: "Alice", id: 11 }]);
    await rig.clock.advance(48 * HOUR_MS);
    assert.equal(rig.sent.length, 2);
    assert.equal(rig.banEndTexts.size, 0);
    assert.deepEqual(rig.reports, []);
  });

  test("is for one player whom Marshal knows, and for a ban", async () => {
    const rig = await started();
    const actor = rig.actor("admin");
    const asked = (text: string) =>
      rig.runs.runner.plan({ actor, binding, text, origin: "command", term: { lastsMs: HOUR_MS } });
    for (const text of [":ban Alice,Bob", ":ban Nobody", ":ban all", ":kick Alice", ":ban Bo", ":ban 77"])
      await assert.rejects(asked(text), { code: "bad-command" }, text);
    assert.equal((await asked(":ban Ali")).request.text, ":ban 11");
    // It says when it ends, so not that it lasts until somebody lifts it; it is asked about all the same.
    const { confirm, confirmReasons } = await asked(":ban Ali");
    assert.deepEqual({ confirm, confirmReasons }, { confirm: "button", confirmReasons: [] });
    assert.equal((await asked(":ban 11 x")).request.text, ":ban 11 x");
  });

  test("is stored before it is sent, and not sent where the store refuses it", async () => {
    const rig = await started();
    rig.banEndDocuments.refuseWrites = new Error("disk full");
    const id = await ban(rig, "Alice");
    assert.deepEqual(rig.sent, []);
    assert.equal(rig.audit.rows.get(id)?.status, "denied");
    rig.banEndDocuments.refuseWrites = undefined;
    await rig.clock.advance(60_000);
    assert.deepEqual(states(rig), []);
  });

  test("ends nothing where it did not run", async () => {
    const rig = await started();
    rig.answering = async () => {
      throw new Failure("server-empty", "offline");
    };
    await ban(rig, "Alice");
    assert.deepEqual(states(rig), []);
    assert.equal(rig.banEndTexts.size, 0);
  });

  test("is lifted by nobody where its outcome is unknown, until a Manager says so", async () => {
    const rig = await started();
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    const id = await ban(rig, "Alice");
    rig.answering = async () => "Success";
    assert.deepEqual(states(rig), ["ban-unknown"]);
    assert.match(rig.guildNotices.join(), /held Alice/);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.ok(await rig.runs.banEnds.letEnd(rig.actor("manager"), id));
    await rig.clock.advance(1_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
  });

  test("waits while the server is empty and while its key is parked, and goes on then", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.players = [];
    await rig.clock.advance(3 * HOUR_MS);
    assert.match(rig.runs.banEnds.list("g1")[0]?.waits ?? "", /Nobody is in the server/);
    rig.parkedWhy = "regenerated";
    rig.players = [player("Bob", 12)];
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 1);
    rig.parkedWhy = undefined;
    await rig.clock.advance(6 * 60_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
  });

  test("waits while the service asks to, and not for a request to show that this is over, as after a kill", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.haltUntilMs = rig.clock.nowMs() + 2 * HOUR_MS;
    await rig.clock.advance(HOUR_MS + 60_000);
    assert.match(rig.runs.banEnds.list("g1")[0]?.waits ?? "", /The game service asked Marshal to wait\.$/);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(HOUR_MS + 6 * 60_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
  });

  test("waits while automatic commands are paused", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const pause = { byId: "u1", atMs: rig.clock.nowMs() };
    await rig.settings.change("g1", (settings) => ({ ...settings, automaticPause: pause }));
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
  });

  test("goes on as soon as automatic commands are resumed; one that is not over waits for nothing", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await ban(rig, "Bob", 5 * HOUR_MS);
    const pause = { byId: "u1", atMs: rig.clock.nowMs() };
    await rig.settings.change("g1", (settings) => ({ ...settings, automaticPause: pause }));
    await rig.clock.advance(HOUR_MS + 60_000);
    const waits = () => rig.runs.banEnds.list("g1").map((one) => one.waits);
    assert.deepEqual(waits(), ["Automatic commands are paused.", undefined]);
    await rig.settings.change("g1", ({ automaticPause: _, ...own }) => own);
    rig.runs.banEnds.onResumed("g1");
    assert.deepEqual(waits(), [undefined, undefined]);
    await rig.clock.advance(10_000);
    assert.equal(sent(rig).at(-1), ":unban 11");
  });
});

describe("a ban that ends is not lifted over what came later", () => {
  test("a ban typed in the game, by name; it is told", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own);
    rig.players = [player("Bob", 12)];
    await look(rig, own, row(nowS(rig) + 60, ":ban alice", "Moe"));
    assert.deepEqual(states(rig), []);
    assert.match(rig.guildNotices.join(), /over Alice: They were banned again by Moe/);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
  });

  test("a ban by another program, and one that only the look before the un-ban shows", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await look(rig, row(nowS(rig), ":ban 11 spam"), row(nowS(rig) + 5, ":ban 11"));
    assert.deepEqual(states(rig), []);
    await ban(rig, "Bob");
    rig.commandLogs = [row(nowS(rig), ":ban 12 spam"), row(nowS(rig) + 900, ":ban Bob", "Moe")];
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":ban 12 spam"]);
  });

  test("a ban of ours, also where its answer is lost and the process is killed", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.answering = () => new Promise(() => undefined);
    const actor = rig.actor("admin");
    const request = { actor, binding, text: ":ban Alice more", origin: "command" } as const;
    const plan = await rig.runs.runner.plan(request);
    await rig.clock.advance(10_000);
    await rig.runs.runner.confirmed(plan.id, actor);
    await rig.clock.advance(10_000);
    assert.equal(rig.sent.length, 2);
    rig.crash();
    rig.answering = async () => "Success";
    await restarted(rig);
    assert.deepEqual(states(rig), ["later-unknown"]);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 2);
  });

  test("a ban of ours that did not run changes nothing", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.clock.advance(10_000);
    rig.answering = async () => {
      throw new Failure("platform", "no");
    };
    await ban(rig, "Alice", 5 * HOUR_MS);
    rig.answering = async () => "Success";
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual(sent(rig).at(-1), ":unban 11");
  });

  test("a ban of ours of which nobody knows whether it ran counts also after another that did not run", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.clock.advance(10_000);
    const failing = [
      new Failure("unreachable", "no answer", { ran: "unknown" }),
      new Failure("platform", "no", { ran: "no" }),
    ];
    rig.answering = async () => {
      throw failing.shift();
    };
    await ban(rig, "Alice", 5 * HOUR_MS);
    assert.deepEqual(states(rig), ["later-unknown", "ban-unknown"]);
    await rig.clock.advance(10_000);
    await ban(rig, "Alice", 6 * HOUR_MS);
    assert.equal(rig.sent.length, 3);
    rig.answering = async () => "Success";
    assert.deepEqual(states(rig), ["later-unknown", "ban-unknown"]);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 3);
    // One that surely ran is another matter.
    await ban(rig, "Alice", 6 * HOUR_MS);
    assert.match(rig.guildNotices.join(), /over Alice: They were banned again/);
    assert.equal(states(rig).includes("later-unknown"), false);
  });

  test("a ban of ours of which nobody knows whether it ran, sent while the un-ban waits, is told, also after a kill", async () => {
    for (const isKilled of [false, true]) {
      const rig = await started();
      await ban(rig, "Alice");
      await rig.clock.advance(HOUR_MS - 10_000);
      rig.readyAtMs = rig.clock.nowMs() + 90_000;
      await rig.clock.advance(30_000);
      const [lift] = await rig.runs.queue.waiting("g1");
      assert.equal(lift?.record.text, ":unban 11");
      rig.answering = async (text, _, mayStart) => {
        if (!mayStart()) throw new Failure("expired", "It was held back.", { ran: "no" });
        if (text.startsWith(":unban")) return "Success";
        if (isKilled) return await new Promise(() => undefined);
        throw new Failure("unreachable", "no answer", { ran: "unknown" });
      };
      const actor = rig.actor("admin");
      const text = ":ban Alice more";
      const plan = await rig.runs.runner.plan({ actor, binding, text, origin: "command" });
      await rig.runs.runner.confirmed(plan.id, actor);
      await rig.clock.advance(80_000);
      if (isKilled) {
        rig.crash();
        await restarted(rig);
      }
      await rig.clock.advance(2 * HOUR_MS);
      assert.deepEqual(states(rig), ["later-unknown"], `killed: ${isKilled}`);
      assert.match(rig.guildNotices.join(), /later ban/);
    }
  });

  test("a ban of ours that is cancelled right before it is sent changes nothing, and has no end", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.clock.advance(10_000);
    const read = Promise.withResolvers<void>();
    const bySource = rig.bindings.bySource.bind(rig.bindings);
    rig.bindings.bySource = async (source) => {
      await read.promise;
      return await bySource(source);
    };
    const id = await ban(rig, "Alice", 5 * HOUR_MS);
    assert.equal((await rig.runs.queue.cancel(rig.actor("admin"), id)).ok, true);
    await rig.clock.advance(1_000);
    read.resolve();
    await rig.clock.advance(1_000);
    assert.deepEqual(states(rig), ["armed"]);
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
  });

  test("a case of the history", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.isBannedAgain = async ({ playerId }) => playerId === 11;
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.match(rig.guildNotices.join(), /over Alice/);
  });

  test("one that the log shows while the un-ban waits takes it out of the queue, which says why", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await rig.clock.advance(HOUR_MS - 2_000);
    rig.readyAtMs = rig.clock.nowMs() + 90_000;
    rig.answering = async (_text, _signal, mayStart) => {
      if (!mayStart()) throw new Failure("expired", "It was held back.", { ran: "no" });
      return "Success";
    };
    await rig.clock.advance(30_000);
    const [waiting] = await rig.runs.queue.waiting("g1");
    assert.equal(waiting?.record.text, ":unban 11");
    await look(rig, own, row(nowS(rig), ":ban alice", "Moe"));
    await rig.clock.advance(10 * 60_000);
    const lift = rig.audit.rows.get(waiting.record.id);
    assert.deepEqual([lift?.status, lift?.ran], ["cancelled", "no"]);
    assert.match(lift?.message ?? "", /They were banned again by Moe/);
    assert.equal(rig.sent.length, 1);
    assert.ok(rig.audit.log.filter(({ id }) => id === lift?.id).length <= 3);
  });

  test("an earlier one that lasts longer is said before, and a Manager decides whether it is lifted, too", async () => {
    const rig = await started();
    rig.standingBan = async ({ playerId, endsAtMs, sentAtMs }) =>
      playerId === 11 && endsAtMs - sentAtMs === HOUR_MS ? 3 : undefined;
    const actor = rig.actor("admin");
    const plan = await rig.runs.runner.plan({
      actor,
      binding,
      text: ":ban Alice spam",
      origin: "command",
      term: { lastsMs: HOUR_MS },
    });
    assert.match(plan.confirmReasons.join(), /banned for longer already: case 3/);
    await rig.runs.runner.confirmed(plan.id, actor);
    await rig.clock.advance(1_000);
    rig.standingBan = async () => 3;

    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual(states(rig), ["earlier-ban"]);
    assert.match(rig.runs.banEnds.list("g1")[0]?.end.why ?? "", /case 3/);

    await rig.runs.banEnds.letEnd(actor, plan.id);
    await rig.clock.advance(10_000);
    assert.deepEqual(sent(rig).at(-1), ":unban 11");
  });

  test("one that was lifted, revoked, is of another server or ends before is none that stands", () => {
    const ban = aCase({ number: 1, atMs: 1_000 });
    const standing = (...cases: readonly Case[]) =>
      standingBan(cases, { bindingId: "b1", untilMs: 9_000, joinedMs: 900 })?.number;
    assert.equal(standing(ban), 1);
    assert.equal(standing({ ...ban, atMs: 800 }), undefined, "they have joined since");
    assert.equal(standing(ban, aCase({ number: 2, kind: "unban", atMs: 2_000 })), undefined);
    assert.equal(standing({ ...ban, number: 3, atMs: 3_000 }, aCase({ kind: "unban", atMs: 2_000 })), 3);
    assert.equal(standing({ ...ban, revoked: { atMs: 2_000, byId: "u1" } }), undefined);
    assert.equal(standing({ ...ban, bindingId: "b2" }), undefined);
    assert.equal(standing({ ...ban, endsAtMs: 8_000 }), undefined);
    assert.equal(standing({ ...ban, endsAtMs: 10_000 }), 1);
  });

  test("one stands that was made after an un-ban, also where the clock of the machine says that it came before", () => {
    const where = { bindingId: "b1", untilMs: 900_000, joinedMs: undefined };
    // Sent by Marshal, five minutes ahead; then somebody typed the ban, by the game's clock.
    const lift = aCase({ number: 2, kind: "unban", atMs: 300_000 });
    const ban = aCase({ number: 3, atMs: 120_000 });
    assert.equal(standingBan([ban, lift], where)?.number, 3);
    assert.equal(standingBan([ban, lift, aCase({ ...lift, number: 4 })], where), undefined);
  });

  test("one is lifted only by an un-ban that surely ran, and does not stand where it surely did not", () => {
    const standing = (...cases: readonly Case[]) =>
      standingBan(cases, { bindingId: "b1", untilMs: 9_000, joinedMs: 900 })?.number;
    const receipt = (kind: "answered" | "unknown", log?: "seen" | "not-seen"): Case["receipt"] => ({
      answer: { kind, atMs: 2_000 },
      ...(log === undefined ? {} : { log }),
      left: [],
    });
    const ban = aCase({ number: 1, atMs: 1_000 });
    const lift = (of: NonNullable<Case["receipt"]>) =>
      aCase({ number: 2, kind: "unban", atMs: 2_000, receipt: of });
    for (const [of, number] of [
      [receipt("unknown", "not-seen"), 1],
      [receipt("unknown"), 1],
      [receipt("unknown", "seen"), undefined],
      [receipt("answered"), undefined],
    ] as const)
      assert.equal(standing(ban, lift(of ?? { left: [] })), number, JSON.stringify(of));
    assert.equal(standing({ ...ban, receipt: receipt("unknown", "not-seen") ?? { left: [] } }), undefined);
    assert.equal(standing({ ...ban, receipt: receipt("unknown") ?? { left: [] } }), 1);
    // A later ban that may not have run was put before a Manager, and one that did not run is none.
    const isAgain = (...cases: readonly Case[]) =>
      isBannedAgain(cases, { bindingId: "b1", origin: "run own" });
    const later = aCase({ number: 3, atMs: 3_000, origin: "run later" });
    for (const [of, isOne] of [
      [receipt("unknown", "not-seen"), false],
      [receipt("unknown"), false],
      [receipt("unknown", "seen"), true],
      [receipt("answered"), true],
    ] as const)
      assert.equal(isAgain({ ...later, receipt: of ?? { left: [] } }), isOne, JSON.stringify(of));
    assert.equal(isAgain({ ...later, origin: "run own" }, { ...later, bindingId: "b2" }), false);
    assert.equal(isAgain({ ...later, revoked: { atMs: 4_000, byId: "u1" } }), true);
  });

  test("its un-ban, once in the queue, is cancelled by a Manager and not by who set it", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.readyAtMs = rig.clock.nowMs() + 3 * HOUR_MS;
    await rig.clock.advance(HOUR_MS + 30_000);
    const [lift] = await rig.runs.queue.waiting("g1");
    assert.equal(lift?.record.text, ":unban 11");
    assert.equal((await rig.runs.queue.cancel(rig.actor("admin"), lift.record.id)).ok, false);
    assert.equal((await rig.runs.queue.cancel(rig.actor("manager"), lift.record.id)).ok, true);
    await rig.clock.advance(3 * HOUR_MS);
    assert.deepEqual(await rig.runs.queue.waiting("g1"), []);
    assert.equal(rig.sent.length, 1, "the ban");
    assert.deepEqual(states(rig), ["refused"]);
    assert.match(rig.guildNotices.join(), /Its un-ban was in the queue. Cancelled by/);
  });

  test("an un-ban ends it without a word", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own, row(nowS(rig) + 60, ":unban Alice", "Moe"));
    assert.deepEqual(states(rig), []);
    assert.deepEqual(rig.guildNotices, []);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
  });

  test("an un-ban of ours ends it before any log is read, and one from before the ban does not", async () => {
    const rig = await started();
    const unban = async () => {
      const request = {
        actor: rig.actor("admin"),
        binding,
        text: ":unban Alice",
        origin: "command",
      } as const;
      await rig.runs.runner.submit(await rig.runs.runner.plan(request));
      await rig.clock.advance(10_000);
    };
    await unban();
    const first = nowS(rig) - 10;
    await ban(rig, "Alice");
    // The log shows the first one only now.
    await look(rig, row(first, ":unban Alice"), row(nowS(rig), ":ban 11 spam"));
    assert.deepEqual(states(rig), ["armed"]);
    await rig.clock.advance(10_000);
    await unban();
    assert.deepEqual(states(rig), []);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 3);
  });

  test("one that a Manager has yet to decide about is over by a later ban as well", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own);
    await rig.runs.onUnlinked(binding);
    assert.deepEqual(states(rig), ["unlinked"]);
    await look(rig, own, row(nowS(rig) + 60, ":ban Alice", "Moe"));
    assert.deepEqual(states(rig), []);
  });

  for (const [what, by] of [
    ["a later ban", ":ban Alice"],
    ["an un-ban", ":unban Alice"],
  ] as const)
    test(`${what} counts also where the store refused to take it at first`, async () => {
      const rig = await started();
      await ban(rig, "Alice");
      const own = row(nowS(rig), ":ban 11 spam");
      await look(rig, own);
      const later = row(nowS(rig) + 60, by, "Moe");
      rig.banEndDocuments.refuseWrites = new Failure("store", "The disk is full.");
      await rig.journal.take(rig.snapshot([own, later])).catch(() => undefined);
      rig.banEndDocuments.refuseWrites = undefined;
      await rig.clock.advance(60_000);
      await look(rig, own, later);
      assert.equal(
        rig.guildNotices.filter((text) => text.includes("over Alice")).length,
        by === ":ban Alice" ? 1 : 0,
      );
      assert.deepEqual([...rig.banEndTexts.values()], []);
      // By now the log shows neither of them any more.
      rig.crash();
      await restarted(rig);
      await rig.clock.advance(2 * HOUR_MS);
      assert.deepEqual(sent(rig), [":ban 11 spam"]);
    });

  test("an un-ban of ours ends it for good, also where the store refused that at first", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.clock.advance(10_000);
    rig.banEndDocuments.refuseWrites = new Failure("store", "The disk is full.");
    const request = { actor: rig.actor("admin"), binding, text: ":unban Alice", origin: "command" } as const;
    await rig.runs.runner.submit(await rig.runs.runner.plan(request));
    await rig.clock.advance(10_000);
    assert.equal(rig.sent.length, 2);
    rig.banEndDocuments.refuseWrites = undefined;
    await rig.clock.advance(60_000);
    assert.deepEqual([...rig.banEndTexts.values()], []);
  });

  test("what the log showed before the ban is no later ban, nor is one of somebody else of that beginning", async () => {
    const rig = await started();
    const early = row(nowS(rig) - 60, ":ban Alice", "Moe");
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    rig.players = [player("Alicia", 14)];
    await look(rig, early, own, row(nowS(rig) + 60, ":ban Ali", "Moe"));
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual(sent(rig).at(-1), ":unban 11");
  });
});

describe("the un-ban", () => {
  test("is not sent again where its answer was lost; what the log shows decides", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own);
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 2);
    const unban = row(nowS(rig), ":unban 11");
    await rig.clock.advance(60_000);
    await look(rig, own, unban);
    assert.deepEqual(states(rig), []);
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 2);
  });

  test("is sent once more where the log shows that it did not run", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own);
    let asked = 0;
    rig.answering = async () => {
      asked += 1;
      if (asked === 1) throw new Failure("unreachable", "silence", { ran: "unknown" });
      return "Success";
    };
    await rig.clock.advance(HOUR_MS);
    await rig.clock.advance(45_000);
    await look(rig, own, row(nowS(rig), ":log x", "Moe"));
    await rig.clock.advance(10 * 60_000);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11", ":unban 11"]);
    assert.deepEqual(states(rig), []);
  });

  test("is left to a Manager where nothing tells", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    await rig.clock.advance(HOUR_MS + 10 * 60_000);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(states(rig), ["lift-unknown"]);
  });

  test("is not sent where rows of the log are missing since the ban", async () => {
    const rig = await started();
    const filling = (from: number, by: number) =>
      Array.from({ length: 40 }, (_, n) => row(nowS(rig) - 400 + from + n * by, `:log ${from + n}`, "Moe"));
    await look(rig, ...filling(0, 1));
    await ban(rig, "Alice");
    await rig.clock.advance(20 * 60_000);
    await look(rig, ...filling(0, 1));
    await rig.clock.advance(20 * 60_000);
    await look(rig, ...filling(200, 1));
    await rig.clock.advance(HOUR_MS);
    assert.deepEqual(states(rig), ["log-lost"]);
    assert.equal(rig.sent.length, 1);
  });

  test("is not sent again where a copy of before was put back and the log shows the un-ban", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    const own = row(nowS(rig), ":ban 11 spam");
    await look(rig, own);
    const copy = new Map(rig.banEndTexts);
    await rig.clock.advance(HOUR_MS);
    assert.deepEqual(sent(rig), [":ban 11 spam", ":unban 11"]);
    const lifted = row(nowS(rig), ":unban 11");
    for (const [key, text] of copy) rig.banEndTexts.set(key, text);
    rig.crash({ isStoreInDoubt: true });
    await restarted(rig);
    await rig.clock.advance(60_000);
    await look(rig, own, lifted);
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(states(rig), []);
  });

  test("is not sent for a server that was unlinked", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.runs.onUnlinked(binding);
    assert.deepEqual(states(rig), ["unlinked"]);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
  });

  test("is not taken back once it is being sent, or may have run: nobody reads that the player stays banned", async () => {
    const rig = await started();
    const keeps = (id: string) => rig.runs.banEnds.keepBanned(rig.actor("manager"), id);
    const tooLate = { code: "expired", message: /un-ban/ };
    const id = await ban(rig, "Alice");
    let fail = (_: Failure) => {};
    rig.answering = (_, __, mayStart) => {
      assert.ok(mayStart());
      return new Promise((___, reject) => {
        fail = reject;
      });
    };
    await rig.clock.advance(HOUR_MS);
    assert.deepEqual(sent(rig).at(-1), ":unban 11");
    await assert.rejects(keeps(id), tooLate);
    fail(new Failure("unreachable", "silence", { ran: "unknown" }));
    await rig.clock.advance(1_000);
    await assert.rejects(keeps(id), tooLate);
    await rig.clock.advance(10 * 60_000);
    assert.deepEqual(states(rig), ["lift-unknown"]);
    assert.equal((await keeps(id))?.heldFor, "lift-unknown");
    assert.deepEqual(states(rig), []);
  });

  test("is taken back while its un-ban waits", async () => {
    const rig = await started();
    const id = await ban(rig, "Alice");
    rig.readyAtMs = rig.clock.nowMs() + 3 * HOUR_MS;
    await rig.clock.advance(HOUR_MS + 30_000);
    assert.equal((await rig.runs.queue.waiting("g1")).length, 1);
    assert.equal((await rig.runs.banEnds.keepBanned(rig.actor("manager"), id))?.playerName, "Alice");
    await rig.clock.advance(4 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual(await rig.runs.queue.waiting("g1"), []);
  });

  test("that was taken back does not come back by a ban for several that is being noted", async () => {
    const rig = await started();
    await ban(rig, "Alice");
    await rig.clock.advance(10_000);
    const bobs = await ban(rig, "Bob");
    await rig.clock.advance(10_000);
    const written = Promise.withResolvers<void>();
    const set = rig.banEndDocuments.set.bind(rig.banEndDocuments);
    rig.banEndDocuments.set = async (key, end) => {
      await written.promise;
      await set(key, end);
    };
    rig.answering = async () => {
      throw new Failure("platform", "no", { ran: "no" });
    };
    const actor = rig.actor("manager");
    const plan = await rig.runs.runner.plan({ actor, binding, text: ":ban Alice,Bob", origin: "command" });
    await rig.runs.runner.confirmed(plan.id, actor);
    await rig.clock.advance(1_000);
    assert.equal((await rig.runs.banEnds.keepBanned(actor, bobs))?.playerName, "Bob");
    written.resolve();
    await rig.clock.advance(10_000);
    assert.equal(rig.sent.length, 3);
    rig.answering = async () => "Success";
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual(sent(rig).slice(3), [":unban 11"]);
  });

  test("may be taken back, and a ban that is taken back stays", async () => {
    const rig = await started();
    const id = await ban(rig, "Alice");
    assert.equal(await rig.runs.banEnds.keepBanned(rig.actor("manager", { guildId: "g2" }), id), undefined);
    assert.equal((await rig.runs.banEnds.keepBanned(rig.actor("manager"), id))?.playerName, "Alice");
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.equal(rig.banEndTexts.size, 0);
  });
});

describe("the clock", () => {
  test("set forward by days lifts nobody early; set back it lifts nobody early either", async () => {
    for (const stepMs of [72 * HOUR_MS, -72 * HOUR_MS]) {
      const rig = await started();
      await ban(rig, "Alice");
      rig.clock.step(stepMs);
      await rig.clock.advance(HOUR_MS - 60_000);
      assert.equal(rig.sent.length, 1, `${stepMs}`);
    }
  });

  test("is the game service's where that says what time it is, over a restart too", async () => {
    const rig = await started();
    await rig.journal.take({ ...rig.snapshot([]), serviceAtMs: rig.clock.nowMs() });
    await ban(rig, "Alice");
    const serviceAtMs = rig.clock.nowMs();
    rig.clock.step(72 * HOUR_MS);
    rig.crash();
    await restarted(rig);
    await rig.journal.take({ ...rig.snapshot([]), serviceAtMs });
    await rig.clock.advance(HOUR_MS - 60_000);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(2 * 60_000);
    assert.deepEqual(sent(rig).at(-1), ":unban 11");
  });
});
