import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { CommandEntry, SourceId } from "../../../src/domain/model.ts";
import { openAnswerId } from "../../../src/domain/open-answer.ts";
import { settle } from "../../support/clock.ts";
import { textOf } from "../../support/fake-answers.ts";
import { binding, RunsRig } from "../../support/runs-rig.ts";

const remote = (atS: number, text: string): CommandEntry => ({
  kind: "command",
  atS,
  player: { name: "Remote Server" },
  text,
});
const typed = (atS: number, text: string): CommandEntry => ({
  ...remote(atS, text),
  player: { name: "Moe", id: 22 },
});

async function send(rig: RunsRig, text: string): Promise<{ readonly id: string; readonly atS: number }> {
  const plan = await rig.runs.runner.plan({
    actor: rig.actor("manager"),
    binding,
    text,
    origin: "command",
  });
  const submitted = await rig.runs.runner.submit(plan);
  await rig.clock.until(() => (rig.audit.rows.get(submitted.id)?.status ?? "waiting") !== "waiting");
  await settle();
  return { id: submitted.id, atS: Math.floor((rig.audit.rows.get(submitted.id)?.sentAtMs ?? 0) / 1000) };
}

describe("proof", () => {
  test("asks for the log after a run until its row is there", async () => {
    const rig = new RunsRig();
    const { id, atS } = await send(rig, ":h hi");
    const [demand] = rig.demandsPut.get(`runs-proof:${binding.source}`) ?? [];
    assert.deepEqual(demand?.lists, ["commandLogs"]);
    assert.ok((demand?.untilMs ?? 0) > rig.clock.nowMs());
    await rig.journal.take(rig.snapshot([typed(atS - 5, ":h hi")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "unchecked");
    await rig.journal.take(rig.snapshot([typed(atS - 5, ":h hi"), remote(atS, ":h hi")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "seen");
    assert.equal(rig.demandsPut.has(`runs-proof:${binding.source}`), false);
    await rig.runs.stop(0);
  });

  test("stops asking after a while, and concludes nothing from a log that starts later", async () => {
    const rig = new RunsRig();
    const { id, atS } = await send(rig, ":h hi");
    await rig.clock.advance(100_000);
    await rig.journal.take(rig.snapshot([typed(atS + 80, ":log x")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "unchecked");
    assert.equal(rig.demandsPut.size, 0);
  });

  test("finds an unknown run in the log, or misses it; the outcome itself stays unknown", async () => {
    const rig = new RunsRig();
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    const { id, atS } = await send(rig, ":h hi");
    await rig.clock.advance(60_000);
    await rig.journal.take(rig.snapshot([typed(atS - 60, ":log a"), typed(atS + 60, ":log b")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "not-seen");
    await rig.journal.take(rig.snapshot([remote(atS + 2, ":h hi")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "seen");
    assert.equal(rig.audit.rows.get(id)?.ran, "unknown");
    await rig.journal.take(rig.snapshot([remote(atS + 2, ":h hi"), remote(atS + 3, ":h hi")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "seen-twice");
  });

  test("reads the log again for a run of long ago that somebody asks for, of which newer rows alone tell", async () => {
    const rig = new RunsRig();
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    const { id, atS } = await send(rig, ":h hi");
    await rig.clock.advance(600_000);
    const log = [typed(atS - 60, ":log a"), typed(atS + 595, ":log b")];
    await rig.journal.take(rig.snapshot(log.slice(0, 1)));
    await rig.journal.take(rig.snapshot(log));
    const record = rig.audit.rows.get(id);
    assert.equal(record?.proof, "unchecked");
    assert.ok(record !== undefined);
    rig.runs.runner.seek(record);
    assert.ok(rig.demandsPut.has(`runs-proof:${binding.source}`));
    await rig.journal.take(rig.snapshot(log));
    assert.equal(rig.audit.rows.get(id)?.proof, "not-seen");
    await rig.runs.stop(0);
  });

  for (const [what, behindS, isSetRight] of [
    ["behind the service's", 90, false],
    ["ahead of the service's", -90, false],
    ["behind, and set right meanwhile", 90, true],
  ] as const)
    test(`finds a run by the service's time where the clock of this machine is ${what}`, async () => {
      const rig = new RunsRig();
      rig.answering = async () => {
        throw new Failure("unreachable", "silence", { ran: "unknown" });
      };
      const aheadMs = behindS * 1_000 - rig.clock.monotonicMs() + rig.clock.nowMs();
      const look = (rows: readonly CommandEntry[]) =>
        rig.journal.take({ ...rig.snapshot(rows), serviceAtMs: aheadMs + rig.clock.monotonicMs() });
      const old = typed(Math.floor(rig.clock.nowMs() / 1_000) + behindS - 60, ":log a");
      await look([old]);
      const ran = await send(rig, ":h hi");
      const lost = await send(rig, ":h lost");
      if (isSetRight) rig.clock.step(behindS * 1_000);
      await rig.clock.advance(60_000);
      const log = [old, remote(ran.atS + behindS, ":h hi"), typed(lost.atS + behindS + 60, ":log b")];
      await look(log);
      assert.equal(rig.audit.rows.get(ran.id)?.proof, "seen");
      assert.equal(rig.audit.rows.get(lost.id)?.proof, "not-seen");
      assert.deepEqual(rig.audit.eventRows, []);
    });

  test("reports what was run outside this bot once, over a restart too; not what stood there at first sight", async () => {
    const rig = new RunsRig();
    const atS = Math.floor(rig.clock.nowMs() / 1000);
    const old = remote(atS - 100, ":kill all");
    await rig.journal.take(rig.snapshot([old]));
    assert.deepEqual(rig.audit.eventRows, []);
    const log = [old, remote(atS, ":ban Bob"), typed(atS, ":ban Alice")];
    await rig.journal.take(rig.snapshot(log));
    await rig.journal.take(rig.snapshot(log));
    rig.crash();
    await rig.journal.take(rig.snapshot(log));
    assert.deepEqual(
      rig.audit.eventRows.map(({ action, text, guildId }) => [action, text, guildId]),
      [["outside-run", "Liberty County: :ban Bob", "g1"]],
    );
  });

  test("calls none foreign that may be its own, since the store was put back from a copy; what comes later it does", async () => {
    const rig = new RunsRig();
    const atS = Math.floor(rig.clock.nowMs() / 1000);
    await rig.journal.take(rig.snapshot([]));
    const told: string[] = [];
    rig.crash({ isStoreInDoubt: true });
    rig.runs.listenOutside(async (_, rows) => void told.push(...rows.map(({ text }) => text)));
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Bob")]));
    await rig.clock.advance(60_000);
    await rig.journal.take(rig.snapshot([remote(atS + 60, ":ban Alice"), remote(atS, ":ban Bob")]));
    assert.deepEqual(
      rig.audit.eventRows.map(({ action, text }) => [action, text]),
      [
        ["unsure-run", "Liberty County: :ban Bob"],
        ["outside-run", "Liberty County: :ban Alice"],
      ],
    );
    assert.deepEqual(told, [":ban Alice"]);
  });

  test("knows its own run that was sent with the key before: it is proved, and not reported as run outside", async () => {
    const rig = new RunsRig();
    const source = "b".repeat(64) as SourceId;
    const before = remote(Math.floor(rig.clock.nowMs() / 1000) - 100, ":h old");
    await rig.journal.take(rig.snapshot([before]));
    const { id, atS } = await send(rig, ":h hi");
    rig.linked = [{ ...binding, source }];
    rig.runs.onReplaced(binding.source, source);
    await rig.journal.replaced(binding.source, source);
    assert.ok(rig.demandsPut.has(`runs-proof:${source}`));
    const log = [before, remote(atS, ":h hi"), remote(atS, ":ban Bob")];
    await rig.journal.take({ ...rig.snapshot(log), source });
    assert.equal(rig.audit.rows.get(id)?.proof, "seen");
    assert.deepEqual(
      rig.audit.eventRows.map(({ text }) => text),
      ["Liberty County: :ban Bob"],
    );
    await rig.runs.stop(0);
  });

  test("reports another row of the same second that comes a look later", async () => {
    const rig = new RunsRig();
    const atS = Math.floor(rig.clock.nowMs() / 1000);
    await rig.journal.take(rig.snapshot([]));
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Bob")]));
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Alice"), remote(atS, ":ban Bob")]));
    await rig.journal.take(
      rig.snapshot([remote(atS, ":ban Bob"), remote(atS, ":ban Alice"), remote(atS, ":ban Bob")]),
    );
    assert.deepEqual(
      rig.audit.eventRows.map(({ text }) => text),
      ["Liberty County: :ban Bob", "Liberty County: :ban Alice", "Liberty County: :ban Bob"],
    );
  });

  test("reports a row that could not be written with the next answer, once, although newer ones stand before it since", async () => {
    const rig = new RunsRig();
    rig.settingsOf.set("g1", { ...DEFAULT_SETTINGS, auditChannelId: "audit" });
    const atS = Math.floor(rig.clock.nowMs() / 1000);
    await rig.journal.take(rig.snapshot([]));
    const { audit } = rig;
    const event = audit.event.bind(audit);
    audit.event = () => Promise.reject(new Error("the disk is full"));
    await assert.rejects(rig.journal.take(rig.snapshot([remote(atS, ":ban Bob")])));
    audit.event = event;
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Alice"), remote(atS, ":ban Bob")]));
    await settle();
    assert.deepEqual(
      rig.audit.eventRows.map(({ text }) => text),
      ["Liberty County: :ban Bob", "Liberty County: :ban Alice"],
    );
    assert.deepEqual(
      rig.posts.flatMap(({ message }) => message.content?.split("\n") ?? []),
      ["event outside-run Liberty County: :ban Bob", "event outside-run Liberty County: :ban Alice"],
    );
  });

  test("reports a row once, also when the process is killed right after", async () => {
    const rig = new RunsRig();
    rig.settingsOf.set("g1", { ...DEFAULT_SETTINGS, auditChannelId: "audit" });
    const atS = Math.floor(rig.clock.nowMs() / 1000);
    await rig.journal.take(rig.snapshot([]));
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Bob")]));
    await settle();
    rig.crash();
    await rig.journal.take(rig.snapshot([remote(atS, ":ban Bob")]));
    await settle();
    assert.deepEqual(
      rig.posts.map(({ message }) => message.content),
      ["event outside-run Liberty County: :ban Bob"],
    );
  });

  test("does not call its own runs foreign, nor those of another guild of the same server", async () => {
    const rig = new RunsRig();
    const other = { ...binding, id: "b2", guildId: "g2" };
    rig.linked = [binding, other];
    await rig.journal.take(rig.snapshot([]));
    const { atS } = await send(rig, ":h mine");
    const [mine] = rig.audit.rows.values();
    assert.ok(mine !== undefined);
    await rig.audit.put({ ...mine, id: "theirs", guildId: "g2", bindingId: "b2", text: ":h theirs" });
    await rig.journal.take(rig.snapshot([remote(atS, ":h mine"), remote(atS, ":h theirs")]));
    assert.deepEqual(rig.audit.eventRows, []);
    assert.equal(rig.audit.rows.get("theirs")?.proof, "seen");
    await rig.runs.stop(0);
  });
});

describe("proof after a kill", () => {
  const placeOf = (rig: RunsRig, token: string) => ({
    applicationId: "a",
    token,
    untilMs: rig.clock.nowMs() + 600_000,
  });
  const says = (proof: string) => `answer unknown :h hi ${proof}`;

  /** The process was killed while the command was under way; the next one has begun. */
  async function killed(rig: RunsRig) {
    rig.answering = () => new Promise(() => undefined);
    const run = await send(rig, ":h hi");
    await rig.runAnswers.remember({ guildId: "g1", runId: run.id }, placeOf(rig, "t"));
    rig.crash();
    return run;
  }
  const answers = (rig: RunsRig) => rig.edits.map(({ content }) => content);

  test("an answer says what the log shows, also where another process of that server wrote it down first", async () => {
    const rig = new RunsRig();
    const { id, atS } = await killed(rig);
    const heard: string[] = [];
    rig.runs.listen(({ proof }) => heard.push(proof));
    await rig.runs.start();
    await settle();
    const row = rig.audit.rows.get(id);
    assert.ok(row !== undefined);
    await rig.audit.put({ ...row, proof: "seen" });
    const log = rig.snapshot([remote(atS, ":h hi")]);
    await rig.journal.take(log);
    await rig.journal.take(log);
    await settle();
    assert.deepEqual(
      [answers(rig), heard],
      [
        [says("unchecked"), says("seen")],
        ["unchecked", "seen"],
      ],
    );
    assert.equal(rig.demandsPut.has(`runs-proof:${binding.source}`), false);
    await rig.runs.stop(0);
  });

  test("what the log shows while Discord takes no answers yet stands in the answer", async () => {
    const open = Promise.withResolvers<void>();
    const edits: string[] = [];
    const edit = async (body: MessageBody) => {
      await open.promise;
      edits.push(textOf(body));
    };
    const rig = new RunsRig({
      lateAnswers: {
        edit: (_, body) => edit(body).then(() => "edited" as const),
        replaceThinking: (_, body) => edit(body),
      },
    });
    const { atS } = await killed(rig);
    for (let n = 0; n < 20; n++)
      await rig.runAnswers.remember(
        { guildId: "g1", runId: openAnswerId(String(n), { mayRun: false }) },
        placeOf(rig, `t${n}`),
      );
    await rig.runs.start();
    await settle();
    await rig.journal.take(rig.snapshot([remote(atS, ":h hi")]));
    open.resolve();
    await settle();
    assert.deepEqual(
      edits.filter((text) => text !== "restarted"),
      [says("unchecked"), says("seen")],
    );
    await rig.runs.stop(0);
  });
});

describe("refusals beside sent runs", () => {
  async function refuse(rig: RunsRig, times: number): Promise<void> {
    const actor = rig.actor("none");
    for (let count = 0; count < times; count += 1) {
      const plan = await rig.runs.runner.plan({ actor, binding, text: ":h hi", origin: "command" });
      await assert.rejects(rig.runs.runner.submit(plan), { code: "denied" });
    }
  }

  test("400 of them leave a sent run provable, and another guild of that server is not affected", async () => {
    const rig = new RunsRig();
    rig.linked = [binding, { ...binding, id: "b2", guildId: "g2" }];
    await rig.journal.take(rig.snapshot([]));
    const { id, atS } = await send(rig, ":h hi");
    await refuse(rig, 400);
    await rig.journal.take(rig.snapshot([remote(atS, ":h hi")]));
    assert.equal(rig.audit.rows.get(id)?.proof, "seen");
    assert.deepEqual(rig.audit.eventRows, []);
    await rig.runs.stop(0);
  });

  test("400 of them do not erase the warning of an unknown outcome; other guilds are not warned of it", async () => {
    const rig = new RunsRig();
    rig.answering = async () => {
      throw new Failure("unreachable", "silence", { ran: "unknown" });
    };
    await send(rig, ":h hi");
    await refuse(rig, 400);
    const again = { actor: rig.actor("manager"), binding, text: ":h hi", origin: "command" } as const;
    assert.match((await rig.runs.runner.plan(again)).confirmReasons.join(" "), /may have run/);
    const other = { ...binding, id: "b2", guildId: "g2" };
    rig.setPolicy({}, "b2", "g2");
    const theirs = { ...again, actor: rig.actor("manager", { guildId: "g2" }), binding: other };
    assert.deepEqual((await rig.runs.runner.plan(theirs)).confirmReasons, []);
    await rig.runs.stop(0);
  });

  test("a run accounts for its row also once its guild has unlinked the server", async () => {
    const rig = new RunsRig();
    const other = { ...binding, id: "b2", guildId: "g2" };
    rig.linked = [binding, other];
    await rig.journal.take(rig.snapshot([]));
    const { atS } = await send(rig, ":h hi");
    rig.linked = [other];
    await rig.journal.take(rig.snapshot([remote(atS, ":h hi")]));
    assert.deepEqual(rig.audit.eventRows, []);
    await rig.runs.stop(0);
  });
});

describe("the audit channel", () => {
  test("mirrors each outcome and event in order, and has the log watched for commands of others", async () => {
    const rig = new RunsRig();
    const settings = rig.settingsOf.get("g1") ?? DEFAULT_SETTINGS;
    rig.settingsOf.set("g1", { ...settings, auditChannelId: "audit" });
    await rig.runs.start();
    assert.ok(rig.demandsPut.has("runs-outside:g1"));
    const { atS } = await send(rig, ":h hi");
    await rig.journal.take(rig.snapshot([]));
    await rig.journal.take(rig.snapshot([remote(atS, ":h hi"), remote(atS, ":kill all")]));
    await settle();
    assert.deepEqual(
      rig.posts.map(({ channelId, message }) => `${channelId} ${message.content}`),
      ["audit row done :h hi unchecked", "audit event outside-run Liberty County: :kill all"],
    );
    rig.settingsOf.set("g1", settings);
    await rig.runs.audit.event({
      id: "e",
      guildId: "g1",
      atMs: 0,
      actorId: "u",
      actorName: "u",
      action: "audit-channel",
      text: "off",
    });
    await settle();
    assert.equal(rig.demandsPut.has("runs-outside:g1"), false);
    assert.equal(rig.posts.length, 2);
    await rig.runs.stop(0);
    assert.equal(rig.clock.pending, 0);
  });

  test("removes rows that are older than the guild keeps them", async () => {
    const rig = new RunsRig();
    await rig.runs.start();
    await send(rig, ":h old");
    await rig.clock.advance(91 * 24 * 3_600_000);
    assert.equal(rig.audit.rows.size, 0);
    await rig.runs.stop(0);
  });
});
