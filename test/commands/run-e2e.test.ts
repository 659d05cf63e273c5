import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { CommandEntry } from "../../src/domain/model.ts";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";
import { player } from "../support/runs-rig.ts";

function messageOf(exchange: Exchange): Message {
  assert.ok(exchange.message !== undefined, "there is no answer");
  return exchange.message;
}

function labelsOf(message: Message): string[] {
  return [...JSON.stringify(message.components).matchAll(/"label":"([^"]*)"/g)].map(
    ([, label]) => label ?? "",
  );
}

function rejecting(rig: RunCommandsRig, failure: Failure): void {
  rig.runs.answering = async () => {
    throw failure;
  };
}

const texts = (rig: RunCommandsRig) => rig.runs.sent.map(({ text }) => text);

test("a moderator runs a command and sees that it ran; only they see it", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":kick Alice afk" });
  const text = await rig.reads(exchange, /It ran/);
  assert.match(text, /:kick Alice afk/);
  assert.match(text, /Liberty County/);
  assert.match(text, /It ran/);
  assert.equal(messageOf(exchange).ephemeralFor, rig.mod.member.id);
  assert.deepEqual(texts(rig), [":kick Alice afk"]);
});

test("whom a beginning of a name hit stands in full on the outcome, in the title of the reason and in the history", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":jail Al" });
  await rig.reads(exchange, /It ran[\s\S]*`:jail Al` \(Alice\)/);
  const whole = await rig.mod.slash(rig.channel, "run command", { text: ":jail bobby" });
  await rig.runs.clock.advance(10_000);
  await rig.reads(whole, /It ran[\s\S]*`:jail bobby`\n/);
  const history = await rig.mod.slash(rig.channel, "run history");
  await rig.reads(history, /ran `:jail bobby`\n[\s\S]*ran `:jail Al` \(Alice\)/);
  assert.deepEqual(
    rig.runs.audit.log.filter(({ status }) => status === "done").map(({ text, hit }) => [text, hit]),
    [
      [":jail Al", ["Alice"]],
      [":jail bobby", undefined],
    ],
  );
  assert.deepEqual(texts(rig), [":jail Al", ":jail bobby"]);
});

test("a member without a tier is refused, and the audit says who tried what", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.member.slash(rig.channel, "run command", { text: ":kick Alice" });
  const text = await rig.reads(exchange, /Only Moderators can/);
  assert.match(text, /It did not run/);
  assert.match(text, /Only Moderators can/);
  assert.deepEqual(texts(rig), []);
  assert.equal(rig.runs.audit.log.at(-1)?.status, "denied");
});

test("autocompletion offers verbs, then live players; the value is the whole text", async (t) => {
  const rig = await startRunCommandsRig(t);
  const verbs = await rig.mod.autocomplete(rig.channel, "run command", { text: ":ki" }, "text");
  assert.ok(verbs.some(({ value }) => value === ":kick"));
  const people = await rig.mod.autocomplete(rig.channel, "run command", { text: ":kick bo" }, "text");
  assert.deepEqual(
    people.map(({ value }) => value),
    [":kick Bob", ":kick Bobby"],
  );
});

test("dry shows what would happen and sends nothing", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.admin.slash(rig.channel, "run command", { text: ":ban bo spam", dry: true });
  const text = await rig.reads(exchange, /Dry run/);
  for (const part of [
    /nothing was sent/,
    /Bobby/,
    /Administrator/,
    /:unban Bob\b[\s\S]*:unban Bobby/,
    /\\?:ban lasts until \\?:unban lifts it/,
  ]) {
    assert.match(text, part);
  }
  assert.deepEqual(texts(rig), []);
  assert.deepEqual(rig.runs.audit.log, []);
});

test("dry says what keeps every command from running now", async (t) => {
  const rig = await startRunCommandsRig(t);
  const dry = async (wanted: RegExp) =>
    rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":kick Alice", dry: true }), wanted);
  await dry(/✅ You can run this/);
  const { source } = rig.binding;
  rig.world.commandPermissions.set(source, { kind: "refused", why: "No.", sinceMs: 0, untilMs: 0 });
  await dry(/⚠ You can run this, but not yet\.[\s\S]*The owner does not let Marshal run commands/);
  rig.world.parked.set(source, "The key was refused.");
  await dry(/⚠ You can run this, but not yet\.[\s\S]*The server key is wrong or expired/);
  assert.deepEqual(texts(rig), []);
});

test("a ban is confirmed first; a second press sends no second one", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.admin.slash(rig.channel, "run command", { text: ":ban Alice spam" });
  await rig.reads(exchange, /Not sent yet/);
  const card = messageOf(exchange);
  assert.deepEqual(labelsOf(card), ["Send it", "Do not send"]);
  assert.deepEqual(texts(rig), []);
  const both = await Promise.all([rig.admin.click(card, "Send it"), rig.admin.click(card, "Send it")]);
  const results = await Promise.all(both.map((press) => rig.reads(press, /It ran|already answered/)));
  assert.equal(results.filter((text) => /already answered/.test(text)).length >= 1, true);
  await rig.runs.clock.advance(60_000);
  assert.deepEqual(texts(rig), [":ban Alice spam"]);
});

test("a confirmation can be declined, and ends after a minute", async (t) => {
  const rig = await startRunCommandsRig(t);
  const declined = await rig.admin.slash(rig.channel, "run command", { text: ":ban Alice" });
  await rig.reads(declined, /Not sent yet/);
  const dropped = await rig.admin.click(messageOf(declined), "Do not send");
  await rig.reads(dropped, /Nothing was sent/);
  const slow = await rig.admin.slash(rig.channel, "run command", { text: ":ban Alice" });
  await rig.reads(slow, /Not sent yet/);
  await rig.runs.clock.advance(61_500);
  assert.match(await rig.reads(slow, /Expired: it was not sent/), /`:ban Alice`/);
  assert.deepEqual(labelsOf(messageOf(slow)), []);
  assert.doesNotMatch(declined.text, /Expired/);
  assert.deepEqual(texts(rig), []);
});

test("a press on a confirmation that is over takes its buttons too, and sends nothing", async (t) => {
  const rig = await startRunCommandsRig(t);
  for (const label of ["Send it", "Do not send"]) {
    const asked = await rig.admin.slash(rig.channel, "run command", { text: ":ban Alice" });
    await rig.reads(asked, /Not sent yet/);
    const card = messageOf(asked);
    // Discord does not take the change of it by itself.
    rig.emulated.faults.set({ outage: "5xx", outageMs: 16 * 60_000 });
    await rig.runs.clock.advance(17 * 60_000);
    assert.deepEqual(labelsOf(card), ["Send it", "Do not send"]);
    const pressed = await rig.admin.click(card, label);
    await rig.reads(pressed, /Expired: it was not sent/);
    assert.deepEqual(labelsOf(messageOf(pressed)), []);
    assert.equal(messageOf(pressed), card);
  }
  assert.deepEqual(texts(rig), []);
});

test("a confirmation of which a near name was pressed is not called expired", async (t) => {
  const rig = await startRunCommandsRig(t);
  const asked = await rig.mod.slash(rig.channel, "run command", { text: ":kick Alise afk" });
  await rig.reads(asked, /Did you mean/);
  const pressed = await rig.mod.click(messageOf(asked), "Alice");
  await rig.reads(pressed, /It ran/);
  await rig.runs.clock.advance(62_000);
  await rig.runs.clock.advance(1_000);
  assert.match(pressed.text, /It ran/);
  assert.deepEqual(texts(rig), [":kick Alice afk"]);
});

test("suggestions name players to staff only, and hide what the person may not run", async (t) => {
  const rig = await startRunCommandsRig(t);
  const typed = async (person: typeof rig.mod, text: string) =>
    (await person.autocomplete(rig.channel, "run command", { text }, "text")).map(({ value }) => value);
  assert.deepEqual(await typed(rig.member, ":"), []);
  assert.deepEqual(await typed(rig.member, ":kick bo"), []);
  assert.deepEqual(await typed(rig.mod, ":ba"), []);
  assert.deepEqual(await typed(rig.admin, ":ba"), [":ban"]);
  assert.deepEqual(await typed(rig.mod, ":ban bo"), []);
  assert.deepEqual(await typed(rig.admin, ":ban bo"), [":ban Bob", ":ban Bobby"]);

  const save = { name: "bye", text: ":ban {player}" };
  await rig.reads(await rig.manager.slash(rig.channel, "run preset save", save), /Saved/);
  const preset = async (person: typeof rig.mod, options: Record<string, string>, focused: string) =>
    (await person.autocomplete(rig.channel, "run preset use", options, focused)).map(({ value }) => value);
  assert.deepEqual(await preset(rig.mod, { name: "b" }, "name"), []);
  assert.deepEqual(await preset(rig.admin, { name: "b" }, "name"), ["bye"]);
  assert.deepEqual(await preset(rig.member, { name: "bye", player: "bo" }, "player"), []);
  assert.deepEqual(await preset(rig.admin, { name: "bye", player: "bo" }, "player"), ["Bob", "Bobby"]);
  assert.equal(rig.runs.demandsPut.size, 0);
});

test("a mass target needs the server's name in a form", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.manager.slash(rig.channel, "run command", { text: ":kill all" });
  await rig.reads(exchange, /EVERYONE/);
  const first = await rig.manager.click(messageOf(exchange), "Type the server's name");
  assert.ok(first.modal !== undefined);
  const wrong = await rig.manager.submit(first.modal, { name: "something else" });
  await rig.reads(wrong, /That is not the server's name/);
  assert.deepEqual(texts(rig), []);
  const again = await rig.manager.click(messageOf(exchange), "Type the server's name");
  assert.ok(again.modal !== undefined);
  const right = await rig.manager.submit(again.modal, { name: "liberty county" });
  await rig.reads(right, /It ran/);
  assert.deepEqual(texts(rig), [":kill all"]);
});

test("a role that was taken away while it waited stops it", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.readyAtMs = rig.runs.clock.nowMs() + 30_000;
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":kick Alice" });
  await rig.reads(exchange, /It is next\. It will be sent at <t:\d+:T> or a little later\./);
  rig.mod.member.removeRole(rig.roles.mod);
  await rig.runs.clock.advance(31_000);
  const text = await rig.reads(exchange, /You can.t run this/);
  assert.match(text, /never sent/);
  assert.deepEqual(texts(rig), []);
});

test("a waiting command shows its place, can be cancelled by a button and from the queue", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.haltUntilMs = rig.runs.clock.nowMs() + 300_000;
  const first = await rig.mod.slash(rig.channel, "run command", { text: ":h one" });
  const second = await rig.mod.slash(rig.channel, "run command", { text: ":h two" });
  await rig.reads(first, /The game service asked Marshal to wait\. It is next/);
  await rig.reads(second, /asked Marshal to wait\. Place \*\*2\*\*/);
  const cancelled = await rig.mod.click(messageOf(first), "Cancel");
  await rig.reads(cancelled, /Cancelled/);
  await rig.reads(first, /Cancelled, not sent/);
  await rig.reads(second, /It is next/);
  const queue = await rig.manager.slash(rig.channel, "run queue");
  await rig.reads(queue, /:h two[\s\S]*The game service asked Marshal to wait/);
  const [row] = await rig.runs.runs.queue.waiting(rig.guild.id);
  const emptied = await rig.manager.select(messageOf(queue), "run-unqueue:0", [row?.record.id ?? ""]);
  await rig.reads(emptied, /Nothing is waiting/);
  await rig.reads(second, /Cancelled, not sent/);
  const stranger = await rig.member.slash(rig.channel, "run queue");
  await rig.reads(stranger, /Only staff/);
  assert.deepEqual(texts(rig), []);
});

const outcomes: readonly (readonly [string, Failure, readonly RegExp[], readonly string[]])[] = [
  ["400", new Failure("bad-command", "not a command"), [/The game refused/, /It did not run/], []],
  ["403", new Failure("key-rejected", "gone"), [/server key is wrong or expired/, /setup link/], []],
  [
    "4000",
    new Failure("not-authorised", "not authorised", { serviceCode: 4000 }),
    [/owner does not let Marshal/, /It did not run/],
    [],
  ],
  [
    "422",
    new Failure("server-empty", "offline", { commandId: "cmd-77" }),
    [/The server is empty/, /It did not run/, /cmd-77/],
    ["Run when someone joins", "Run again"],
  ],
  [
    "500",
    new Failure("platform", "Roblox did not answer", { ran: "unknown", commandId: "cmd-78" }),
    [/It may have run/, /gave no clear answer/, /Roblox did not answer/, /Checking the game's log/, /cmd-78/],
    [],
  ],
  [
    "silence",
    new Failure("unreachable", "no answer in time", { ran: "unknown" }),
    [/It may have run/, /\nno answer in time\n/],
    [],
  ],
];
for (const [name, failure, parts, labels] of outcomes) {
  test(`${name} is told in order: what happened, whether it ran, why, what next, reference`, async (t) => {
    const rig = await startRunCommandsRig(t);
    rejecting(rig, failure);
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
    const text = await rig.reads(exchange, /Reference/);
    for (const part of parts) assert.match(text, part);
    const unknown = failure.code === "unreachable" ? failure.message : "gave no clear answer";
    const ran = failure.ran === "unknown" ? unknown : "It did not run";
    const next = failure.ran === "unknown" ? "Checking the game's log" : "Next:";
    // What the service says to the programmer of a bot is no reason for a member, so it comes below.
    const told = failure.code === "not-authorised" ? [next, failure.message] : [failure.message, next];
    const order = [ran, ...told, "Reference"].map((word) => text.indexOf(word));
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
    assert.ok(!order.includes(-1), text);
    assert.deepEqual(labelsOf(messageOf(exchange)), labels);
    await rig.runs.clock.advance(20 * 60_000);
    assert.equal(rig.runs.sent.length, 1);
  });
}

test("429: still queued, with the time; sent once when it may be", async (t) => {
  const rig = await startRunCommandsRig(t);
  let calls = 0;
  const retryAtMs = rig.runs.clock.nowMs() + 45_000;
  rig.runs.answering = async () => {
    calls += 1;
    if (calls > 1) return "Success";
    rig.runs.haltUntilMs = retryAtMs;
    throw new Failure("rate-limited", "wait", { retryAtMs });
  };
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  const text = await rig.reads(exchange, /not sent yet/);
  assert.ok(text.includes(`at <t:${retryAtMs / 1000}:T>`), text);
  await rig.runs.clock.advance(46_000);
  await rig.reads(exchange, /It ran/);
  assert.equal(calls, 2);
});

test("after an unknown outcome, running it again asks first", async (t) => {
  const rig = await startRunCommandsRig(t);
  rejecting(rig, new Failure("unreachable", "silence", { ran: "unknown" }));
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /It may have run/);
  assert.deepEqual(labelsOf(messageOf(exchange)), []);
  await rig.runs.clock.advance(91_000);
  await rig.reads(exchange, /has not shown it yet.*Do not repeat it/);
  assert.deepEqual(labelsOf(messageOf(exchange)), ["Check the log"]);
  const again = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  const text = await rig.reads(again, /Not sent yet/);
  assert.match(text, /could run twice/);
  assert.equal(rig.runs.sent.length, 1);
});

test("checking the log shows what it has shown since", async (t) => {
  const rig = await startRunCommandsRig(t);
  rejecting(rig, new Failure("unreachable", "silence", { ran: "unknown" }));
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /Checking the game's log/);
  const atS = Math.floor(rig.runs.clock.nowMs() / 1000);
  const row = { kind: "command", atS, player: { name: "Remote Server" }, text: ":h Welcome" } as const;
  await rig.runs.clock.advance(91_000);
  await rig.reads(exchange, /has not shown it yet/);
  await rig.runs.journal.take(rig.runs.snapshot([row]));
  const checked = await rig.mod.click(messageOf(exchange), "Check the log");
  const text = await rig.reads(checked, /✅ It ran[\s\S]*The game's log shows it/);
  assert.doesNotMatch(text, /may have run|Reference/);
  assert.deepEqual(labelsOf(messageOf(checked)), ["Run again"]);
});

test("checking the log has it read once more, and says so; where it can't be read, why", async (t) => {
  const rig = await startRunCommandsRig(t);
  rejecting(rig, new Failure("unreachable", "silence", { ran: "unknown" }));
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /Checking the game's log/);
  await rig.runs.clock.advance(300_000);
  await rig.reads(exchange, /has not shown it yet/);
  rig.runs.readFailing = { sinceMs: 0, code: "unreachable" };
  const checked = await rig.mod.click(messageOf(exchange), "Check the log");
  await rig.reads(checked, /Checking the game's log/);
  await rig.runs.clock.advance(91_000);
  await rig.reads(checked, /log can't be read: the game service is not answering\. .*Do not repeat it/);
  assert.deepEqual(labelsOf(messageOf(checked)), ["Check the log"]);
});

test("an unknown outcome is looked up, and the answer tells what the log says", async (t) => {
  const rig = await startRunCommandsRig(t);
  rejecting(rig, new Failure("unreachable", "silence", { ran: "unknown" }));
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /Checking the game's log/);
  const atS = Math.floor(rig.runs.clock.nowMs() / 1000);
  const others = [-60, 60].map(
    (afterS): CommandEntry => ({
      kind: "command",
      atS: atS + afterS,
      player: { name: "Moe", id: 22 },
      text: ":log x",
    }),
  );
  await rig.runs.clock.advance(60_000);
  await rig.runs.journal.take(rig.runs.snapshot(others));
  await rig.runs.clock.advance(5_000);
  await rig.reads(exchange, /probably did not run[\s\S]*log does not show it/);
});

test("undo runs the inverse with the exact name, audited as an undo", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":wanted ali" });
  await rig.reads(exchange, /It ran/);
  const atS = Math.floor(rig.runs.clock.nowMs() / 1000);
  const undone = await rig.mod.click(messageOf(exchange), "Undo");
  await rig.runs.clock.advance(6_000);
  await rig.reads(undone, /It ran/);
  assert.deepEqual(texts(rig), [":wanted ali", ":unwanted Alice"]);
  assert.equal([...rig.runs.audit.rows.values()].at(-1)?.origin, "undo");
  assert.deepEqual(labelsOf(messageOf(undone)), ["Run again"], "an undo is not undone by one press");
  while (labelsOf(messageOf(exchange)).length > 0) await new Promise((resolve) => setImmediate(resolve));
  // The log shows the first of them now.
  const row = { kind: "command", atS, player: { name: "Remote Server" }, text: ":wanted ali" } as const;
  await rig.runs.journal.take(rig.runs.snapshot([row]));
  await rig.runs.clock.advance(10_000);
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal([...rig.runs.audit.rows.values()].at(0)?.proof, "seen");
  assert.match(exchange.text, /It ran[\s\S]*:wanted ali/);
  assert.deepEqual(labelsOf(messageOf(exchange)), [], "what is learned later brings no button back");
});

test("two who press Undo at once send it once", async (t) => {
  const rig = await startRunCommandsRig(t);
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":wanted ali" });
  await rig.reads(exchange, /It ran/);
  // A store takes its time: what is read may be older than what is written meanwhile.
  const { audit } = rig.runs;
  const search = audit.search.bind(audit);
  audit.search = async (...asked) => {
    const found = await search(...asked);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return found;
  };
  const presses = [rig.mod, rig.mod, rig.mod].map((person) => person.click(messageOf(exchange), "Undo"));
  const undone = await Promise.all(presses);
  const reading = Promise.all(undone.map((one) => rig.reads(one, /It ran|undone already/)));
  let isRead = false;
  void reading.finally(() => {
    isRead = true;
  });
  while (!isRead) {
    await rig.runs.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answers = await reading;
  assert.deepEqual(texts(rig), [":wanted ali", ":unwanted Alice"]);
  assert.equal(answers.filter((answer) => /undone already/.test(answer)).length, 2);
});

test("undo of a ban of two is two runs, each with its row in the audit", async (t) => {
  const rig = await startRunCommandsRig(t);
  const asked = await rig.admin.slash(rig.channel, "run command", { text: ":ban bo spam" });
  await rig.reads(asked, /Not sent yet/);
  const banned = await rig.admin.click(messageOf(asked), "Send it");
  await rig.reads(banned, /It ran/);
  const undone = await rig.admin.click(messageOf(banned), "Undo");
  await rig.runs.clock.advance(20_000);
  const text = await rig.reads(undone, /2 of 2 commands ran/);
  assert.match(text, /✅ `:unban Bob`\n✅ `:unban Bobby`/);
  assert.deepEqual(texts(rig), [":ban bo spam", ":unban Bob", ":unban Bobby"]);
  const undos = [...rig.runs.audit.rows.values()].filter(({ origin }) => origin === "undo");
  assert.deepEqual(
    undos.map(({ status }) => status),
    ["done", "done"],
  );
});

test("undo of a ban of two of which one failed can be pressed again for that one alone", async (t) => {
  const rig = await startRunCommandsRig(t);
  const asked = await rig.admin.slash(rig.channel, "run command", { text: ":ban bo spam" });
  await rig.reads(asked, /Not sent yet/);
  const banned = await rig.admin.click(messageOf(asked), "Send it");
  await rig.reads(banned, /It ran/);
  const press = async (wanted: RegExp) => {
    const undone = await rig.admin.click(messageOf(banned), "Undo");
    await rig.runs.clock.advance(20_000);
    return await rig.reads(undone, wanted);
  };
  rig.runs.answering = async (text) => {
    if (text === ":unban Bobby") throw new Failure("platform", "The game did not answer.");
    return "Success";
  };
  await press(/1 of 2 commands ran[\s\S]*✅ `:unban Bob`\n⛔ `:unban Bobby`/);
  rig.runs.answering = async () => "Success";
  await press(/1 of 2 commands ran[\s\S]*`:unban Bob` It was undone already\.?\n✅ `:unban Bobby`/);
  await press(/undone already/);
  assert.deepEqual(texts(rig), [":ban bo spam", ":unban Bob", ":unban Bobby", ":unban Bobby"]);
});

test("run when someone joins: offered, kept, sent once and answered in the channel", async (t) => {
  const rig = await startRunCommandsRig(t);
  rejecting(rig, new Failure("server-empty", "offline"));
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /The server is empty/);
  const kept = await rig.mod.click(messageOf(exchange), "Run when someone joins");
  await rig.reads(kept, /sent when someone joins/);
  await rig.reads(await rig.mod.slash(rig.channel, "run queue"), /when someone joins/);
  rig.runs.answering = async () => "Success";
  await rig.runs.journal.take(rig.runs.snapshot());
  const posted = rig.emulated.waitFor(
    (event) => event.type === "message-created" && event.message.ephemeralFor === undefined,
  );
  for (let turn = 0; turn < 200 && rig.emulated.messages(rig.channel).length === 0; turn++) {
    await rig.runs.clock.advance(100);
  }
  await posted;
  const [message] = rig.emulated.messages(rig.channel);
  assert.match(JSON.stringify(message?.embeds), /It ran/);
  assert.deepEqual(message?.pings, { users: [], roles: [], everyone: false });
  assert.deepEqual(texts(rig), [":h Welcome", ":h Welcome"]);
});

test("hostile names and texts neither ping nor break a card", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.players = [player("@everyone **x** <@1>", 66), player("Alice", 11)];
  rig.runs.answering = async () => "@everyone `x` [link](https://e.vil) <@&1>";
  const exchange = await rig.manager.slash(rig.channel, "run command", { text: ":h @everyone ``` <@&1>" });
  await rig.reads(exchange, /It ran/);
  const message = messageOf(exchange);
  assert.deepEqual(message.pings, { users: [], roles: [], everyone: false });
  assert.doesNotMatch(exchange.text, /@everyone/);
  assert.doesNotMatch(exchange.text, /\]\(https/);
});

test("a text without a colon, or with a line break, is refused with the hint", async (t) => {
  const rig = await startRunCommandsRig(t);
  await rig.reads(
    await rig.mod.slash(rig.channel, "run command", { text: "hello Bob" }),
    /starts with a colon/,
  );
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h a\nb" }), /line breaks/);
  assert.deepEqual(texts(rig), []);
});

test("history shows staff everybody's or their own; others are refused before anything is read", async (t) => {
  const rig = await startRunCommandsRig(t);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h one" }), /It ran/);
  await rig.runs.clock.advance(6_000);
  await rig.reads(
    await rig.member.slash(rig.channel, "run command", { text: ":h two" }),
    /Only Moderators can/,
  );
  const all = await rig.reads(await rig.admin.slash(rig.channel, "run history"), /:h one/);
  assert.doesNotMatch(all, /:h two/);
  const refused = await rig.admin.slash(rig.channel, "run history", { refusals: true });
  assert.match(await rig.reads(refused, /:h one/), /:h two/);
  const own = await rig.reads(await rig.mod.slash(rig.channel, "run history", { mine: true }), /:h one/);
  assert.doesNotMatch(own, /:h two/);
  const { searches } = rig.runs.audit;
  await rig.reads(await rig.member.slash(rig.channel, "run history"), /Only staff/);
  await rig.reads(await rig.member.slash(rig.channel, "run history", { mine: true }), /Only staff/);
  assert.equal(rig.runs.audit.searches, searches);
});

test("presets are kept by Managers, filled by type and run as commands", async (t) => {
  const rig = await startRunCommandsRig(t);
  const save = { name: "greet", text: ":pm {player} Hello {text}" };
  await rig.reads(await rig.mod.slash(rig.channel, "run preset save", save), /Only Managers/);
  await rig.reads(await rig.manager.slash(rig.channel, "run preset save", save), /Saved/);
  const bad = { name: "bad", text: ":pm {victim}" };
  await rig.reads(await rig.manager.slash(rig.channel, "run preset save", bad), /is not a placeholder/);
  await rig.reads(await rig.mod.slash(rig.channel, "run preset use", { name: "greet" }), /needs player/);
  const use = { name: "greet", player: "Alice", text: "{player} there" };
  await rig.reads(await rig.mod.slash(rig.channel, "run preset use", use), /It ran/);
  assert.deepEqual(texts(rig), [":pm Alice Hello {player} there"]);
  await rig.reads(await rig.mod.slash(rig.channel, "run preset list"), /greet/);
  const offered = (person: typeof rig.mod) =>
    person.autocomplete(rig.channel, "run preset remove", { name: "gr" }, "name");
  assert.deepEqual((await offered(rig.member)).length, 0);
  assert.deepEqual((await offered(rig.manager)).length, 1);
  const seen = await rig.member.slash(rig.channel, "run preset list");
  assert.doesNotMatch(await rig.reads(seen, /Only staff can see the presets/), /Hello/);
  await rig.reads(await rig.manager.slash(rig.channel, "run preset remove", { name: "greet" }), /Deleted/);
});
