import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Person, Role } from "../../src/sandbox/discord/types.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("/run, from the question to what came of it", () => {
  let rig: E2eRig;
  let adminRole: Role;
  let admin: Person;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key"] });
    const { guild, owner, general, staffRole } = rig.home;
    adminRole = guild.addRole({ name: "Admins" });
    admin = rig.discord.as(guild.addMember({ name: "Ada", roles: [staffRole, adminRole] }));
    await rig.link();
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    const tier = { role: adminRole, tier: "administrator" };
    await reads(await owner.slash(general, "staff allow", tier), /Administrator/i);
  });
  after(() => rig.close());

  const run = (text: string, who: Person = rig.home.moderator): Promise<Exchange> =>
    who.slash(rig.home.general, "run command", { text });
  const executions = (text: string) => rig.service.counts.executionsByText.get(text) ?? 0;
  const history = async () =>
    reads(await rig.home.moderator.slash(rig.home.general, "run history"), /latest commands/);
  /** The command route of the next request answers like this. */
  const nextCommand = (faults: Parameters<typeof rig.service.faults.next>[0]) =>
    rig.service.faults.next({ only: "commands", ...faults });
  /** Waits until the card reads like this: by itself, and when it looks no longer by "Check the log". */
  async function checked(exchange: Exchange, pattern: RegExp): Promise<void> {
    await reads(exchange, new RegExp(`${pattern.source}|has not shown it yet`));
    if (pattern.test(exchange.text)) return;
    for (let answered = -1; ; ) {
      const check = await press(rig.home.moderator, exchange, "Check the log");
      await check.settled();
      if (pattern.test(check.text)) return;
      answered = rig.service.answered.length;
      await rig.until(`a newer answer; so far: ${check.text}`, () => rig.service.answered.length > answered);
    }
  }

  test("two commands that wait for each other: each request to the service has the reference of who asked for it", async () => {
    const before = rig.lines.length;
    await Promise.all(["first", "second"].map(async (word) => reads(await run(`:h ${word}`), /It ran/)));
    const lines = rig.lines.slice(before).map((line): Record<string, unknown> => JSON.parse(line));
    const came = lines.filter(({ msg }) => msg === "an interaction came").map(({ reference }) => reference);
    // Where the roles that were read are too old at its turn, it is withdrawn unsent, which is logged as that.
    const asked = lines.filter(({ msg }) => msg === "asked the game service for a person");
    const sent = asked.filter(({ route }) => route === "command").map(({ reference }) => reference);
    assert.equal(new Set(came).size, 2);
    assert.deepEqual(sent.sort(), came.sort());
  });

  test("a moderator runs a command: it ran once, stands in the game, and only they see the answer", async () => {
    const exchange = await run(":h Welcome everyone");
    const text = await reads(exchange, /It ran/);
    assert.match(text, /It ran[\s\S]*:h Welcome everyone[\s\S]*River City Roleplay/);
    assert.equal(answerOf(exchange).ephemeralFor, rig.home.moderator.member.id);
    assert.equal(executions(":h Welcome everyone"), 1);
    assert.ok(rig.town.record.messages.some(({ text: shown }) => shown === "Welcome everyone"));
  });

  test("a member is refused with the reason, nothing is sent, and the audit says who tried", async () => {
    const { commands } = rig.service.counts;
    const text = await reads(await run(":h I am staff now", rig.home.member), /Current tier\\?: none/);
    assert.match(text, /Only Moderators can/);
    const { owner, general } = rig.home;
    await reads(await owner.slash(general, "audit search", { text: "I am staff" }), /denied/);
    assert.equal(rig.service.counts.commands, commands);
  });

  test("a moderator may not run what needs a higher tier", async () => {
    const { commands } = rig.service.counts;
    await reads(await run(":ban Somebody"), /Only Administrators can/);
    // What does not exist is a slip: nobody reads of tiers, and the audit of no attempt.
    const slip = await reads(await run(":unheardof Somebody"), /There is no \\?:unheardof/);
    assert.match(slip, /Type \\?: in \\?\/run command to see what you can run/);
    assert.doesNotMatch(slip, /Manager/);
    const { owner, general } = rig.home;
    const audit = await owner.slash(general, "audit search", { text: "unheardof" });
    assert.doesNotMatch(await reads(audit, /udit|Nothing|No /), /denied/);
    assert.equal(rig.service.counts.commands, commands);
  });

  test("the audit row is there before the game has answered", async () => {
    nextCommand({ lateMs: 3_000, late: 1 });
    const asked = run(":h slow answer");
    await rig.until("the command in the game", () => executions(":h slow answer") === 1);
    assert.match(await history(), /being sent[^\n]*slow answer|slow answer[^\n]*being sent/);
    await reads(await asked, /It ran/);
    assert.match(await history(), /✅ ran[^\n]*slow answer|slow answer[^\n]*✅ ran/);
  });

  test("400: the game refused it; it did not run", async () => {
    nextCommand({ code: 3001, codeChance: 1 });
    const text = await reads(await run(":h refused"), /The game refused the command/);
    assert.match(
      text,
      /\*\*It did not run\.\*\*\n\*\*Next:[\s\S]*-# The game service said: You did not provide/,
    );
    assert.equal(executions(":h refused"), 0);
  });

  test("4000: says who can mend it; the next commands cost no request, reading goes on", async () => {
    rig.service.keyBook.setCommandsAllowed(rig.key, false);
    const text = await reads(await run(":h not authorised"), /owner does not let Marshal run commands/);
    assert.match(
      text,
      /It did not run[\s\S]*Someone with Manage Server[\s\S]*said: .*allowlist your IP address/,
    );
    const { commands } = rig.service.counts;
    const slip = await rig.home.owner.slash(rig.home.general, "run command", { text: ":hlep" });
    await reads(slip, /There is no \\?:hlep/);
    const again = await reads(await run(":h once more"), /owner does not let Marshal run commands/);
    assert.match(
      again,
      /It did not run\.\*\* Known since <t:\d+:f>\. The game service was not asked again\./,
    );
    assert.match(again, /:h once more/);
    assert.equal(rig.service.counts.commands, commands);
    assert.match(await history(), /:h once more[\s\S]*owner does not let[\s\S]*:h not authorised/);
    await reads(await rig.home.member.slash(rig.home.general, "server status"), / players/);
    await reads(await rig.home.owner.slash(rig.home.general, "diagnose"), /owner does not let Marshal run/);
    rig.service.keyBook.setCommandsAllowed(rig.key, true);
    const opened = await rig.home.owner.slash(rig.home.general, "diagnose");
    await reads(opened, /owner does not let/);
    const mend = labelsOf(answerOf(opened)).find((label) => label.startsWith("Commands on")) ?? "";
    const step = await rig.home.owner.click(answerOf(opened), mend);
    await reads(step, /Not allowed when it was last checked/);
    await rig.home.owner.click(answerOf(step), "Check again");
    await rig.until("the check", () => /allowed it|Run it\?|none of your roles/.test(textOf(answerOf(step))));
    await reads(await run(":h authorised again"), /It ran/);
  });

  test("429: it stays in the queue, says so, and is sent once when the wait is over", async () => {
    nextCommand({ tooMany: 1, tooManyRetryAfterMs: 4_000 });
    const exchange = await run(":h after the wait");
    const waits = await reads(exchange, /not sent yet|It ran/);
    assert.match(waits, /not sent yet/);
    await reads(exchange, /It ran/);
    assert.equal(executions(":h after the wait"), 1);
    assert.equal(rig.service.counts.avoidable, 0);
  });

  test("500 and it ran: unknown, never repeated, and the log of the game speaks for it", async () => {
    nextCommand({ command500: 1, command500Executed: 1 });
    const exchange = await run(":h perhaps one");
    const text = await reads(exchange, /It may have run/);
    assert.match(text, /no clear answer[\s\S]*Checking the game's log[\s\S]*Command ID/);
    assert.doesNotMatch(await reads(exchange, /✅ It ran/), /may have run|Command ID/);
    assert.equal(executions(":h perhaps one"), 1);
  });

  let unexecuted: Exchange;
  test("500 and it did not run: unknown, and never repeated", async () => {
    nextCommand({ command500: 1, command500Executed: 0 });
    unexecuted = await run(":h perhaps two");
    await reads(unexecuted, /It may have run[\s\S]*Checking the game's log/);
  });

  test("silence, and a connection that breaks after the command was taken: unknown, sent once", async () => {
    nextCommand({ silent: 1 });
    const silent = await reads(await run(":h into the silence"), /It may have run/);
    assert.match(silent, /no answer came in time|did not answer in time/);
    assert.doesNotMatch(silent, /no clear answer/);
    nextCommand({ resetAfter: 1 });
    const cut = await run(":h then it broke");
    await reads(cut, /It may have run/);
    assert.equal(executions(":h then it broke"), 1);
    await reads(cut, /✅ It ran[\s\S]*log shows it/);
    assert.equal(executions(":h into the silence"), 0);
  });

  test("422: nobody is there; it can wait for someone to join, and then runs once and is told in the channel", async () => {
    rig.town.empty();
    const exchange = await run(":h first one here");
    await reads(exchange, /The server is empty/);
    await reads(
      await press(rig.home.moderator, exchange, "Run when someone joins"),
      /sent when someone joins/,
    );
    rig.town.join("Firstcomer");
    const told = await rig.posted(rig.home.general, ":h first one here", "It ran");
    assert.ok(told.content.includes(`<@${rig.home.moderator.member.id}>`));
    assert.equal(executions(":h first one here"), 1);
    for (let more = 0; more < 5; more += 1) rig.town.join();
  });

  test("once the log of the game reaches well past the sending, it says that the command is not there", async () => {
    await checked(unexecuted, /does not show it/);
    assert.equal(executions(":h perhaps two"), 0);
  });

  test("a ban asks first: the card shows text, server and who is hit; nothing is sent before the press", async () => {
    const target = rig.town.join("Griefer");
    // Lists of players are shown for ten seconds.
    await rig.clock.sleep(10_001);
    await reads(await rig.home.moderator.slash(rig.home.general, "server players"), /Griefer/);
    const asked = await run(":ban Griefer", admin);
    const text = await reads(asked, /Send this\?/);
    assert.match(text, /:ban Griefer[\s\S]*River City Roleplay[\s\S]*Not sent yet/);
    assert.doesNotMatch(text, /\d{7}(?!\d*:)/);
    assert.equal(executions(":ban Griefer"), 0);
    await assert.rejects(rig.home.moderator.click(answerOf(asked), "Send it"), /does not see/);
    await reads(await press(admin, asked, "Send it"), /It ran/);
    assert.equal(executions(":ban Griefer"), 1);
    assert.ok(!rig.town.players.some(({ id }) => id === target.id));
  });

  test("Do not send sends nothing, and the question cannot be answered afterwards", async () => {
    const asked = await run(":ban Somebody", admin);
    await reads(asked, /Send it anyway\?/);
    await reads(await press(admin, asked, "Do not send"), /Nothing was sent/);
    assert.deepEqual(labelsOf(answerOf(asked)), []);
    assert.equal(executions(":ban Somebody"), 0);
  });

  test("what hits everyone needs the server's name typed; another name sends nothing", async () => {
    const sendTo = async (asked: Exchange, name: string) => {
      const form = await press(admin, asked, "Type the server's name");
      assert.ok(form.modal !== undefined);
      const [field] = form.modal.fields;
      assert.ok(field !== undefined);
      return await admin.submit(form.modal, { [field.customId]: name });
    };
    const wrong = await run(":kill all", admin);
    await reads(wrong, /EVERYONE/);
    await reads(await sendTo(wrong, "Some other town"), /name/i);
    assert.equal(executions(":kill all"), 0);
    const right = await run(":kill all", admin);
    await reads(right, /EVERYONE/);
    await reads(await sendTo(right, "River City Roleplay"), /It ran/);
    assert.equal(executions(":kill all"), 1);
  });

  test("a role that is taken away between asking and confirming: denied, nothing sent", async () => {
    const asked = await run(":ban Somebody", admin);
    await reads(asked, /Send it anyway\?/);
    admin.member.removeRole(adminRole);
    await reads(await press(admin, asked, "Send anyway"), /Only \w+ can/);
    admin.member.addRole(adminRole);
    assert.equal(executions(":ban Somebody"), 0);
  });

  test("four at once: sent one after the other, one cancelled, one denied because the role went while it waited", async () => {
    const { moderator, staffRole, general } = rig.home;
    const first = await run(":h in order 1");
    const second = await run(":h in order 2");
    const third = await run(":h in order 3");
    const fourth = await run(":h in order 4");
    // Discord hears of a command before it stands in the queue.
    await Promise.all([second, third, fourth].map(async (waiting) => reads(waiting, /Place|It is next/)));
    await reads(await moderator.slash(general, "run queue"), /in order 2[\s\S]*in order 3/);
    await reads(await press(moderator, second, "Cancel"), /✅/);
    await reads(second, /Cancelled, not sent/);
    await reads(third, /It ran/);
    await reads(first, /It ran/);
    // It has waited for longer than roles are believed: they are read anew right before it is sent.
    moderator.member.removeRole(staffRole);
    await reads(fourth, /Only Moderators can/);
    moderator.member.addRole(staffRole);
    assert.deepEqual(
      [1, 2, 3, 4].map((place) => executions(`:h in order ${place}`)),
      [1, 0, 1, 0],
    );
  });

  test("Run again is a new command with a row of its own", async () => {
    const exchange = await run(":h once more");
    await reads(exchange, /It ran/);
    await reads(await press(rig.home.moderator, exchange, "Run again"), /It ran/);
    assert.equal((await history()).match(/ran `:h once more`/g)?.length, 2);
    assert.equal(executions(":h once more"), 2);
  });

  test("a stop in the middle of a command: its row says what is known, and a start never sends it again", async () => {
    nextCommand({ silent: 1 });
    const exchange = await run(":h while stopping");
    await rig.until("the run being sent", () => /Being sent|being sent/.test(exchange.text) || undefined);
    await rig.restart();
    assert.match(await history(), /❔ may have run[^\n]*while stopping|while stopping[^\n]*❔ may have run/);
    assert.equal(executions(":h while stopping"), 0);
  });

  test("403: the key is parked after a second opinion, the community is told, linking the new key mends it", async () => {
    const old = rig.key;
    const fresh = rig.service.regenerateKey(old);
    rig.keys.add(fresh);
    const text = await reads(await run(":h with an old key"), /server key is wrong or expired/);
    assert.match(text, /It did not run/);
    const notices = rig.home.guild.channel("notices");
    await rig.posted(notices, "is wrong or expired", "/setup link");
    // From memory, in the same words.
    await reads(await run(":h parked now"), /server key is wrong or expired/);
    assert.ok((rig.service.counts.badKeyRequests.get(old) ?? 0) <= 3, "at most two more after the first 403");
    const asked = await rig.typeKey(fresh);
    await reads(asked, /Its key will be replaced/);
    await reads(await press(rig.home.owner, asked, "Yes, replace it"), /has its new key/);
    await reads(await run(":h with the new key"), /It ran/);
    assert.equal(executions(":h with an old key") + executions(":h parked now"), 0);
  });

  test("no command ever ran twice, no request was sent during a wait", () => {
    for (const [id, times] of rig.service.counts.executionsById) assert.equal(times, 1, id);
    for (const [text, times] of rig.service.counts.executionsByText)
      assert.equal(times, text === ":h once more" ? 2 : 1, text);
    assert.equal(rig.service.counts.avoidable, 0);
    assert.equal(
      rig.town.record.commands.filter(({ remote }) => remote).length,
      rig.service.counts.executions.length,
    );
  });

  test("nobody was pinged by any of it", () => {
    for (const channel of rig.home.guild.channels)
      for (const message of rig.discord.messages(channel))
        assert.deepEqual(message.pings, { users: [], roles: [], everyone: false }, textOf(message));
  });

  test("no key and no defect anywhere", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });

  test("what was sent and answered fits Discord's description", (t) => assertFitsDescription(rig, t));
});
