import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Exchange, Message } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

describe("cases and the watchlist, from a kick to a revoked case", () => {
  let rig: E2eRig;
  let channel: Channel;
  let watched: Channel;
  let mo: PlayerRef;

  before(async () => {
    rig = await E2eRig.start();
    const { owner, general, guild } = rig.home;
    await rig.link();
    channel = guild.addChannel({ name: "cases" });
    watched = guild.addChannel({ name: "watched" });
    await reads(await owner.slash(general, "setup cases", { channel }), /Cases are posted in/);
    await reads(
      await owner.slash(general, "setup watches", { channel: watched }),
      /Joins of watched players/,
    );
    // Something reads the logs of the server.
    await rig.feed("commands");
    await rig.feed("joins");
    rig.town.join("AnnLee", 9_000_000_001);
    mo = rig.town.join("MoGame", 9_000_000_002);
    rig.town.world.staff.set(mo.id, { name: mo.name, role: "mod" });
    await rig.polled("CommandLogs", "JoinLogs");
  });
  after(async () => {
    await rig.close();
  });

  const mod = new Asking(() => rig);
  const owner = new Asking(() => rig, "owner");
  const fill = async (on: Message | Exchange, label: string, words: string, then: RegExp) => {
    const { modal } = await press(rig.home.moderator, on, label);
    assert.ok(modal !== undefined, `${label} opens a form`);
    const exchange = await rig.home.moderator.submit(modal, { [modal.fields[0]?.customId ?? ""]: words });
    await reads(exchange, then);
    return exchange;
  };

  test("a kick without a reason becomes a receipt that completes itself, and its author is asked", async () => {
    const ran = await mod.reads("run command", { text: ":kick AnnLee" }, /It ran/);
    const card = await rig.posted(channel, "Kick · case 1", "AnnLee", "Answered");
    assert.match(textOf(card), /No reason yet/);
    assert.deepEqual(labelsOf(answerOf(ran)).includes("Give the reason"), true);
    await rig.until("the receipt is complete", () =>
      /Seen in the game's log[\s\S]*Player left/.test(textOf(card)) ? card : undefined,
    );
    await fill(ran, "Give the reason", "cop baiting", /Reason saved for case 1/);
    await rig.until("the reason on the card", () => textOf(card).includes("cop baiting"));
    assert.ok(!labelsOf(card).includes("Give the reason"));
    assert.equal(rig.discord.messages(channel).length, 1);
  });

  test("a ban that somebody typed in the game becomes a case; any Moderator gives its reason", async () => {
    rig.town.world.logCommand(mo, ":ban AnnLee", false);
    const card = await rig.posted(channel, "Ban · case 2", "Typed in the game", "MoGame");
    await fill(card, "Give the reason", "came back", /Reason saved for case 2/);
    await rig.until("the reason on the card", () => textOf(card).includes("came back"));
  });

  test("notes and warnings are written, changed with their history, found and revoked", async () => {
    const bob = rig.town.join("BobRay", 9_000_000_003);
    await rig.polled("JoinLogs");
    const warnings: Exchange[] = [];
    for (const n of [1, 2, 3]) {
      const warning = { player: String(bob.id), kind: "warning", reason: `spam ${n}` };
      warnings.push(await mod.reads("case add", warning, /Warning · case/));
    }
    await rig.posted(channel, "spam 3", "3 warnings in 30 days");
    const told = await mod.reads(
      "case add",
      { player: String(bob.id), kind: "warning", reason: "told *now*" },
      /BobRay\*\* was not told in the game yet/,
    );
    // The question may expire: the case offers it again.
    const older = await mod.reads("case show", { number: 6 }, /Not told in the game yet/);
    const shown = await mod.reads("case show", { number: 6 }, /Not told in the game yet/);
    const asked = await press(rig.home.moderator, shown, "Tell BobRay");
    await reads(asked, /:pm BobRay You were warned by the staff: told \*now\*[\s\S]*Not sent yet/);
    const sent = await press(rig.home.moderator, asked, "Send it");
    await reads(sent, /It ran/);
    assert.deepEqual(labelsOf(answerOf(sent)), ["Case 6"]);
    await rig.posted(channel, "told", "Told in the game");
    await reads(await press(rig.home.moderator, older, "Tell BobRay"), /told in the game already/);
    // What offered it says by itself that it is done.
    for (const answer of [told, shown]) {
      await reads(answer, /BobRay\*\* was told in the game\.[\s\S]*Told in the game/);
      assert.ok(!labelsOf(answerOf(answer)).includes("Tell BobRay"));
    }
    const known = await mod.reads("case show", { number: 6 }, /Told in the game/);
    assert.ok(!labelsOf(answerOf(known)).includes("Tell BobRay"));
    await owner.reads("setup tell", {}, /only when staff press \*Tell\*/);
    await owner.reads("setup tell", { on: true }, /at most once a visit/);
    const warned = () => rig.town.record.messages.filter(({ text }) => text.startsWith("You were warned"));
    const before = warned().length;
    const again = { player: String(bob.id), kind: "warning", reason: "told at once" };
    await mod.reads("case add", again, /BobRay\*\* was told in the game/);
    await mod.reads("case add", again, /on this visit, or three today/);
    await owner.reads("setup tell", { on: false }, /only when staff press \*Tell\*/);
    assert.equal(warned().length, before + 1);
    rig.town.leave(bob);
    await rig.polled("JoinLogs");
    await mod.reads("case revoke", { number: 6, reason: "only to see" }, /Case 6 revoked/);
    const left = { player: String(bob.id), kind: "warning", reason: "gone" };
    await mod.reads("case add", left, /BobRay\*\* is not in the server, so they were not told/);
    await mod.reads("case revoke", { number: 7, reason: "only to see" }, /Case 7 revoked/);
    rig.town.join("BobRay", bob.id);
    await rig.polled("JoinLogs");
    const link = { number: 3, reason: "much spam", evidence: "https://pictures.example/1?a=(b)" };
    await mod.reads("case edit", link, /Case 3 updated[\s\S]*Evidence[\s\S]*before: spam 1/);
    await rig.posted(channel, "much spam", "Edited");
    const found = await mod.reads("case search", { player: String(bob.id) }, /#5[\s\S]*#4[\s\S]*#3/);
    assert.doesNotMatch(found.text, /#1/);
    const offers = await mod.reads("case show", { number: 3 }, /Not told in the game yet/);
    await mod.reads("case show", { number: 3 }, /Not told in the game yet/);
    await mod.reads("case revoke", { number: 3, reason: "a mistake" }, /Case 3 revoked/);
    // Nobody is told of it any more: by no button that is left, and by none that was not taken away.
    const [first] = warnings;
    assert.ok(first);
    await reads(first, /Case 3 revoked/);
    assert.ok(!labelsOf(answerOf(first)).includes("Tell BobRay"));
    await reads(await press(rig.home.moderator, offers, "Tell BobRay"), /This warning was revoked/);
    await rig.posted(channel, "Revoked · Warning · case 3", "a mistake");
    await mod.reads("case show", { number: 3 }, /Revoked/);
    await mod.reads("case show", { number: 99 }, /no case 99/);
    await mod.reads("case edit", { number: 3 }, /Say what to change/);
    await mod.reads("case edit", { number: 3, evidence: "javascript:alert(1)" }, /starts with https/);
    await mod.reads("case search", { kind: "ban", since: "1 h ago" }, /#2/);
    const ban = { player: String(bob.id), kind: "ban", reason: "by my word" };
    await mod.reads("case add", ban, /Only Administrators can run \\?:ban[\s\S]*ask with \\?\/case ask/);
    await mod.reads("case add", { ...ban, kind: "kick" }, /Kick · case[\s\S]*Written by hand/);
    await mod.reads("case search", { since: "20 parsecs" }, /25 min ago/);
  });

  test("only Moderators see any of it", async () => {
    const { member, general } = rig.home;
    await reads(await member.slash(general, "case show", { number: 1 }), /Only Moderators can/);
    await reads(await member.slash(general, "case search"), /Only Moderators can/);
    await reads(await member.slash(general, "player watches"), /Only Moderators can/);
    const card = await rig.posted(channel, "Ban · case 2");
    assert.match((await member.click(card, "Player")).text, /Only Moderators can|^$/);
  });

  test("a watched player is told once when they join, with their buttons, also after a restart", async () => {
    const { moderator } = rig.home;
    const watch = { player: "BobRay", reason: "asks for money", until: "7 days" };
    await mod.reads("player watch", watch, /BobRay\*\* is now watched until/);
    const there = rig.town.players.find(({ name }) => name === "BobRay");
    assert.ok(there !== undefined);
    rig.town.leave(there);
    await rig.polled("JoinLogs");
    await rig.restart();
    rig.town.join("BobRay", 9_000_000_003);
    const alert = await rig.posted(watched, "A watched player joined", "BobRay", "asks for money");
    assert.deepEqual(labelsOf(alert), ["Player", "PM", "Kick", "Jail", "More"]);
    const opened = await press(moderator, alert, "More");
    await reads(opened, /More about \*\*BobRay/);
    const more = answerOf(opened);
    assert.deepEqual(labelsOf(more), ["Warn", "Note", "End watch", "Ask for a ban", "Map"]);
    await fill(more, "Note", "talked to him", /Note · case 11[\s\S]*talked to him/);
    await rig.polled("JoinLogs");
    assert.equal(rig.discord.messages(watched).length, 1);
    const list = await mod.reads(
      "player watches",
      {},
      /Watchlist · 1[\s\S]*BobRay[\s\S]*-# Joins of watched players are posted in <#\d+>\./,
    );
    const menu = answerOf(list).components[0]?.components?.[0]?.custom_id ?? "";
    await reads(
      await moderator.select(answerOf(list), menu, ["End the watch of BobRay"]),
      /no longer watched/,
    );
    await reads(await press(moderator, more, "End watch"), /is not watched/);
  });

  test("a jail that was undone says so on its case: when, and by whom", async () => {
    const { moderator } = rig.home;
    const jailed = await mod.reads(
      "run command",
      { text: ":jail BobR" },
      /It ran[\s\S]*`:jail BobR` \(BobRay\)/,
    );
    const { modal } = await press(moderator, jailed, "Give the reason");
    assert.equal(modal?.title, "Reason for :jail BobR (BobRay)");
    const open = await rig.until("the case on the answer", () =>
      labelsOf(answerOf(jailed)).find((label) => /^Case \d+$/.test(label)),
    );
    await reads(await press(moderator, jailed, "Undo"), /It ran[\s\S]*:unjail BobRay/);
    const undone = `Undone: \`:unjail\` ran <t:\\d+:f>, by <@${moderator.member.id}>`;
    await rig.posted(channel, "Jail · case", "Undone");
    await rig.until("the first answer's buttons are gone", () => {
      return !labelsOf(answerOf(jailed)).some((label) => /Undo|Run again/.test(label));
    });
    assert.match(textOf(answerOf(jailed)), /It ran[\s\S]*:jail/);
    await reads(await press(moderator, jailed, open), new RegExp(undone));
    await mod.comesToRead("case show", { number: Number(open.slice(5)) }, new RegExp(undone));
    await mod.reads("case search", { kind: "jail" }, /BobRay[\s\S]*undone/);
  });

  test("a jail whose answer the process before did not get has its case on the answer of the next", async () => {
    const { moderator, general } = rig.home;
    rig.service.faults.next({ silent: 1, only: "commands" });
    const jailed = await moderator.slash(general, "run command", { text: ":jail BobRay" });
    await reads(jailed, /Being sent/);
    rig.town.world.logCommand(mo, ":jail BobRay", true);
    await rig.restart();
    await reads(jailed, /✅ It ran[\s\S]*The game's log shows it/);
    await rig.until("the case on the late answer", () => {
      const [why, open, ...more] = labelsOf(answerOf(jailed));
      return /^Case \d+$/.test(open ?? "") && [why, ...more].join() === "Give the reason,Undo,Run again";
    });
  });

  test("nothing was logged as an error, no key was seen, the service was asked well", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
