import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Exchange, Person, Role } from "../../src/sandbox/discord/types.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("a session, from the vote to the summary", () => {
  let rig: E2eRig;
  let channel: Channel;
  let players: Role;
  let host: Person;

  before(async () => {
    rig = await E2eRig.start({ leaps: true });
    const { guild } = rig.home;
    channel = guild.addChannel({ name: "sessions" });
    players = guild.addRole({ name: "Players", mentionable: true });
    const hosts = guild.addRole({ name: "Hosts" });
    host = rig.discord.as(guild.addMember({ name: "Hanna", roles: [hosts] }));
    await rig.link();
    await rig.polled("Players");
    const setup = { channel, ping: players, hosts, votes: 2, text: "Be nice.\\nHave fun", cooldown: 0 };
    const notYet = /not set up yet[\s\S]*Choose a channel for them with .*session setup/;
    await asks(rig.home.owner, "session start", {}, notYet);
    await asks(rig.home.member, "session start", {}, /Only Managers and session hosts/);
    await asks(host, "session setup", setup, /Only Managers/);
    await asks(rig.home.owner, "session setup", { ...setup, votes: 1 }, /\*\*1\*\* vote is enough/);
    await asks(
      rig.home.owner,
      "session setup",
      setup,
      /Run by Managers and[\s\S]*\*\*2\*\* votes are enough/,
    );
  });
  after(async () => {
    await rig.close();
  });

  const asks = async (person: Person, line: string, options: object, then: RegExp): Promise<Exchange> => {
    const exchange = await person.slash(rig.home.general, line, { ...options });
    await reads(exchange, then);
    return exchange;
  };

  test("a vote counts each person once, also over a restart", async () => {
    const { moderator, member } = rig.home;
    await asks(member, "session vote", {}, /Only Managers and session hosts/);
    await asks(host, "session full", {}, /No session is on/);
    await asks(host, "session vote", {}, /Vote posted/);
    const vote = await rig.posted(channel, "**0** of **2**", "Vote");
    assert.deepEqual(vote.pings.roles, [players.id]);
    await asks(host, "session vote", {}, /already open/);
    await reads(await press(member, vote, "I'm in"), /You're in: \*\*1\*\* of \*\*2\*\*/);
    const again = await press(member, vote, "I'm in");
    await reads(again, /Your vote counts: \*\*1\*\* of/);
    await reads(await press(member, again, "Mention me at the start"), /The start mentions you/);
    await rig.restart();
    await reads(await press(member, vote, "I'm in"), /Your vote counts: \*\*1\*\* of/);
    const other = await press(moderator, vote, "I'm in");
    await reads(other, /You're in: \*\*2\*\* of/);
    await reads(await press(moderator, other, "Take my vote back"), /took your vote back: \*\*1\*\* of/);
    await reads(await press(moderator, vote, "I'm in"), /You're in: \*\*2\*\* of/);
    await rig.until("enough votes on the message", () => textOf(vote).includes("Enough"));
  });

  test("the start is one message, which mentions who allowed it, and lives", async () => {
    const { member, owner } = rig.home;
    const both = await Promise.all([
      host.slash(rig.home.general, "session start"),
      owner.slash(rig.home.general, "session start"),
    ]);
    for (const exchange of both) await reads(exchange, /Session posted|already on/);
    assert.equal(both.filter(({ text }) => text.includes("Session posted")).length, 1);
    const card = await rig.posted(channel, "Session: ", "Be nice.\nHave fun");
    assert.deepEqual(card.pings, { roles: [players.id], users: [member.member.id], everyone: false });
    const vote = await rig.posted(channel, "The session has started");
    assert.deepEqual(labelsOf(vote), []);
    const here = rig.town.players.length;
    rig.town.join("Newcomer", 9_100_000_001);
    await rig.until("the newcomer on the card", () => textOf(card).includes(`**${here + 1}** of`));
    await asks(host, "session full", {}, /server is full\. The last look showed \d+ of \d+ players\./);
    await rig.posted(channel, "is full");
    await asks(host, "session full", {}, /Already posted/);
    await asks(host, "session low", {}, /players wanted.*Without a ping/);
    const low = await rig.posted(channel, "Players wanted on");
    assert.deepEqual(low.pings.roles, []);
    await rig.until("the card", () => textOf(card).includes("Players wanted"));
    assert.equal(rig.discord.messages(channel).filter((one) => textOf(one).includes("Be nice")).length, 1);
  });

  test("the end sums up what was seen, and the next vote can begin", async () => {
    await asks(host, "session end", {}, /Session over/);
    const summary = await rig.posted(channel, "📋", "Most players", "Staff seen");
    assert.match(textOf(summary), /No moderator calls/);
    await rig.until("the end on the card", () =>
      rig.discord.messages(channel).some((one) => textOf(one).includes("Session over")),
    );
    await asks(
      host,
      "session past",
      {},
      /after 8 sessions of half an hour or more with answered calls.* So far: 0/,
    );
    await asks(host, "session vote", { needed: 5 }, /Vote posted/);
    await asks(host, "session cancel", {}, /Vote cancelled/);
    await rig.posted(channel, "The vote was cancelled");
  });

  test("nothing of it broke a rule of Discord or showed the key", () => {
    assertWellBehaved(rig);
    assertNoKeySeen(rig);
  });
});
