import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { outcomeCard } from "../../../src/discord/render/run-cards.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { RunOutcome, SubmittedRun } from "../../../src/domain/run.ts";
import { settle } from "../../support/clock.ts";
import { textOf } from "../../support/fake-answers.ts";
import { binding, player, RunsRig, roles } from "../../support/runs-rig.ts";

async function ask(rig: RunsRig, text: string, role: keyof typeof roles = "manager"): Promise<SubmittedRun> {
  const plan = await rig.runs.runner.plan({ actor: rig.actor(role), binding, text, origin: "command" });
  return rig.runs.runner.submit(plan);
}

async function outcomeOf(rig: RunsRig, submitted: SubmittedRun): Promise<RunOutcome> {
  let outcome: RunOutcome | undefined;
  void submitted.outcome.then((one) => {
    outcome = one;
  });
  await rig.clock.until(() => outcome !== undefined);
  return submitted.outcome;
}

/** The service rejects the first call with `failure`, and answers the next ones. */
function rejectOnce(rig: RunsRig, failure: Error): void {
  let calls = 0;
  rig.answering = async () => {
    calls += 1;
    if (calls === 1) throw failure;
    return "Success";
  };
}

describe("a run and its audit row", () => {
  test("is written as waiting, as being sent before it is sent, and completed after", async () => {
    const rig = new RunsRig();
    let writtenBefore: string | undefined;
    rig.answering = async () => {
      writtenBefore = rig.audit.log.at(-1)?.status;
      return "Success";
    };
    const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
    await settle();
    assert.equal(writtenBefore, "sending");
    assert.deepEqual(
      rig.audit.log.map(({ status }) => status),
      ["waiting", "sending", "done"],
    );
    assert.equal(outcome.record.ran, "yes");
    assert.equal(outcome.record.message, "Success");
    assert.deepEqual(rig.audit.log.at(-1), outcome.record);
  });

  test("is not sent when the row cannot be written", async () => {
    const rig = new RunsRig();
    rig.audit.failure = new Error("disk full");
    await assert.rejects(ask(rig, ":h Welcome"), { name: "Failure", code: "store" });
    assert.equal(rig.sent.length, 0);
  });

  test("is not sent when the row says waiting but can no longer be written", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 1_000;
    const submitted = await ask(rig, ":h Welcome");
    rig.audit.failure = new Error("disk full");
    const outcome = await outcomeOf(rig, submitted);
    assert.equal(outcome.record.ran, "no");
    assert.equal(outcome.failure?.code, "store");
    assert.equal(rig.sent.length, 0);
  });

  test("is completed later when the store fails after the sending; the person is told at once", async () => {
    const rig = new RunsRig();
    rig.answering = async () => {
      rig.audit.failure = new Error("disk full");
      return "Success";
    };
    const submitted = await ask(rig, ":h Welcome");
    assert.equal((await outcomeOf(rig, submitted)).record.status, "done");
    assert.equal(rig.audit.rows.get(submitted.id)?.status, "sending");
    rig.audit.failure = undefined;
    await rig.clock.advance(10_000);
    assert.equal(rig.audit.rows.get(submitted.id)?.status, "done");
  });

  test("shows refusals too: who tried what", async () => {
    const rig = new RunsRig();
    await assert.rejects(ask(rig, ":ban Alice", "mod"), { code: "denied" });
    assert.equal(rig.audit.log.at(-1)?.status, "denied");
    assert.equal(rig.audit.log.at(-1)?.actorId, "u-mod");
  });

  test("counts refusals past five a person and minute, there and in the audit channel", async () => {
    const rig = new RunsRig();
    for (let n = 0; n < 50; n += 1) await assert.rejects(ask(rig, ":ban Alice", "mod"), { code: "denied" });
    assert.equal(rig.audit.log.length, 5);
    await rig.clock.advance(60_000);
    assert.equal(rig.audit.log.length, 5);
    assert.match(rig.audit.eventRows.at(-1)?.text ?? "", /^45 more times within a minute/);
  });
});

describe("permission", () => {
  test("is believed from an interaction of at most 10 s, and read anew from an older one", async () => {
    const rig = new RunsRig();
    await outcomeOf(rig, await ask(rig, ":h one"));
    assert.equal(rig.membersRead, 0);
    rig.readyAtMs = rig.clock.nowMs() + 11_000;
    const outcome = await outcomeOf(rig, await ask(rig, ":h two"));
    assert.equal(outcome.record.status, "done");
    assert.equal(rig.membersRead, 1);
  });

  test("that was withdrawn while it waited stops it", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 60_000;
    const submitted = await ask(rig, ":kill Alice", "mod");
    rig.memberRoles.set("u-mod", [roles.none]);
    const outcome = await outcomeOf(rig, submitted);
    assert.equal(outcome.record.status, "denied");
    assert.equal(outcome.record.ran, "no");
    assert.equal(rig.sent.length, 0);
  });

  test("that cannot be read anew stops it too, and nobody reads that they may not", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 60_000;
    const submitted = await ask(rig, ":h hello", "mod");
    rig.membersFailure = new Error("Discord is away");
    const outcome = await outcomeOf(rig, submitted);
    assert.equal(outcome.record.ran, "no");
    const read = textOf(outcomeCard(outcome.record));
    assert.doesNotMatch(read, /may not/);
    assert.match(read, /paused for a moment[\s\S]*could not check your roles again/);
    assert.equal(rig.sent.length, 0);
  });

  test("is checked against who is in the server when it is sent", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 30_000;
    const submitted = await ask(rig, ":kill Ali", "mod");
    rig.players = [...rig.players, player("Alister", 99, "Server Administrator")];
    const outcome = await outcomeOf(rig, submitted);
    assert.equal(outcome.record.status, "denied");
    assert.match(outcome.record.message ?? "", /Alister/);
  });

  test("for everyone is checked against who is in the server when it is sent, who may have joined since", async () => {
    const rig = new RunsRig();
    rig.setPolicy({ protectedPlayers: ["Vip"] });
    rig.readyAtMs = rig.clock.nowMs() + 30_000;
    const { runner } = rig.runs;
    const request = { actor: rig.actor("manager"), binding, text: ":kill all", origin: "command" } as const;
    const { id } = await runner.plan(request);
    const submitted = await runner.confirmed(id, request.actor, binding.name);
    // No poll has brought the lists since.
    const before = rig.snapshots.latest(binding.source);
    rig.snapshots.latest = () => before;
    rig.players = [...rig.players, player("Vip", 99)];
    const { record } = await outcomeOf(rig, submitted);
    assert.equal(record.status, "denied");
    assert.match(record.message ?? "", /Vip.* is protected/);
    assert.equal(rig.sent.length, 0);
  });

  test("for one player by name is not sent where nobody can tell who is in the server; by id it is", async () => {
    const rig = new RunsRig();
    const only = { name: "Alice", id: 11 };
    const sendUnseen = async (text: string) => {
      rig.listsKnown = true;
      rig.freshFailure = undefined;
      rig.readyAtMs = rig.clock.nowMs() + 30_000;
      const request = { actor: rig.actor("manager"), binding, text, origin: "command", only } as const;
      const { id } = await rig.runs.runner.plan(request);
      const submitted = await rig.runs.runner.confirmed(id, request.actor);
      rig.listsKnown = false;
      rig.freshFailure = new Failure("unreachable", "no route");
      return (await outcomeOf(rig, submitted)).record.status;
    };
    assert.equal(await sendUnseen(":ban Alice"), "failed");
    assert.equal(await sendUnseen(":ban 11"), "done");
    assert.equal(rig.sent.length, 1);
  });

  test("for one player is not sent to others: the answer says who left or came, and nothing of rights", async () => {
    const only = { name: "Alice", id: 11 };
    const [alice] = new RunsRig().players;
    assert.ok(alice !== undefined);
    for (const [text, players, why] of [
      [":pm Alice hello", [], "Alice left the server, so it was not sent."],
      [":kick Alice", [player("Alicent", 99)], "Alice left the server, so it was not sent."],
      [":tp Alice Bob", [alice], "Bob left the server, so it was not sent."],
      [":tp Alice Bob", [alice, player("Bobby", 13)], "Bob left the server, so it was not sent."],
      [":kick Ali", [alice, player("Alister", 99)], "By now it would hit Alister too, so it was not sent."],
      [
        ":pm Ali hi",
        [alice, player("Alister", 99)],
        "By now it would reach Alister too, so it was not sent.",
      ],
    ] as const) {
      const rig = new RunsRig();
      rig.readyAtMs = rig.clock.nowMs() + 30_000;
      const request = { actor: rig.actor("manager"), binding, text, origin: "command", only } as const;
      const plan = await rig.runs.runner.plan(request);
      const submitted =
        plan.confirm === "none"
          ? await rig.runs.runner.submit(plan)
          : await rig.runs.runner.confirmed(plan.id, request.actor);
      rig.players = players;
      const { record } = await outcomeOf(rig, submitted);
      assert.deepEqual([record.ran, record.message], ["no", why]);
      assert.equal(rig.sent.length, 0);
      const card = outcomeCard(record);
      const read = textOf(card);
      assert.match(read, /It was not sent/);
      assert.equal(read.split(/not sent/).length, 3);
      assert.doesNotMatch(read, /You can't|did not run|never sent/);
      assert.deepEqual(card.rows, []);
    }
  });

  test("that lapsed inside the gate is read again before the first byte", async () => {
    const rig = new RunsRig();
    let calls = 0;
    rig.answering = async (_text, _signal, mayStart) => {
      calls += 1;
      if (calls === 1) await rig.clock.sleep(30_000);
      if (!mayStart()) throw new Failure("expired", "not any more");
      return "Success";
    };
    const submitted = await ask(rig, ":kill Alice", "mod");
    rig.memberRoles.set("u-mod", []);
    assert.equal((await outcomeOf(rig, submitted)).record.status, "denied");
  });
});

describe("confirmation", () => {
  test("is needed for bans, by who asked, once, within a minute", async () => {
    const rig = new RunsRig();
    const { runner } = rig.runs;
    const request = { actor: rig.actor("manager"), binding, text: ":ban Alice", origin: "command" } as const;
    const plan = await runner.plan(request);
    assert.equal(plan.confirm, "button");
    await assert.rejects(runner.submit(plan), { code: "denied" });
    await assert.rejects(runner.confirmed(plan.id, rig.actor("admin")), { code: "denied" });
    const submitted = await runner.confirmed(plan.id, rig.actor("manager"));
    await assert.rejects(runner.confirmed(plan.id, rig.actor("manager")), { code: "expired" });
    assert.equal((await outcomeOf(rig, submitted)).record.status, "done");
    const late = await runner.plan(request);
    await rig.clock.advance(60_001);
    await assert.rejects(runner.confirmed(late.id, rig.actor("manager")), { code: "expired" });
    assert.equal(rig.sent.length, 1);
  });

  test("of a mass target needs the server's name", async () => {
    const rig = new RunsRig();
    const { runner } = rig.runs;
    const plan = await runner.plan({
      actor: rig.actor("manager"),
      binding,
      text: ":kill all",
      origin: "command",
    });
    assert.equal(plan.confirm, "name");
    await assert.rejects(runner.confirmed(plan.id, rig.actor("manager")), { code: "bad-command" });
    await assert.rejects(runner.confirmed(plan.id, rig.actor("manager"), "Liberty"), { code: "bad-command" });
    await runner.confirmed(plan.id, rig.actor("manager"), " liberty  COUNTY ");
  });

  test("counts for nothing when the role went meanwhile", async () => {
    const rig = new RunsRig();
    const { runner } = rig.runs;
    const plan = await runner.plan({
      actor: rig.actor("admin"),
      binding,
      text: ":ban Alice",
      origin: "command",
    });
    const demoted = rig.actor("admin", { roleIds: [roles.mod] });
    await assert.rejects(runner.confirmed(plan.id, demoted), { code: "denied" });
    assert.equal(rig.sent.length, 0);
  });

  test("is asked for when the same text was sent lately with an unknown outcome", async () => {
    const rig = new RunsRig();
    rejectOnce(rig, new Failure("unreachable", "no answer", { ran: "unknown" }));
    const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
    assert.equal(outcome.record.status, "unknown");
    await settle();
    const plan = await rig.runs.runner.plan({
      actor: rig.actor("manager"),
      binding,
      text: ":h Welcome",
      origin: "button",
    });
    assert.equal(plan.confirm, "button");
    assert.match(plan.confirmReasons.join(), /may have run/);
  });

  test("is for the plan that was made here: one that was changed or made up is not sent", async () => {
    const rig = new RunsRig();
    const plan = await rig.runs.runner.plan({
      actor: rig.actor("mod"),
      binding,
      text: ":h hello",
      origin: "command",
    });
    const forged = { ...plan, request: { ...plan.request, text: ":shutdown" } };
    await outcomeOf(rig, await rig.runs.runner.submit(forged));
    assert.deepEqual(
      rig.sent.map(({ text }) => text),
      [":h hello"],
    );
    await assert.rejects(rig.runs.runner.submit(plan), { code: "expired" });
  });
});

describe("the outcome", () => {
  const cases: readonly (readonly [string, Failure, string, string])[] = [
    ["400", new Failure("bad-command", "no"), "failed", "no"],
    ["403", new Failure("key-rejected", "no"), "failed", "no"],
    ["4000", new Failure("not-authorised", "no", { serviceCode: 4000 }), "failed", "no"],
    ["422", new Failure("server-empty", "offline", { commandId: "x1" }), "failed", "no"],
    ["500", new Failure("platform", "hm", { ran: "unknown", commandId: "x2" }), "unknown", "unknown"],
    ["silence", new Failure("unreachable", "timeout", { ran: "unknown" }), "unknown", "unknown"],
    ["refused before any byte left", new Failure("unreachable", "refused"), "failed", "no"],
  ];
  for (const [name, failure, status, ran] of cases) {
    test(`${name}: ${status}, ran ${ran}, sent once`, async () => {
      const rig = new RunsRig();
      rejectOnce(rig, failure);
      const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
      await rig.clock.advance(20 * 60_000);
      assert.equal(outcome.record.status, status);
      assert.equal(outcome.record.ran, ran);
      assert.equal(outcome.record.commandId, failure.commandId);
      assert.equal(outcome.record.failureCode, failure.code);
      assert.equal(rig.sent.length, 1);
      assert.deepEqual([...rig.metrics.sums], [[`marshal_runs_total outcome=${ran}`, 1]]);
    });
  }

  test("a defect while it is sent: unknown, reported, sent once", async () => {
    const rig = new RunsRig();
    rejectOnce(rig, new TypeError("oops"));
    const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
    assert.equal(outcome.record.status, "unknown");
    assert.equal(rig.sent.length, 1);
    assert.equal(rig.reports.length, 1);
  });

  test("429: it waits on, with the time, and is sent once it may be", async () => {
    const rig = new RunsRig();
    const retryAtMs = rig.clock.nowMs() + 40_000;
    rejectOnce(rig, new Failure("rate-limited", "wait", { retryAtMs }));
    const submitted = await ask(rig, ":h Welcome");
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { place, expectedAtMs, record } of submitted.progress()) {
        if (place === 1 && record.status === "waiting") seen.push(expectedAtMs);
      }
    })();
    rig.haltUntilMs = retryAtMs;
    const outcome = await outcomeOf(rig, submitted);
    await reading;
    assert.equal(outcome.record.status, "done");
    assert.deepEqual(
      rig.sent.map(({ atMs }) => atMs - retryAtMs),
      [-40_000, 0],
    );
    assert.equal(seen.at(-1), retryAtMs);
    assert.deepEqual(
      rig.audit.log.map(({ status }) => status),
      ["waiting", "sending", "waiting", "sending", "done"],
    );
  });

  test("a block that outlasts it ends it at once, with the time", async () => {
    const rig = new RunsRig();
    const retryAtMs = rig.clock.nowMs() + 3 * 3_600_000;
    rejectOnce(rig, new Failure("blocked", "blocked", { retryAtMs }));
    const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
    assert.equal(outcome.record.status, "failed");
    assert.equal(outcome.failure?.retryAtMs, retryAtMs);
  });
});

describe("the queue", () => {
  test("says that the service asked to wait only until that time, not until a request has shown that it is over", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 10_000;
    rig.haltUntilMs = rig.clock.nowMs() + 5_000;
    const submitted = await ask(rig, ":h one");
    const heldBy = async () => (await rig.runs.queue.waiting("g1")).map((run) => run.heldBy);
    assert.deepEqual(await heldBy(), ["rate-limited"]);
    await rig.clock.advance(6_000);
    assert.deepEqual(await heldBy(), [undefined]);
    await outcomeOf(rig, submitted);
  });

  test("sends in order, one window after the answer before, and tells each its place", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 1_000;
    const texts = [":h one", ":h two", ":h three"];
    const tickets = [];
    for (const text of texts) tickets.push(await ask(rig, text));
    const waiting = await rig.runs.queue.waiting("g1");
    assert.deepEqual(
      waiting.map(({ place, record }) => [place, record.text]),
      texts.map((text, index) => [index + 1, text]),
    );
    assert.deepEqual(
      waiting.map(({ expectedAtMs }) => expectedAtMs - rig.clock.nowMs()),
      [1_000, 6_000, 11_000],
    );
    await Promise.all(tickets.map((submitted) => outcomeOf(rig, submitted)));
    assert.deepEqual(
      rig.sent.map(({ text }) => text),
      texts,
    );
    for (const [index, { atMs }] of rig.sent.entries()) {
      const before = rig.sent[index - 1];
      if (before !== undefined) assert.ok(atMs - before.atMs >= rig.windowMs);
    }
  });

  test("expires what waited for 10 minutes, unsent", async () => {
    const rig = new RunsRig();
    rig.haltUntilMs = rig.clock.nowMs() + 3_600_000;
    const submitted = await ask(rig, ":h Welcome");
    const startMs = rig.clock.nowMs();
    const outcome = await outcomeOf(rig, submitted);
    assert.equal(outcome.record.status, "expired");
    assert.equal(rig.clock.nowMs() - startMs, 600_000);
    await rig.clock.advance(2 * 3_600_000);
    assert.equal(rig.sent.length, 0);
  });

  test("aborts what the gate still holds after 10 minutes", async () => {
    const rig = new RunsRig();
    rig.answering = (_text, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(new Failure("expired", "aborted")), { once: true }),
      );
    const outcome = await outcomeOf(rig, await ask(rig, ":h Welcome"));
    assert.equal(outcome.record.status, "expired");
    assert.equal(outcome.record.ran, "no");
  });

  test("lets people cancel their own runs, a Manager any, and nobody one that is being sent", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 60_000;
    const first = await ask(rig, ":h first", "mod");
    const second = await ask(rig, ":h second", "mod");
    const third = await ask(rig, ":h third", "mod");
    const { queue } = rig.runs;
    assert.equal((await queue.cancel(rig.actor("admin"), first.id)).ok, false);
    assert.equal((await queue.cancel(rig.actor("mod"), first.id)).ok, true);
    assert.equal((await queue.cancel(rig.actor("manager"), second.id)).ok, true);
    assert.equal((await first.outcome).record.status, "cancelled");
    const silence = Promise.withResolvers<string>();
    rig.answering = () => silence.promise;
    await rig.clock.until(() => rig.sent.length === 1);
    assert.equal((await queue.cancel(rig.actor("mod"), third.id)).ok, false);
    silence.resolve("Success");
    assert.equal((await outcomeOf(rig, third)).record.status, "done");
    assert.deepEqual(
      rig.sent.map(({ text }) => text),
      [":h third"],
    );
  });

  test("is bounded", async () => {
    const rig = new RunsRig();
    rig.haltUntilMs = rig.clock.nowMs() + 60_000;
    for (let index = 0; index < 50; index++) await ask(rig, `:h ${index}`);
    await assert.rejects(ask(rig, ":h one too many"), { code: "queue-full" });
    assert.equal((await rig.runs.queue.waiting("g1")).length, 50);
    await rig.runs.stop(1_000);
  });

  test("lets people go before automation", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 20_000;
    const { runner } = rig.runs;
    const plan = await runner.plan({
      actor: rig.actor("mod"),
      binding,
      text: ":h auto",
      origin: "on-join",
    });
    const auto = await runner.submit(plan);
    await rig.clock.advance(1_000);
    const person = await ask(rig, ":h person", "mod");
    await Promise.all([outcomeOf(rig, auto), outcomeOf(rig, person)]);
    assert.deepEqual(
      rig.sent.map(({ text }) => text),
      [":h person", ":h auto"],
    );
  });

  test("sends one at a time where two guilds link the same server", async () => {
    const rig = new RunsRig();
    const other = { ...binding, id: "b2", guildId: "g2" };
    rig.linked = [binding, other];
    rig.setPolicy({}, "b2", "g2");
    let underWay = 0;
    let most = 0;
    rig.answering = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await rig.clock.sleep(3_000);
      underWay -= 1;
      return "Success";
    };
    const mine = await ask(rig, ":h mine");
    const plan = await rig.runs.runner.plan({
      actor: rig.actor("manager", { guildId: "g2", userId: "u2" }),
      binding: other,
      text: ":h theirs",
      origin: "command",
    });
    const theirs = await rig.runs.runner.submit(plan);
    await Promise.all([outcomeOf(rig, mine), outcomeOf(rig, theirs)]);
    assert.equal(most, 1);
    assert.equal(rig.sent.length, 2);
  });
});

describe("what happens in between", () => {
  test("the server is unlinked: what waits ends unsent, and plans are void", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 60_000;
    const submitted = await ask(rig, ":h Welcome");
    const plan = await rig.runs.runner.plan({
      actor: rig.actor("manager"),
      binding,
      text: ":h later",
      origin: "command",
    });
    rig.linked = [];
    await rig.runs.onUnlinked(binding);
    const outcome = await submitted.outcome;
    assert.equal(outcome.record.status, "cancelled");
    assert.equal(outcome.failure?.code, "not-linked");
    await assert.rejects(rig.runs.runner.submit(plan), { code: "expired" });
    await rig.clock.advance(120_000);
    assert.equal(rig.sent.length, 0);
  });

  test("another process unlinked it: the check at sending finds that", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 5_000;
    const submitted = await ask(rig, ":h Welcome");
    rig.linked = [];
    assert.equal((await outcomeOf(rig, submitted)).failure?.code, "not-linked");
    assert.equal(rig.sent.length, 0);
  });

  test("the key is parked: what waits ends unsent, and nothing new is taken", async () => {
    const rig = new RunsRig();
    rig.readyAtMs = rig.clock.nowMs() + 60_000;
    const submitted = await ask(rig, ":h Welcome");
    rig.parkedWhy = "The key was regenerated.";
    rig.runs.onKeyParked(binding.source);
    assert.equal((await submitted.outcome).failure?.code, "key-rejected");
    await assert.rejects(ask(rig, ":h again"), { code: "key-rejected" });
    assert.equal(rig.sent.length, 0);
    const shown = [...rig.audit.rows.values()].map(({ text, status, failureCode }) => [
      text,
      status,
      failureCode,
    ]);
    assert.deepEqual(shown, [
      [":h Welcome", "failed", "key-rejected"],
      [":h again", "failed", "key-rejected"],
    ]);
  });

  test("shutdown: a run that is being sent is finished, a waiting one ends with its answer, none is accepted", async () => {
    const rig = new RunsRig();
    const silence = Promise.withResolvers<string>();
    rig.answering = () => silence.promise;
    const sending = await ask(rig, ":h sending");
    await settle();
    const waiting = await ask(rig, ":h waiting");
    const stopped = rig.runs.stop(10_000);
    assert.equal((await waiting.outcome).record.status, "expired");
    await assert.rejects(ask(rig, ":h late"), { code: "expired" });
    silence.resolve("Success");
    assert.equal((await sending.outcome).record.status, "done");
    await stopped;
    assert.equal(rig.audit.rows.get(sending.id)?.status, "done");
    assert.equal(rig.sent.length, 1);
    assert.equal(rig.clock.pending, 0);
  });

  test("shutdown does not wait beyond its deadline: what then has no answer is unknown, what was held is unsent", async () => {
    for (const [ran, status] of [
      ["unknown", "unknown"],
      ["no", "expired"],
    ] as const) {
      const rig = new RunsRig();
      rig.answering = (_text, signal) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(new Failure("expired", "aborted", { ran }))),
        );
      const submitted = await ask(rig, ":h Welcome");
      await settle();
      let stopped = false;
      void rig.runs.stop(10_000).then(() => {
        stopped = true;
      });
      await rig.clock.until(() => stopped, 10_000);
      assert.equal(rig.audit.rows.get(submitted.id)?.status, status);
      assert.equal((await submitted.outcome).record.ran, ran);
    }
  });

  test("shutdown leaves a run whose client never lets go to the next start", async () => {
    const rig = new RunsRig();
    rig.answering = () => new Promise(() => undefined);
    const submitted = await ask(rig, ":h Welcome");
    await settle();
    let stopped = false;
    void rig.runs.stop(10_000).then(() => {
      stopped = true;
    });
    await rig.clock.until(() => stopped, 10_000);
    assert.equal(rig.audit.rows.get(submitted.id)?.status, "sending");
  });

  test("a crash: a run that was being sent is unknown and looked for in the log, a waiting one ends with its answer", async () => {
    const rig = new RunsRig();
    rig.answering = () => new Promise(() => undefined);
    const sending = await ask(rig, ":h sending");
    await settle();
    const waiting = await ask(rig, ":h waiting", "mod");
    rig.crash();
    await rig.runs.start();
    assert.equal(rig.audit.rows.get(sending.id)?.status, "unknown");
    assert.equal(rig.audit.rows.get(waiting.id)?.status, "expired");
    assert.deepEqual(
      rig.told.map(({ userId }) => userId),
      ["u-manager", "u-mod"],
    );
    assert.ok(rig.demandsPut.has(`runs-proof:${binding.source}`));
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    const row = { name: "Remote Server" };
    const atS = Math.floor((rig.audit.rows.get(sending.id)?.sentAtMs ?? 0) / 1000) + 1;
    await rig.journal.take(rig.snapshot([{ kind: "command", atS, player: row, text: ":h sending" }]));
    assert.equal(rig.audit.rows.get(sending.id)?.proof, "seen");
    await rig.runs.stop(0);
  });

  test("a crash that set the store back: what it calls waiting may have been sent, so it is unknown too", async () => {
    const rig = new RunsRig();
    rig.answering = () => new Promise(() => undefined);
    await ask(rig, ":h sending");
    await settle();
    const waiting = await ask(rig, ":h waiting", "mod");
    rig.crash({ isStoreInDoubt: true });
    await rig.runs.start();
    assert.equal(rig.audit.rows.get(waiting.id)?.status, "unknown");
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });
});
