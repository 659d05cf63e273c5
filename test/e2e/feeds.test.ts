import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Message } from "../../src/sandbox/discord/types.ts";
import { HOSTILE_NAMES } from "../../src/sandbox/service/town/people.ts";
import { entryLinesOf } from "../support/entry-lines.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { differences, gapNotices } from "./compare.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("feeds, from the game's logs into the channels", () => {
  let rig: E2eRig;
  let joins: Channel;
  let kills: Channel;
  let calls: Channel;
  let commands: Channel;
  let emergencies: Channel;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key"] });
    await rig.link();
    joins = await rig.feed("joins");
    kills = await rig.feed("kills");
    calls = await rig.feed("mod-calls", { ping: rig.home.staffRole, cooldown: 0 });
    commands = await rig.feed("commands");
    emergencies = await rig.feed("emergency-calls");
  });
  after(() => rig.close());

  /** The entries, those of folded bursts included. */
  const lines = (channel: Channel) =>
    rig.discord.messages(channel).flatMap(({ content }) => entryLinesOf(content));
  const linesWith = (channel: Channel, part: string) => lines(channel).filter((line) => line.includes(part));
  /** The card of a caller, and that it is the only one. */
  function cardOf(caller: string): Message {
    const found = rig.discord.messages(calls).filter((message) => textOf(message).includes(caller));
    assert.equal(found.length, 1, `${found.length} cards of ${caller}`);
    const [card] = found;
    assert.ok(card !== undefined);
    return card;
  }
  const cardReads = (card: Message, pattern: RegExp) =>
    rig.until(`${pattern} on the card; it reads ${textOf(card)}`, () => pattern.test(textOf(card)));

  test("what was in the logs before a feed began is not posted", () => {
    for (const channel of rig.home.guild.channels.filter(({ name }) => /^(joins|kills|commands)/.test(name)))
      assert.deepEqual(rig.discord.messages(channel), [], channel.name);
    assert.ok(rig.town.record.joins.length > 0);
  });

  test("a join, a leave, a kill: one line each, with local time and names, without ids", async () => {
    const riley = rig.town.join("Riley");
    const casey = rig.town.join("Casey");
    rig.town.kill(riley, casey);
    rig.town.leave(riley);
    await rig.posted(joins, "**Riley** left");
    const atS = rig.town.record.joins.at(-1)?.atS;
    assert.deepEqual(
      linesWith(joins, "Riley").map((line) => line.replace(/<t:\d+:T>/, "T").replace(/ after \d+\ss/, "")),
      ["T 🟢 **Riley** joined", "T 🚪 **Riley** left"],
    );
    assert.ok(linesWith(joins, "left")[0]?.includes(`<t:${atS}:T>`));
    await rig.posted(kills, "**Riley** killed **Casey**");
    assert.equal(linesWith(kills, "Riley").length, 1);
  });

  test("commands of players and of this bot stand in the command feed, once each", async () => {
    await reads(
      await rig.home.moderator.slash(rig.home.general, "run command", { text: ":h from the bot" }),
      /It ran/,
    );
    await rig.posted(commands, "**Remote Server** ran `:h from the bot`");
    assert.equal(linesWith(commands, ":h from the bot").length, 1);
  });

  test("the metrics count all of it and name no guild, channel, player or key", async () => {
    const text = await rig.ops("/metrics");
    assert.match(text, /^marshal_feed_delay_seconds_count\{kind="joins"\} [1-9]/m);
    const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = ""]) => label));
    const known = [
      "kind",
      "outcome",
      "reason",
      "route",
      "why",
      "list",
      "le",
      "quantile",
      "version",
      "class",
      "follower",
    ];
    const ofNode = ["major", "minor", "patch", "space", "type", "gctype"];
    for (const label of labels) assert.ok([...known, ...ofNode].includes(label), label);
    for (const secret of [rig.key, "Riley", rig.home.guild.id, joins.id]) assert.ok(!text.includes(secret));
  });

  test("no reader of the journal leaves unread what it has seen, of whatever log", async () => {
    const unread = async () =>
      Object.entries(JSON.parse(await rig.ops("/state")).journal.unread as Record<string, number>);
    const followers = (await unread()).map(([follower]) => follower);
    for (const follower of ["proof", "ban-ends", "alerts"]) assert.ok(followers.includes(follower), follower);
    // What the newest answer brought is read while this asks.
    let left = await unread();
    for (let look = 0; look < 10 && left.some(([, count]) => count > 0); look++) {
      await rig.polled("JoinLogs", "KillLogs", "CommandLogs");
      left = await unread();
    }
    assert.deepEqual(
      left.filter(([, count]) => count > 0),
      [],
    );
  });

  test("two equal entries in one second are two", async () => {
    const [a, b] = [rig.town.join("Twice"), rig.town.join("Target")];
    // Both within one second of the log: tried again where a second ended in between.
    for (let inOne = false; !inOne; ) {
      rig.town.kill(a, b);
      rig.town.kill(a, b);
      const [last, before] = [rig.town.record.kills.at(-1), rig.town.record.kills.at(-2)];
      inOne = last?.atS === before?.atS;
    }
    const due = rig.town.record.kills.filter(({ killer }) => killer.startsWith("Twice")).length;
    await rig.until("both kills", () => linesWith(kills, "**Twice** killed").length >= due);
    await rig.polled("KillLogs");
    assert.equal(linesWith(kills, "**Twice** killed").length, due);
    assert.ok(new Set(linesWith(kills, "**Twice** killed")).size < due);
  });

  test("a row with a missing field neither hides the others nor makes one come twice", async () => {
    rig.service.faults.set({ missingField: 0.5 });
    for (const name of ["Odd One", "Odd Two", "Odd Three"]) rig.town.join(name);
    await rig.polled("JoinLogs");
    await rig.polled("JoinLogs");
    rig.service.faults.clear();
    for (const name of ["Odd One", "Odd Two", "Odd Three"]) await rig.posted(joins, `**${name}** joined`);
    await rig.polled("JoinLogs");
    for (const name of ["Odd One", "Odd Two", "Odd Three"])
      assert.equal(linesWith(joins, name).length, 1, lines(joins).join("\n"));
  });

  test("answers in any order, old, late, cut off or strange: what comes of them is judged at the end", async () => {
    const oddities = [
      { stale: 0.4, logOrder: "shuffled", unknownFields: true },
      { late: 0.4, lateMs: 150, milliseconds: true, moderator: "null" },
      { truncate: 0.3, missingField: 0.3, logOrder: "oldest", noRateLimitHeaders: 0.5 },
    ] as const;
    for (const [round, odd] of oddities.entries()) {
      rig.service.faults.set(odd);
      const [a, b] = [rig.town.join(`Odd ${round} a`), rig.town.join(`Odd ${round} b`)];
      rig.town.kill(a, b);
      const call = rig.town.modCall(a);
      await rig.polled("JoinLogs");
      rig.town.leave(b);
      rig.town.runRemote(`:h odd ${round}`);
      rig.town.answerModCall(call, { name: "OfficerRed", id: 8_800_044 });
      await rig.polled("JoinLogs");
    }
    rig.service.faults.clear();
    await rig.posted(joins, "**Odd 2 b** left");
  });

  test("hostile names ping nobody, break no line and are shown as they are", async () => {
    const before = lines(joins).length;
    const players = HOSTILE_NAMES.map((name) => rig.town.join(name));
    await rig.until("All of them", () => lines(joins).length >= before + players.length);
    const shown = lines(joins).slice(before);
    assert.equal(shown.length, players.length);
    for (const line of shown) assert.match(line, /^<t:\d+:T> 🟢 \*\*.+\*\* joined$/u);
    const raw = lines(joins).join("\n");
    for (const live of ["@everyone", "@here", "<@1>", "<@&1>", "](https", "```", "<#1>", "</run"])
      assert.ok(!raw.includes(live), live);
    rig.town.modCall(players[0]);
    await rig.until("the card", () =>
      rig.discord.messages(calls).some((card) => textOf(card).includes("everyone")),
    );
  });

  test("a mod call is one card: posted when called, edited when answered in the game", async () => {
    const call = rig.town.modCall(rig.town.join("Jamie"));
    const card = await rig.posted(calls, "Jamie", "open");
    assert.deepEqual(labelsOf(card), ["Claim", "Resolve", "Go to caller", "Player", "More"]);
    await reads(await press(rig.home.moderator, card, "Player"), /Jamie[\s\S]*In the game/);
    rig.town.answerModCall(call, { name: "OfficerGrey", id: 8_800_042 });
    await cardReads(card, /answered[\s\S]*Answered in the game by[\s\S]*OfficerGrey[\s\S]*8800042/);
    assert.equal(cardOf("Jamie").id, card.id);
  });

  test("claim, release, resolve with a note: the first claim wins, the second person is told", async () => {
    const { moderator, owner, staffRole } = rig.home;
    owner.member.addRole(staffRole);
    rig.town.modCall(rig.town.join("Morgan"));
    const card = await rig.posted(calls, "Morgan");
    const claim = card.components[0]?.components?.[0]?.custom_id ?? "";
    assert.match(claim, /^mod-claim:/);
    await reads(await press(moderator, card, "Claim"), /The call of .+ is yours/);
    await cardReads(card, new RegExp(`Claimed by <@${moderator.member.id}>`));
    const late = await owner.click(card, claim).catch(() => undefined);
    assert.equal(late, undefined, "the button is gone");
    await reads(await press(moderator, card, "Release"), /open again/);
    await cardReads(card, /^(?![\s\S]*Claimed by)[\s\S]*open/);
    await Promise.all(
      [press(moderator, card, "Claim"), press(owner, card, "Claim")].map(async (asked) =>
        (await asked).settled(),
      ),
    )
      .then((both) => both.map(({ text }) => text).sort())
      .then(([first, second]) => {
        assert.match(`${first}\n${second}`, /The call of .+ is yours/);
        assert.match(`${first}\n${second}`, /already claimed this call/);
      });
    await cardReads(card, /Claimed by/);
    const holder = textOf(card).includes(moderator.member.id) ? moderator : owner;
    const form = await press(holder, card, "Resolve");
    assert.ok(form.modal !== undefined);
    const [field] = form.modal.fields;
    assert.ok(field !== undefined);
    await reads(await holder.submit(form.modal, { [field.customId]: "Sorted **it** out" }), /resolved/i);
    await cardReads(card, /Resolved by <@\d+>[\s\S]*Sorted/);
    assert.deepEqual(labelsOf(card), ["Rewind", "Player"]);
    assert.equal(cardOf("Morgan").id, card.id);
  });

  test("a call is for moderators, or for a role that is allowed calls; each act stands in the audit", async () => {
    const { owner, member, general, guild } = rig.home;
    const takers = guild.addRole({ name: "Call takers" });
    rig.town.modCall(rig.town.join("Harper"));
    const card = await rig.posted(calls, "Harper", "open");
    await reads(await press(member, card, "Claim"), /⛔ Only Moderators can take calls/);
    assert.match(textOf(card), /open/);
    member.member.addRole(takers);
    await reads(
      await owner.slash(general, "staff allow", { role: takers, verb: "calls" }),
      /can take moderator calls/,
    );
    await reads(await press(member, card, "Claim"), /The call of .+ is yours/);
    await cardReads(card, /Claimed by/);
    await reads(
      await member.slash(general, "run command", { text: ":kick Harper" }),
      /Current tier\\?: none/,
    );
    await reads(
      await owner.slash(general, "staff deny", { role: takers, verb: "calls" }),
      /can.t take moderator calls/,
    );
    await reads(await press(member, card, "Release"), /can't take calls/);
    const audit = await owner.slash(general, "audit search", { person: member.member });
    await reads(audit, /claimed: the call of Harper/);
    assert.doesNotMatch(textOf(answerOf(audit)), /released: the call of Harper/);
    member.member.removeRole(takers);
  });

  test("an emergency call is one card: started, a unit joins, ended", async () => {
    const caller = rig.town.join("Emery");
    rig.town.emergencyCall(caller);
    const call = rig.town.record.emergencyCalls.at(-1);
    assert.ok(call !== undefined);
    const card = await rig.posted(emergencies, `Call #${call.callNumber}`, "in progress");
    assert.match(textOf(card), /No units yet/);
    call.players.push(caller.id);
    await cardReads(card, /1 unit/);
    rig.town.world.endEmergency(call);
    await cardReads(card, /ended/);
    const cards = rig.discord
      .messages(emergencies)
      .filter((one) => textOf(one).includes(`Call #${call.callNumber} `));
    assert.equal(cards.length, 1);
  });

  test("several feeds of one kind: each with its own filter, in its own channel", async () => {
    const narrow = await rig.feed("joins", { player: "Vip" });
    const cards = await rig.feed("joins", { style: "cards" });
    rig.town.join("Nobody special");
    rig.town.join("Vip");
    await rig.posted(narrow, "**Vip** joined");
    await rig.posted(cards, "Vip", "Nobody special");
    await rig.posted(joins, "**Vip** joined");
    assert.equal(linesWith(narrow, "Nobody").length, 0);
    assert.equal(linesWith(joins, "Vip").length, 1);
  });

  test("a stop and a start neither repeat nor forget: what happened meanwhile is posted, a claim is kept", async () => {
    const before = rig.town.join("Beforehand");
    rig.town.modCall(before);
    await rig.posted(joins, "**Beforehand** joined");
    const card = await rig.posted(calls, "Beforehand");
    await reads(await press(rig.home.moderator, card, "Claim"), /The call of .+ is yours/);
    await cardReads(card, /Claimed by/);
    await rig.stop();
    rig.town.join("Meanwhile");
    rig.town.answerModCall(undefined, { name: "OfficerBlue", id: 8_800_043 });
    await rig.startBot();
    await rig.posted(joins, "**Meanwhile** joined");
    await cardReads(card, /Answered in the game by[\s\S]*OfficerBlue/);
    assert.match(textOf(card), /Claimed by/);
    await rig.polled("JoinLogs");
    for (const name of ["Beforehand", "Meanwhile", "Riley", "Vip"])
      assert.equal(linesWith(joins, `**${name}** joined`).length, 1, name);
    cardOf("Beforehand");
  });

  test("an entry at the moment of a stop, again and again: each stands in the channel once", async () => {
    for (let round = 0; round < 4; round += 1) {
      rig.town.join(`Round${round}`);
      // Some stops meet it unread, some frozen, some being sent.
      if (round > 0) await rig.clock.sleep(round * 900);
      await rig.restart();
    }
    for (let round = 0; round < 4; round += 1) await rig.posted(joins, `**Round${round}** joined`);
    await rig.polled("JoinLogs");
    for (let round = 0; round < 4; round += 1)
      assert.equal(linesWith(joins, `**Round${round}** joined`).length, 1);
  });

  test("answers of Discord that are lost, before and after the message stood there: each entry once", async () => {
    for (const fault of ["sendThen500", "sendThenReset", "failSends"] as const) {
      rig.discord.faults.set({ [fault]: 1 });
      rig.town.join(`Fault ${fault}`);
      await rig.posted(joins, `**Fault ${fault}** joined`);
      await rig.polled("JoinLogs");
      assert.equal(linesWith(joins, `Fault ${fault}`).length, 1, fault);
    }
    rig.discord.faults.clear();
  });

  test("an outage of Discord loses nothing and repeats nothing", async () => {
    rig.discord.faults.set({ outage: "5xx" });
    const names = Array.from({ length: 12 }, (_, index) => `Outage${index}x`);
    for (const [index, name] of names.entries()) {
      rig.town.join(name);
      if (index % 4 === 3) await rig.polled("JoinLogs");
    }
    rig.discord.faults.clear();
    await rig.posted(joins, "Outage11x");
    await rig.polled("JoinLogs");
    for (const name of names) assert.equal(linesWith(joins, `**${name}** joined`).length, 1, name);
  });

  test("Discord cut off altogether, gateway too: the bot comes back by itself, each entry once", async () => {
    rig.discord.faults.set({ outage: "down" });
    rig.discord.faults.dropGateway();
    rig.town.join("Cut off");
    await rig.polled("JoinLogs");
    await rig.clock.sleep(5_000);
    rig.discord.faults.clear();
    await rig.posted(joins, "**Cut off** joined");
    const { member, general } = rig.home;
    // Discord waits three seconds for an answer. What a person asked while the gateway was away gets none.
    const act = { waitMs: 3_000 };
    const answered = async () => (await member.slash(general, "server status", {}, act)).kind !== "none";
    while (!(await answered())) await rig.clock.sleep(1_000);
    await rig.polled("JoinLogs");
    assert.equal(linesWith(joins, "Cut off").length, 1);
  });

  test("a feed that may not post is told in the notice channel, and goes on by itself when it may again", async () => {
    const { guild, owner, general } = rig.home;
    const staffRoom = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: staffRoom }), /Notices are posted in/);
    const shut = await rig.feed("joins");
    shut.denyBot("SendMessages");
    rig.town.join("NotSeen");
    await rig.posted(staffRoom, "has stopped", "continues by itself");
    shut.allowBot("SendMessages");
    await rig.posted(staffRoom, "is back. What happened in between");
    await rig.polled("JoinLogs");
    rig.town.join("SeenAgain");
    await rig.posted(shut, "**SeenAgain** joined");
    await reads(await owner.slash(general, "setup notices"), /Notices are posted in/);
    await reads(await owner.slash(general, "setup notices", { off: true }), /direct message/);
  });

  test("a channel that was deleted parks its feed, tells who configured it what to do, once, and the others go on", async () => {
    const doomed = await rig.feed("joins");
    const told = () =>
      rig.home.owner
        .dms()
        .filter((message) => textOf(message).includes("has stopped: the channel was deleted"));
    doomed.delete();
    rig.town.join("Unseen");
    await rig.until("the owner being told", () => told().length > 0);
    assert.match(textOf(told()[0] ?? assert.fail()), /\/diagnose/);
    rig.town.join("Unseen too");
    await rig.posted(joins, "**Unseen too** joined");
    await rig.polled("JoinLogs");
    assert.equal(told().length, 1);
    const list = await rig.home.owner.slash(rig.home.general, "feed list");
    await reads(list, /stopped/);
    assert.ok(labelsOf(answerOf(list)).some((label) => /^Another channel for \d+$/.test(label)));
  });

  test("a channel where the bot may no longer write parks too, told in the notice channel where DMs are closed; resumed, it posts from then on", async () => {
    const { owner, general, guild } = rig.home;
    const closed = await rig.feed("kills");
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    owner.member.closeDms();
    closed.denyBot("SendMessages");
    const [a, b] = [rig.town.join("Hush"), rig.town.join("Hushed")];
    rig.town.kill(a, b);
    await rig.posted(notices, closed.id, "Marshal can't post there");
    owner.member.openDms();
    closed.allowBot("SendMessages");
    const list = await reads(await owner.slash(general, "feed list"), /stopped/);
    const number = list.split("\n").findIndex((line) => line.includes(closed.id));
    assert.ok(number >= 0, list);
    const feed = /(\d+)\./.exec(list.split("\n")[number] ?? "")?.[1] ?? "";
    await reads(await owner.slash(general, "feed resume", { feed }), /Resumed/);
    await rig.polled("KillLogs");
    rig.town.kill(b, a);
    await rig.posted(closed, "**Hushed** killed **Hush**");
    assert.equal(linesWith(closed, "**Hush** killed").length, 0);
  });

  test("nothing pings but the role of the mod-call feed, and that only when a card is new", () => {
    const newCards = rig.discord.messages(calls);
    assert.ok(newCards.length >= 4);
    for (const channel of rig.home.guild.channels) {
      for (const message of rig.discord.messages(channel)) {
        const roles = channel === calls ? [rig.home.staffRole.id] : [];
        assert.deepEqual(message.pings, { users: [], roles, everyone: false }, textOf(message));
      }
    }
  });

  test("what stands in the channels is the town's own record, entry by entry", async () => {
    const { record } = rig.town;
    const firstJoin = record.joins.findIndex(({ player }) => player.startsWith("Riley:"));
    const from = { joins: firstJoin, kills: 0, commands: 0, modCalls: 0 };
    const channels = { joins, kills, commands, modCalls: calls };
    const found = () => differences(rig.discord, record, channels, from);
    await rig.until("all that is due", () => found().every(({ lost }) => lost.length === 0));
    await rig.polled("JoinLogs", "KillLogs", "CommandLogs", "ModCalls");
    for (const { what, due, lost, repeated } of found()) {
      assert.ok(due > 0, what);
      assert.deepEqual({ lost, repeated }, { lost: [], repeated: [] }, what);
    }
    assert.deepEqual(gapNotices(rig.discord, channels), []);
  });

  test("a feed that is moved goes on in the new channel, with nothing lost and nothing twice", async () => {
    const { owner, general, guild } = rig.home;
    const old = await rig.feed("joins");
    rig.town.join("Settled");
    await rig.posted(old, "**Settled** joined");
    const choices = await owner.autocomplete(general, "feed edit", { feed: old.name }, "feed");
    const feed = String(choices[0]?.value);
    const channel = guild.addChannel({ name: "joins-moved" });
    await reads(await owner.slash(general, "feed edit", { feed }), new RegExp(`Set now: .*${old.id}`));
    await reads(await owner.slash(general, "feed edit", { feed, channel }), /Feed changed/);
    rig.town.join("Moved");
    await rig.posted(channel, "**Moved** joined");
    assert.equal(linesWith(channel, "**Settled** joined").length, 0);
    assert.equal(linesWith(old, "**Moved** joined").length, 0);
  });

  test("@everyone is no role to ping: refused in words that say so", async () => {
    const { owner, general, guild } = rig.home;
    const words = /Marshal never pings @.?everyone[\s\S]*Choose a role/u;
    const ping = guild.everyone;
    await reads(await owner.slash(general, "feed add", { kind: "mod-calls", ping }), words);
    await reads(await owner.slash(general, "setup watches", { channel: general, ping }), words);
  });

  test("a feed whose role Discord would not ping says so when it is added; a role that it pings does not", async () => {
    const { owner, general, guild, staffRole } = rig.home;
    const add = async (ping: typeof staffRole) => {
      const channel = guild.addChannel({ name: `calls-of-${ping.name.toLowerCase()}` });
      const options = { kind: "mod-calls", channel, ping };
      return await reads(await owner.slash(general, "feed add", options), /Feed added/);
    };
    const quiet = guild.addRole({ name: "Quiet", mentionable: false });
    assert.match(await add(quiet), new RegExp(`<@&${quiet.id}> would not be notified`));
    assert.doesNotMatch(await add(staffRole), /would not be notified/);
  });

  test("no key and no defect anywhere, and nothing was sent during a wait", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });

  test("what was sent and answered fits Discord's description", (t) => assertFitsDescription(rig, t));
});
