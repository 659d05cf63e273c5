import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Exchange, Message, Modal, Person } from "../../src/sandbox/discord/types.ts";
import { AppealsRig, MAY_TALK } from "./appeals-rig.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import type { E2eRig } from "./rig.ts";
import { PLAIN } from "./sweep-town.ts";

const PLAIN_ID = 8_000_000_000;
describe("appeals, from the button to the answer", () => {
  let appeals: AppealsRig;
  let rig: E2eRig;
  let manager: Person;
  let other: Person;
  let staffOnly: Channel;
  let players: Channel;

  before(async () => {
    appeals = await AppealsRig.start();
    ({ rig, manager, other, staffOnly, players } = appeals);
    rig.town.join(PLAIN, PLAIN_ID);
    await rig.polled("Players");
  });
  after(() => rig.close());

  const setUp = () => appeals.setUp();
  const executions = (text: string) => rig.service.counts.executionsByText.get(text) ?? 0;
  const ban = (by: Person) => appeals.ran(`:ban ${PLAIN} spam`, by);
  const buttonOf = () => appeals.button;
  const open = async (who: Person) => (await who.click(buttonOf(), "Appeal")).modal ?? assert.fail();
  const submit = (who: Person, modal: Modal, name: string): Promise<Exchange> => {
    const [first, second] = modal.fields.map(({ customId }) => customId);
    return who.submit(modal, { [first ?? ""]: name, [second ?? ""]: "I did not do *that*, @everyone" });
  };
  const appeal = async (who: Person, name: string) => await submit(who, await open(who), name);
  const says = (card: Message, pattern: RegExp) =>
    rig.until(String(pattern), () => (pattern.test(textOf(card)) ? card : undefined));

  test("are off until a channel is named that players do not see", async () => {
    const { owner, general, guild } = rig.home;
    const diagnosis = async () => await reads(await owner.slash(general, "diagnose"), /All is well|need/);
    const entry = (options: Record<string, Channel>) => owner.slash(general, "setup appeals", options);
    await reads(await entry({}), /Appeals are off/);
    await reads(await entry({ "button-in": players }), /Choose a channel for your staff/);
    await reads(await entry({ channel: players, "button-in": players }), /two channels/);
    await reads(
      await setUp(),
      new RegExp(
        `missing \\*\\*Create Private Threads\\*\\* in <#${players.id}>[\\s\\S]*private threads there`,
      ),
    );
    const refused = await setUp();
    await reads(refused, /Nothing was changed: [\s\S]*allow what is missing/);
    await reads(await press(owner, refused, "Check again"), /Nothing was changed: /);
    assert.deepEqual(rig.discord.messages(players), [], "no button stands where nobody could be answered");
    await reads(await entry({}), /Appeals are off/);
    guild.setBotPermissions(MAY_TALK);
    await reads(await entry({ channel: staffOnly }), /Nobody can appeal yet: .*button-in:/);
    await reads(
      await press(owner, refused, "Check again"),
      /Appeals are posted for staff in[\s\S]*button is in/,
    );
    assert.doesNotMatch(await diagnosis(), /Talks about appeals/);
    guild.setBotPermissions(MAY_TALK.filter((name) => name !== "CreatePrivateThreads"));
    assert.match(await diagnosis(), /Talks about appeals in <#\d+>: missing \*\*Create Private Threads\*\*/);
  });

  test("reach staff with the case and what it keeps; are talked about in private; and lift the ban, once", async () => {
    const { member, guild } = rig.home;
    await ban(manager);
    await reads(await appeal(member, PLAIN), /Sent\. The staff will answer/);
    const card = await rig.posted(staffOnly, "⚖️ Appeal", "Not proven yet", "Ban · case 1");
    assert.match(textOf(card), /did not do \\\*that\\\*/);
    const second = await member.click(buttonOf(), "Appeal");
    assert.equal(second.modal, undefined, "nobody fills in a form that is refused");
    await reads(second, /waits for an answer/);

    await reads(
      await press(other, card, "Talk"),
      /I need Create Private Threads(?![\s\S]*Ask a manager of this Discord server)/,
    );
    guild.setBotPermissions(MAY_TALK);
    await reads(await press(other, card, "Talk"), /<#\d+>/);
    await reads(await press(other, card, "Talk"), /<#\d+>/);
    const threads = guild.channels.filter(({ type }) => type === "private-thread");
    assert.equal(threads.length, 1);
    const thread = threads[0] ?? assert.fail();
    assert.match(textOf(member.sees(thread)[0] ?? assert.fail()), /about your appeal/);
    assert.ok(!textOf(member.sees(thread)[0] ?? assert.fail()).includes("case"));
    assert.deepEqual(rig.home.moderator.sees(thread), []);

    await reads(await press(manager, card, "It's their account"), /This is your own case, so somebody else/);
    await says(card, /says <@/);
    await reads(await press(manager, card, "Accept"), /You made this case/);
    const accepted = await press(other, card, "Accept");
    await reads(accepted, /It ran/);
    assert.ok(!labelsOf(answerOf(accepted)).includes("Give the reason"), "why it was lifted is known");
    await says(card, /accepted[\s\S]*Unbanned in the game[\s\S]*Revoked/);
    await reads(
      await other.slash(staffOnly, "case show", { number: 2 }),
      /Unban[\s\S]*Their appeal was accepted/,
    );
    assert.equal(executions(`:unban ${PLAIN_ID}`), 1);
    await rig.until("the answer", () =>
      member.sees(thread).some((message) => textOf(message).includes("your appeal was accepted")),
    );
    assert.deepEqual(
      labelsOf(card).filter((label) => /Accept|Refuse|Talk/.test(label)),
      [],
    );
    const third = await member.click(buttonOf(), "Appeal");
    assert.equal(third.modal, undefined);
    await reads(third, /again in 7 days/);
  });

  test("of somebody who was never punished say so to staff alone, and a decision outlives a restart", async () => {
    const { moderator } = rig.home;
    await reads(await appeal(moderator, "NobodyKnown"), /Sent\. The staff will answer/);
    const card = await rig.posted(staffOnly, "NobodyKnown", "Nobody with that name", "no case");
    assert.ok(!labelsOf(card).includes("Accept"));
    await rig.restart();
    await reads(await press(other, card, "Refuse"), /Refused/);
    await rig.until("the answer by direct message", () =>
      moderator.dms().some((message) => textOf(message).includes("your appeal was refused")),
    );
    await says(card, /Appeal · refused/);
    await reads(
      await press(manager, card, "Refuse").catch(() => moderator.click(buttonOf(), "Appeal")),
      /again in 7 days/,
    );
  });

  test("forty at once are forty messages; the only Manager cannot decide what they did, the owner can, and it says so", async () => {
    const { guild, owner, general, staffRole } = rig.home;
    await reads(await owner.slash(general, "staff allow", { role: staffRole, tier: "manager" }), /Manager/);
    owner.member.addRole(guild.role("Managers"));
    await ban(owner);
    const many = Array.from({ length: 40 }, (_, n) =>
      rig.discord.as(guild.addMember({ name: `Player ${n}` })),
    );
    const before = rig.discord.messages(staffOnly).length;
    const forms: (readonly [Person, Modal])[] = [];
    for (const who of many) forms.push([who, await open(who)]);
    // What a community may do at once is bounded: forty.
    await rig.clock.sleep(5_000);
    const sent = await Promise.all(forms.map(([who, modal]) => submit(who, modal, PLAIN)));
    for (const exchange of sent) await reads(exchange, /Sent\. The staff will answer/);
    await rig.until("forty messages", () => rig.discord.messages(staffOnly).length === before + 40);
    const card = await rig.posted(staffOnly, "Ban · case 3", "Not proven yet");
    await reads(await press(owner, card, "It's their account"), /Accept/);
    await says(card, /says <@/);
    await reads(await press(owner, card, "Accept"), /It ran/);
    await says(card, /They own this Discord server, and made the case/);
    const another = rig.discord
      .messages(staffOnly)
      .findLast((message) => labelsOf(message).includes("Refuse"));
    await says(another ?? assert.fail(), /Revoked · Ban · case 3/);
    assert.equal(executions(`:unban ${PLAIN_ID}`), 2);
  });

  test("wait for a bot that was removed and invited again in the middle of it", async () => {
    const { guild } = rig.home;
    const isOpen = (message: Message) => labelsOf(message).includes("Refuse");
    const card = rig.discord.messages(staffOnly).findLast(isOpen) ?? assert.fail();
    guild.removeBot();
    const forgotten = async () => JSON.parse(await rig.ops("/state")).feeds.live === 0;
    while (!(await forgotten())) await rig.clock.sleep(50);
    guild.addBot();
    await reads(await press(other, card, "Refuse"), /No game server is linked/);
    await rig.link();
    await reads(await press(other, card, "Refuse"), /Refused/);
    await says(card, /Appeal · refused/);
    await reads(await appeal(rig.discord.as(guild.addMember({ name: "Late" })), PLAIN), /Sent/);
  });

  test("nothing of it broke a rule of Discord or showed the key", async (t) => {
    assertWellBehaved(rig);
    await assertNoKeySeen(rig);
    assertFitsDescription(rig, t);
  });
});
