import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import type { NewSchedule } from "../../../src/domain/ports/schedules.ts";
import { ruleOf } from "../../../src/domain/schedule.ts";
import { settle } from "../../support/clock.ts";
import { binding, RunsRig, roles } from "../../support/runs-rig.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const wanted = (
  text = ":h Welcome",
  when = "every 30 min",
  more: Partial<NewSchedule> = {},
): NewSchedule => ({
  binding,
  what: { kind: "text", text },
  rule: ruleOf(when),
  onlyWithPlayers: false,
  ...more,
});

/** Schedules run, as in a process that has just started; the clock shows 00:00 UTC. */
async function startedRig(): Promise<RunsRig> {
  const rig = new RunsRig();
  await rig.runs.start();
  rig.runs.beginSchedules();
  return rig;
}

const add = (rig: RunsRig, ...of: Parameters<typeof wanted>) =>
  rig.runs.schedules.add(rig.actor("manager"), wanted(...of));
const lastOf = async (rig: RunsRig) => (await rig.runs.schedules.list("g1"))[0]?.last;
const sentAt = (rig: RunsRig) =>
  rig.sent.map(({ text, atMs }) => `${text} ${new Date(atMs).toISOString().slice(11, 16)}`);
async function start(rig: RunsRig): Promise<void> {
  await rig.runs.start();
  rig.runs.beginSchedules();
}

describe("a schedule", () => {
  test("is not sent where automatic commands are paused while it waits", async () => {
    const rig = await startedRig();
    await add(rig, ":h Welcome", "every 30 min");
    rig.haltUntilMs = rig.clock.nowMs() + 31 * MINUTE_MS;
    await rig.clock.advance(30 * MINUTE_MS + 10_000);
    const automaticPause = { byId: "u1", atMs: rig.clock.nowMs() };
    await rig.settings.change("g1", (settings) => ({ ...settings, automaticPause }));
    rig.haltUntilMs = undefined;
    await rig.clock.advance(5 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), []);
  });

  test("runs at its times through the audit, as a run of its owner", async () => {
    const rig = await startedRig();
    await add(rig, ":h Welcome", "every 30 min");
    await rig.clock.advance(65 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 00:30", ":h Welcome 01:00"]);
    const rows = [...rig.audit.rows.values()];
    assert.deepEqual(
      rows.map(({ origin, actorId, status }) => [origin, actorId, status]),
      [
        ["schedule", "u-manager", "done"],
        ["schedule", "u-manager", "done"],
      ],
    );
    const [view] = await rig.runs.schedules.list("g1");
    assert.deepEqual(view?.last, { dueAtMs: Date.UTC(2026, 0, 1, 1), runId: rows[1]?.id, result: "ran" });
    assert.equal(view?.nextAtMs, Date.UTC(2026, 0, 1, 1, 30));
    assert.deepEqual([rig.told, rig.guildNotices, rig.posts], [[], [], []]);
    await rig.runs.stop(0);
  });

  test("is due by the clocks of the guild's zone, and by those of a new zone at once", async () => {
    const rig = await startedRig();
    await rig.settings.change("g1", (settings) => ({ ...settings, timeZone: "Europe/Berlin" }));
    const { nextAtMs } = await add(rig, ":h Good evening", "20:00");
    assert.equal(nextAtMs, Date.UTC(2026, 0, 1, 19));
    await rig.settings.change("g1", (settings) => ({ ...settings, timeZone: "America/New_York" }));
    await rig.runs.schedules.onZoneChanged("g1");
    await rig.clock.advance(24 * HOUR_MS);
    assert.deepEqual(sentAt(rig), [":h Good evening 01:00"]);
    await rig.settings.change("g1", (settings) => ({ ...settings, timeZone: "Asia/Tokyo" }));
    await rig.runs.schedules.onZoneChanged("g1");
    await rig.clock.advance(12 * HOUR_MS);
    assert.deepEqual(sentAt(rig).slice(1), [":h Good evening 11:00"]);
    await rig.runs.stop(0);
  });

  test("that was removed runs no more; another guild's cannot be removed", async () => {
    const rig = await startedRig();
    const { schedule } = await add(rig);
    assert.equal(await rig.runs.schedules.remove("g2", schedule.id), undefined);
    await rig.clock.advance(31 * MINUTE_MS);
    assert.equal((await rig.runs.schedules.remove("g1", schedule.id))?.id, schedule.id);
    assert.equal(await rig.runs.schedules.remove("g1", schedule.id), undefined);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual([...rig.scheduleTexts.keys()], []);
    assert.equal(rig.clock.pending <= 1, true, "no timer is left behind but the retention's");
    await rig.runs.stop(0);
  });

  test("that could not be removed stands in the list and runs on, and can be removed again", async () => {
    const rig = await startedRig();
    const { schedule } = await add(rig);
    rig.scheduleDocuments.refuseWrites = new Failure("store", "disk full");
    await assert.rejects(rig.runs.schedules.remove("g1", schedule.id), { code: "store" });
    rig.scheduleDocuments.refuseWrites = undefined;
    assert.equal((await rig.runs.schedules.list("g1")).length, 1);
    await rig.clock.advance(31 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 00:30"]);
    assert.equal((await rig.runs.schedules.remove("g1", schedule.id))?.id, schedule.id);
    rig.crash();
    await start(rig);
    await rig.clock.advance(HOUR_MS);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });

  test("that was removed takes its run out of the queue, where people came first, and the audit says why", async () => {
    const rig = await startedRig();
    const { schedule } = await add(rig, ":h from the schedule");
    await rig.clock.advance(29 * MINUTE_MS + 50_000);
    const actor = rig.actor("mod");
    for (let count = 0; count < 8; count += 1) {
      const plan = await rig.runs.runner.plan({ actor, binding, text: `:h ${count}`, origin: "command" });
      await rig.runs.runner.submit(plan);
    }
    await rig.clock.advance(15_000);
    assert.equal((await lastOf(rig))?.result, "claimed");
    assert.ok((await rig.runs.queue.waiting("g1")).some(({ record }) => record.origin === "schedule"));
    await rig.runs.schedules.remove("g1", schedule.id);
    assert.ok(!(await rig.runs.queue.waiting("g1")).some(({ record }) => record.origin === "schedule"));
    await rig.clock.advance(5 * MINUTE_MS);
    assert.equal(rig.sent.length, 8);
    const row = [...rig.audit.rows.values()].find(({ origin }) => origin === "schedule");
    assert.deepEqual(
      [row?.status, row?.ran, row?.message],
      ["cancelled", "no", "The schedule was removed before it was sent."],
    );
    assert.deepEqual([...rig.scheduleTexts.keys()], []);
    await rig.runs.stop(0);
  });

  test("that was removed is not sent where the gate still holds it, nor where its checks go on", async () => {
    const rig = await startedRig();
    const held = await add(rig, ":h held");
    let started = 0;
    rig.answering = async (_text, signal, mayStart) => {
      const wait = rig.clock.sleep(30_000, signal).catch(() => undefined);
      await wait;
      if (!mayStart()) throw new Failure("expired", "no longer wanted");
      started += 1;
      return "Success";
    };
    await rig.clock.advance(30 * MINUTE_MS + 1_000);
    assert.equal(rig.sent.length, 1, "the gate has it");
    await rig.runs.schedules.remove("g1", held.schedule.id);
    await rig.clock.advance(MINUTE_MS);
    const [row] = [...rig.audit.rows.values()];
    assert.deepEqual([row?.ran, row?.message], ["no", "The schedule was removed before it was sent."]);

    const checked = await add(rig, ":h checked");
    rig.membersPause = () => rig.clock.sleep(20_000);
    await rig.clock.advance(28 * MINUTE_MS + 50_000);
    await rig.runs.schedules.remove("g1", checked.schedule.id);
    await rig.clock.advance(5 * MINUTE_MS);
    assert.deepEqual([started, rig.sent.length], [0, 1]);
    await rig.runs.stop(0);
  });

  test("is refused where its owner may not run it, where it cannot be scheduled, and past twenty of a guild", async () => {
    const rig = await startedRig();
    const failsWith = (work: Promise<unknown>, code: string, why: RegExp) =>
      assert.rejects(
        work,
        (error) => error instanceof Failure && error.code === code && why.test(error.message),
      );
    const none = rig.runs.schedules.add(rig.actor("none", { manageGuild: true }), wanted());
    await failsWith(none, "denied", /Only Moderators can/);
    await failsWith(add(rig, ":kick Bob"), "bad-command", /too serious/);
    await failsWith(add(rig, ":time 12"), "bad-command", /announcement/);
    await failsWith(add(rig, "hello"), "bad-command", /colon/);
    await failsWith(add(rig, ":h a\u202eb"), "bad-command", /invisible/);
    await failsWith(
      add(rig, "", "hourly", { what: { kind: "preset", name: "gone" } }),
      "bad-command",
      /no longer exists/,
    );
    for (let count = 0; count < 20; count += 1) await add(rig, `:h ${count}`, "20:00");
    await failsWith(add(rig), "bad-command", /20 schedules, the maximum/);
    await rig.runs.stop(0);
  });
});

describe("what cannot be sent in its minute is left out, with the reason", () => {
  test("with nobody in the server: no command is spent where it is only for players", async () => {
    const rig = await startedRig();
    const players = rig.players;
    await add(rig, ":h Welcome", "every 30 min", { onlyWithPlayers: true });
    rig.players = [];
    await rig.clock.advance(40 * MINUTE_MS);
    assert.equal(rig.sent.length, 0);
    assert.deepEqual((await lastOf(rig))?.why, "Nobody was in the server.");
    rig.players = players;
    await rig.clock.advance(60 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 01:00", ":h Welcome 01:30"]);
    await rig.runs.stop(0);
  });

  test("422: the same words, and nobody is told of it however often", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.answering = async () => {
      throw new Failure("server-empty", "offline");
    };
    await rig.clock.advance(5 * HOUR_MS);
    assert.equal(rig.sent.length, 10);
    assert.deepEqual((await lastOf(rig))?.result, "skipped");
    assert.deepEqual((await lastOf(rig))?.why, "Nobody was in the server.");
    assert.deepEqual(rig.guildNotices, []);
    await rig.runs.stop(0);
  });

  test("not where the service's wait is over and only has to be shown so, as after a kill", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.haltUntilMs = rig.clock.nowMs();
    await rig.clock.advance(35 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 00:30"]);
    await rig.runs.stop(0);
  });

  test("while the service asked to wait, the key is parked, or its commands are held for long", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.haltUntilMs = Date.UTC(2026, 0, 1, 0, 31);
    await rig.clock.advance(35 * MINUTE_MS);
    assert.match((await lastOf(rig))?.why ?? "", /asked Marshal to wait/);
    rig.parkedWhy = "regenerated";
    await rig.clock.advance(30 * MINUTE_MS);
    assert.match((await lastOf(rig))?.why ?? "", /server key is wrong or expired/);
    rig.parkedWhy = undefined;
    rig.readyAtMs = Date.UTC(2026, 0, 1, 1, 40);
    await rig.clock.advance(30 * MINUTE_MS);
    assert.match((await lastOf(rig))?.why ?? "", /is not taking commands for this server/);
    assert.equal(rig.sent.length, 0, "and nothing was queued up");
    assert.equal(rig.membersRead, 0, "nor was Discord asked for anybody's roles");
    assert.deepEqual(rig.guildNotices, []);
    await rig.clock.advance(20 * MINUTE_MS);
    assert.equal(rig.sent.length, 0, "nor sent late");
    await rig.runs.stop(0);
  });

  test("while people use the queue: they come first, and after two minutes it is left out", async () => {
    const rig = await startedRig();
    await add(rig, ":h from the schedule", "every 30 min");
    await rig.clock.advance(29 * MINUTE_MS + 50_000);
    const actor = rig.actor("mod");
    for (let count = 0; count < 40; count += 1) {
      const plan = await rig.runs.runner.plan({ actor, binding, text: `:h ${count}`, origin: "command" });
      await rig.runs.runner.submit(plan);
    }
    await rig.clock.advance(6 * MINUTE_MS);
    assert.equal(rig.sent.length, 40);
    assert.ok(!rig.sent.some(({ text }) => text === ":h from the schedule"));
    assert.deepEqual(await lastOf(rig).then((last) => [last?.result, last?.why]), [
      "skipped",
      "Other commands came first for 2 minutes, so it was skipped.",
    ]);
    await rig.runs.stop(0);
  });

  for (const [isHalted, why] of [
    [true, "The game service asked Marshal to wait, so it was skipped."],
    [false, "It could not be sent within 2 minutes, so it was skipped."],
  ] as const)
    test(`that could not leave says what it was, and no other commands: ${why}`, async () => {
      const rig = await startedRig();
      await add(rig, ":h from the schedule", "every 30 min");
      await rig.clock.advance(29 * MINUTE_MS + 50_000);
      rig.readyAtMs = rig.clock.nowMs() + 30_000;
      await rig.clock.advance(15_000);
      assert.equal((await rig.runs.queue.waiting("g1")).length, 1);
      if (isHalted) rig.haltUntilMs = rig.clock.nowMs() + 20 * MINUTE_MS;
      rig.readyAtMs = rig.clock.nowMs() + 10 * MINUTE_MS;
      await rig.clock.advance(3 * MINUTE_MS);
      assert.deepEqual(await lastOf(rig).then((last) => [last?.result, last?.why]), ["skipped", why]);
      await rig.runs.stop(0);
    });

  test("with the queue full: said, and nothing waits", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.readyAtMs = Date.UTC(2026, 0, 1, 0, 30, 50);
    await rig.clock.advance(29 * MINUTE_MS + 50_000);
    const actor = rig.actor("mod");
    for (let count = 0; count < 51; count += 1) {
      const plan = await rig.runs.runner.plan({ actor, binding, text: `:h ${count}`, origin: "command" });
      await rig.runs.runner.submit(plan).catch(() => undefined);
    }
    await rig.clock.advance(20_000);
    assert.match((await lastOf(rig))?.why ?? "", /Too many commands are already waiting/);
    await rig.runs.stop(0);
  });

  test("twenty at one minute keep the pace of the server, one after the other", async () => {
    const rig = await startedRig();
    for (let count = 0; count < 20; count += 1) await add(rig, `:h ${count}`, "01:00");
    await rig.clock.advance(HOUR_MS + 5 * MINUTE_MS);
    assert.equal(rig.sent.length, 20);
    assert.equal(new Set(rig.sent.map(({ text }) => text)).size, 20);
    const gaps = rig.sent.slice(1).map(({ atMs }, index) => atMs - (rig.sent[index]?.atMs ?? 0));
    assert.ok(
      gaps.every((gap) => gap >= rig.windowMs),
      `${gaps}`,
    );
    await rig.runs.stop(0);
  });

  test("an outcome that is not known is never repeated: the next times wait until it may not have run", async () => {
    const rig = await startedRig();
    await add(rig, ":h once", "every 10 min");
    rig.answering = async () => {
      throw new Failure("platform", "500", { ran: "unknown" });
    };
    await rig.clock.advance(11 * MINUTE_MS);
    assert.deepEqual((await lastOf(rig))?.result, "unknown");
    rig.answering = async () => "Success";
    await rig.clock.advance(20 * MINUTE_MS);
    assert.equal(rig.sent.length, 1);
    assert.match((await lastOf(rig))?.why ?? "", /could run twice/);
    await rig.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h once 00:10", ":h once 00:50"]);
    await rig.runs.stop(0);
  });
});

describe("a schedule ends with the right to run it", () => {
  test("when its owner is a Manager no more: told once, for all of theirs, and kept nowhere", async () => {
    const rig = await startedRig();
    await add(rig, ":h one");
    await add(rig, ":m two", "20:00");
    await rig.runs.schedules.add(rig.actor("manager", { userId: "u-other" }), wanted(":h theirs", "20:00"));
    rig.memberRoles.set("u-manager", [roles.admin]);
    await rig.clock.advance(40 * MINUTE_MS);
    assert.equal(rig.sent.length, 0);
    assert.deepEqual(rig.guildNotices, [
      "ended :h one, :m two: Only Managers can own schedules, and its owner is no longer one.",
    ]);
    const left = await rig.runs.schedules.list("g1");
    assert.deepEqual(
      left.map(({ text }) => text),
      [":h theirs"],
    );
    assert.equal(rig.scheduleTexts.size, 1);
    assert.deepEqual(
      rig.audit.eventRows.map(({ action, actorName }) => [action, actorName]),
      [
        ["schedule-end", "Marshal"],
        ["schedule-end", "Marshal"],
      ],
    );
    await rig.clock.advance(24 * HOUR_MS);
    assert.equal(rig.guildNotices.length, 1);
    await rig.runs.stop(0);
  });

  test("when its owner is a Manager no more, the run of another schedule of theirs leaves the queue too", async () => {
    const rig = await startedRig();
    await add(rig, ":h waits");
    await rig.clock.advance(1_000);
    await add(rig, ":h finds out", "00:31");
    await rig.clock.advance(29 * MINUTE_MS + 49_000);
    const actor = rig.actor("mod");
    for (let count = 0; count < 30; count += 1) {
      const plan = await rig.runs.runner.plan({ actor, binding, text: `:h ${count}`, origin: "command" });
      await rig.runs.runner.submit(plan);
    }
    await rig.clock.advance(20_000);
    assert.equal((await lastOf(rig))?.result, "claimed");
    rig.memberRoles.set("u-manager", [roles.admin]);
    await rig.clock.advance(5 * MINUTE_MS);
    assert.ok(!rig.sent.some(({ text }) => text === ":h waits"));
    const row = [...rig.audit.rows.values()].find(({ text }) => text === ":h waits");
    assert.deepEqual(
      [row?.status, row?.message],
      ["cancelled", "Only Managers can own schedules, and its owner is no longer one."],
    );
    await rig.runs.stop(0);
  });

  test("when its preset becomes a stronger verb than they may run, or is dropped", async () => {
    const rig = await startedRig();
    const presets = (text: string | undefined) =>
      rig.settings.change("g1", (settings) => ({
        ...settings,
        presets: text === undefined ? [] : [{ name: "Hello", text, createdBy: "1" }],
      }));
    await presets(":h Hello");
    const deny = [{ roleId: roles.manager, verb: "weather" }];
    rig.setPolicy({ denied: deny });
    const what = { kind: "preset", name: "hello" } as const;
    await add(rig, "", "every 30 min", { what });
    await rig.clock.advance(31 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Hello 00:30"]);
    await presets(":weather rain");
    await rig.clock.advance(30 * MINUTE_MS);
    assert.match(rig.guildNotices[0] ?? "", /ended :weather rain: Its owner may no longer run/);
    await presets(":h Hello");
    await add(rig, "", "every 30 min", { what });
    await presets(undefined);
    await rig.clock.advance(30 * MINUTE_MS);
    assert.match(rig.guildNotices[1] ?? "", /ended hello: Its preset was deleted/);
    assert.deepEqual(await rig.runs.schedules.list("g1"), []);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });

  test("with its server; a guild that removed the bot leaves nothing and is told nothing", async () => {
    const rig = await startedRig();
    await add(rig, ":h one");
    await rig.clock.advance(1_000);
    await add(rig, ":h two");
    rig.linked = [];
    await rig.runs.onUnlinked(binding);
    assert.deepEqual(rig.guildNotices, ["ended :h one, :h two: Liberty County was unlinked."]);
    rig.linked = [binding];
    await add(rig);
    await rig.runs.onGuildRemoved("g1");
    await rig.runs.onUnlinked(binding);
    await rig.clock.advance(2 * HOUR_MS);
    assert.deepEqual([rig.guildNotices.length, rig.sent.length, rig.scheduleTexts.size], [1, 0, 0]);
    await rig.runs.stop(0);
  });

  test("a kill between its end and the notice: the next process tells it", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.memberRoles.set("u-manager", []);
    const { of } = rig.settings;
    await rig.clock.advance(29 * MINUTE_MS);
    let left = 0;
    // The process dies when it looks up what to say.
    rig.settings.of = async (guildId) => {
      if ([...rig.scheduleTexts.values()].some((text) => text.includes("endedWhy")) && left++ === 0)
        rig.crash();
      return of(guildId);
    };
    await rig.clock.advance(5 * MINUTE_MS);
    assert.deepEqual([left > 0, rig.scheduleTexts.size], [true, 1]);
    const before = rig.guildNotices.length;
    await start(rig);
    await rig.clock.advance(MINUTE_MS);
    assert.equal(rig.guildNotices.length, before + 1);
    assert.equal(rig.scheduleTexts.size, 0);
    await rig.runs.stop(0);
  });
});

describe("a schedule that fails again and again", () => {
  test("is told once after three times, and anew only when it has run in between", async () => {
    const rig = await startedRig();
    await add(rig);
    const refuse = async () => {
      throw new Failure("not-authorised", "the owner has not allowed it");
    };
    rig.answering = refuse;
    await rig.clock.advance(61 * MINUTE_MS);
    assert.deepEqual(rig.guildNotices, []);
    await rig.clock.advance(5 * HOUR_MS);
    assert.deepEqual(rig.guildNotices, ["failing :h Welcome: the owner has not allowed it"]);
    rig.answering = async () => "Success";
    await rig.clock.advance(30 * MINUTE_MS);
    rig.answering = refuse;
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.guildNotices.length, 2);
    await rig.runs.stop(0);
  });

  test("is not ended by a Discord that does not answer", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.membersFailure = new Failure("denied", "away");
    await rig.clock.advance(31 * MINUTE_MS);
    assert.match((await lastOf(rig))?.why ?? "", /could not read its owner's roles/);
    rig.membersFailure = undefined;
    await rig.clock.advance(30 * MINUTE_MS);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });
});

describe("a schedule over restarts, kills and clocks that are set", () => {
  test("what was due while Marshal was down is left out and said, not run in a burst", async () => {
    const rig = await startedRig();
    await add(rig, ":h a", "every 10 min");
    await add(rig, ":h b", "every 10 min");
    await rig.clock.advance(11 * MINUTE_MS);
    assert.equal(rig.sent.length, 2);
    rig.crash();
    await rig.clock.advance(5 * HOUR_MS + 8 * MINUTE_MS + 30_000);
    await start(rig);
    await rig.clock.advance(MINUTE_MS);
    assert.equal(rig.sent.length, 4, "05:20, and not those 31 before");
    assert.deepEqual(
      rig.sent.slice(2).map(({ text }) => text),
      [":h a", ":h b"],
    );
    await rig.runs.stop(0);
  });

  test("right after a start the list says what was missed", async () => {
    const rig = await startedRig();
    await add(rig, ":h a", "every 30 min");
    rig.crash();
    await rig.clock.advance(40 * MINUTE_MS);
    await start(rig);
    await rig.clock.advance(1_000);
    const last = await lastOf(rig);
    assert.deepEqual([last?.result, last?.why], ["skipped", "Marshal was not running then."]);
    assert.equal(last?.dueAtMs, Date.UTC(2026, 0, 1, 0, 30));
    await rig.runs.stop(0);
  });

  test("what was due since a copy that was put back is not run again, and the list says that it may have run", async () => {
    const rig = await startedRig();
    await add(rig, ":h a", "every 30 min");
    const copy = new Map(rig.scheduleTexts);
    await rig.clock.advance(31 * MINUTE_MS);
    assert.equal(rig.sent.length, 1);
    for (const [key, text] of copy) rig.scheduleTexts.set(key, text);
    rig.crash({ isStoreInDoubt: true });
    await start(rig);
    await rig.clock.advance(5 * MINUTE_MS);
    assert.equal(rig.sent.length, 1);
    const last = await lastOf(rig);
    assert.deepEqual([last?.result, last?.why], ["unknown", "The database was restored from an older copy."]);
    await rig.clock.advance(25 * MINUTE_MS);
    assert.equal(rig.sent.length, 2, "the next one");
    await rig.runs.stop(0);
  });

  test("killed between claim and sending: never sent, and the list says so", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.membersPause = () => new Promise(() => undefined);
    await rig.clock.advance(30 * MINUTE_MS + 500);
    rig.crash();
    rig.membersPause = () => Promise.resolve();
    await start(rig);
    await rig.clock.advance(5 * MINUTE_MS);
    assert.equal(rig.sent.length, 0);
    const last = await lastOf(rig);
    assert.deepEqual([last?.result, last?.why], ["skipped", "Marshal stopped before sending it."]);
    await rig.runs.stop(0);
  });

  test("killed while it was being sent: unknown, never sent again, no direct message, and then what the log shows", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.answering = () => new Promise(() => undefined);
    await rig.clock.advance(30 * MINUTE_MS + 500);
    assert.equal(rig.sent.length, 1);
    rig.crash();
    rig.answering = async () => "Success";
    await start(rig);
    await rig.clock.advance(1_000);
    assert.equal((await lastOf(rig))?.result, "unknown");
    assert.deepEqual([rig.told, rig.posts], [[], []]);
    const atS = Math.floor(Date.UTC(2026, 0, 1, 0, 30, 1) / 1_000);
    const row = { kind: "command", atS, player: { name: "Remote Server" }, text: ":h Welcome" } as const;
    await rig.journal.take(rig.snapshot([row]));
    await settle();
    assert.match((await lastOf(rig))?.why ?? "", /log shows it/);
    await rig.clock.advance(10 * MINUTE_MS);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });

  test("a claim that cannot be written is not sent, and its time is not tried again", async () => {
    const rig = await startedRig();
    await add(rig);
    await rig.clock.advance(29 * MINUTE_MS);
    rig.scheduleDocuments.refuseWrites = new Error("disk full");
    await rig.clock.advance(2 * MINUTE_MS);
    assert.match((await lastOf(rig))?.why ?? "", /could not write to its database/);
    rig.scheduleDocuments.refuseWrites = undefined;
    await rig.clock.advance(10 * MINUTE_MS);
    assert.equal(rig.sent.length, 0);
    await rig.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 01:00"]);
    await rig.runs.stop(0);
  });

  test("a clock that is set forward: what it jumped over is left out", async () => {
    const rig = await startedRig();
    await add(rig);
    await rig.clock.advance(10 * MINUTE_MS);
    rig.clock.step(3 * HOUR_MS);
    await rig.clock.advance(MINUTE_MS);
    const why = "Marshal's clock was set forward past that time, or its machine slept.";
    assert.deepEqual([rig.sent.length, (await lastOf(rig))?.why], [0, why]);
    await rig.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 03:30"]);
    await rig.runs.stop(0);
  });

  test("a clock that is set back: no due time comes twice, and what in the future comes once", async () => {
    const rig = await startedRig();
    await add(rig);
    await rig.clock.advance(65 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 00:30", ":h Welcome 01:00"]);
    rig.clock.step(-HOUR_MS);
    await rig.clock.advance(60 * MINUTE_MS);
    assert.equal(rig.sent.length, 2);
    await rig.clock.advance(30 * MINUTE_MS);
    assert.deepEqual(sentAt(rig).slice(2), [":h Welcome 01:30"]);
    await rig.runs.stop(0);
  });

  test("a clock that was wrong by a year and is put right does not silence it for a year", async () => {
    const rig = await startedRig();
    await add(rig);
    rig.clock.step(365 * 24 * HOUR_MS);
    await rig.clock.advance(35 * MINUTE_MS);
    const before = rig.sent.length;
    rig.clock.step(-365 * 24 * HOUR_MS);
    // What the gate knows moves with the clock; this rig's does not.
    rig.readyAtMs = 0;
    await rig.clock.advance(60 * MINUTE_MS);
    assert.equal(rig.sent.length, before + 2);
    await rig.runs.stop(0);
  });

  test("before schedules begin nothing runs, and a stop begins nothing more", async () => {
    const rig = new RunsRig();
    await rig.runs.start();
    await add(rig);
    await rig.clock.advance(45 * MINUTE_MS);
    assert.equal(rig.sent.length, 0);
    rig.runs.beginSchedules();
    await rig.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(sentAt(rig), [":h Welcome 01:00"]);
    await rig.runs.stop(0);
    await rig.clock.advance(2 * HOUR_MS);
    assert.equal(rig.sent.length, 1);
  });
});

describe("a schedule of which two processes know", () => {
  /** The standby takes over so long after 00:29:50, and the former holder goes on without the lease. */
  async function takenOver(afterMs: number) {
    const rig = await startedRig();
    const starts: number[] = [];
    rig.membersPause = () => rig.clock.sleep(3_000);
    rig.answering = async (_text, signal, mayStart) => {
      await rig.clock.sleep(2_000, signal).catch(() => undefined);
      if (!mayStart()) throw new Failure("expired", "held back");
      starts.push(rig.clock.nowMs());
      await rig.clock.sleep(4_000);
      return "Success";
    };
    await add(rig);
    await rig.clock.advance(29 * MINUTE_MS + 50_000 + afterMs);
    const former = rig.runs;
    rig.takeOver();
    await start(rig);
    await rig.clock.advance(2 * MINUTE_MS);
    const firstTime = { starts: starts.length, last: await lastOf(rig) };
    await rig.clock.advance(30 * MINUTE_MS);
    await former.stop(0);
    await rig.runs.stop(0);
    return { firstTime, all: starts.length };
  }

  test("runs at most once, whenever the standby takes over, and the list says how it ended", async () => {
    const results = new Map<string, number>();
    for (let afterMs = 0; afterMs <= 40_000; afterMs += 500) {
      const { firstTime, all } = await takenOver(afterMs);
      const { starts, last } = firstTime;
      const told = `${last?.result} ${last?.why ?? ""}`;
      assert.ok(starts <= 1, `${starts} times, taken over after ${afterMs} ms`);
      // What was sent is never called unsent; what was not is never called sent.
      assert.match(
        told,
        starts === 1 ? /^(ran|unknown)/ : /^(skipped Marshal|unknown)/,
        `after ${afterMs} ms`,
      );
      // What may have run is not run a second time so soon.
      const next = last?.result === "unknown" ? 0 : 1;
      assert.equal(all, starts + next, `the next time, taken over after ${afterMs} ms`);
      results.set(last?.result ?? "", (results.get(last?.result ?? "") ?? 0) + 1);
    }
    assert.deepEqual([...results.keys()].toSorted(), ["ran", "skipped", "unknown"], "each way of it was met");
  });
});

describe("the schedules of a guild that set nothing", () => {
  test("are in UTC", async () => {
    const rig = await startedRig();
    assert.equal(DEFAULT_SETTINGS.timeZone, undefined);
    const { nextAtMs } = await add(rig, ":h x", "20:00");
    assert.equal(nextAtMs, Date.UTC(2026, 0, 1, 20));
    await rig.runs.stop(0);
  });
});
