import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Message } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];
type Options = Readonly<Record<string, string | number | boolean | { readonly id: string }>>;

describe("alerts, each kind from the command to its message", () => {
  let rig: E2eRig;
  let ann: PlayerRef;
  let bob: PlayerRef;
  let evil: PlayerRef;

  before(async () => {
    rig = await E2eRig.start({ leaps: true });
    await rig.link();
    ann = rig.town.join("AnnLee", 9_000_000_001);
    bob = rig.town.join("BobRay", 9_000_000_002);
    evil = rig.town.join("@everyone **x** <@&1> https://x.example", 9_000_000_003);
    await rig.polled("Players");
  });
  after(() => rig.close());

  const owner = async (line: string, options: Options, then: RegExp) => {
    const exchange = await rig.home.owner.slash(rig.home.general, line, options);
    await reads(exchange, then);
    return exchange;
  };
  /** A channel with an alert whose first answer of the service has been taken. */
  const alertOf = async (kind: string, list: string, options: Options = {}): Promise<Channel> => {
    const channel = rig.home.guild.addChannel({ name: `alert-${kind}-${rig.home.guild.channels.length}` });
    await owner("alert add", { kind, channel, ...options }, /Alert added/);
    await rig.polled(list);
    return channel;
  };
  const only = (channel: Channel): Message => {
    const [message, ...others] = rig.discord.messages(channel);
    assert.ok(message !== undefined && others.length === 0, `${others.length + 1} messages`);
    return message;
  };

  test("a kill spree is one message that grows, with its buttons, over a restart, and pings its role once", async () => {
    const { staffRole, moderator } = rig.home;
    const channel = await alertOf("kills", "KillLogs", { ping: staffRole, threshold: "3 in 60 s" });
    for (let nth = 0; nth < 3; nth += 1) rig.town.kill(evil, bob);
    const message = await rig.posted(channel, "3 kills");
    assert.deepEqual([message.pings.everyone, message.pings.users.length], [false, 0]);
    assert.deepEqual(message.pings.roles, [staffRole.id]);
    assert.deepEqual(labelsOf(message), ["Player", "Rewind", "Kick", "Jail"]);
    assert.match(textOf(message), /^📍 .*postal \d+/m);
    rig.town.kill(evil, ann);
    await rig.until("the fourth kill", () => textOf(message).includes("4 kills"));
    await rig.restart();
    rig.town.kill(evil, ann);
    await rig.until("the fifth kill", () => /5 kills[\s\S]*killed \*\*5\*\*/.test(textOf(only(channel))));
    await rig.polled("KillLogs");
    assert.ok(message.edits <= 4, `${message.edits} edits`);
    await reads(await press(moderator, only(channel), "Player"), /In the game[\s\S]*Kills · 5/);
    const rewind = await press(moderator, only(channel), "Rewind");
    await reads(rewind, /Rewind of [\s\S]*▸[\s\S]*killed[\s\S]*BobRay/);
    assert.doesNotMatch(rewind.text.split("▸")[0] ?? "", /killed|joined/, "it begins at the first kill");
    const everybody = await press(moderator, rewind, "Everybody");
    await reads(everybody, /Rewind(?! of)[\s\S]*▸[\s\S]*killed/);
    assert.match(labelsOf(answerOf(everybody)).at(-1) ?? "", /^Only /);
    await reads(await press(rig.home.member, only(channel), "Rewind"), /Only Moderators can use/);
  });

  test("a player who changes teams again and again is one message; the feed has a line for each change", async () => {
    const feed = await rig.feed("team");
    const channel = await alertOf("teams", "Players", { threshold: "2 in 5 min" });
    const turn = rig.town.join("TurnTim", 9_000_000_014);
    const there = rig.town.world.players.find(({ ref }) => ref.id === turn.id);
    assert.ok(there !== undefined);
    // Who joins may be of any team already.
    rig.town.world.setTeam(there, "Civilian");
    await rig.polled("Players");
    for (const team of ["Police", "Fire"] as const) {
      rig.town.world.setTeam(there, team);
      await rig.posted(feed, `→ \`${team}\``);
    }
    assert.match(textOf(await rig.posted(channel, "2 team changes")), /TurnTim.*changed team/);
    only(channel);
  });

  test("kills by a team that is left out do not count", async () => {
    const channel = await alertOf("kills", "KillLogs", { threshold: "2 in 60 s", "leave-out": "Police" });
    const cop = rig.town.join("CopCarl", 9_000_000_004);
    const there = rig.town.world.players.find(({ ref }) => ref.id === cop.id);
    assert.ok(there !== undefined);
    rig.town.world.setTeam(there, "Police");
    await rig.polled("KillLogs", "Players");
    for (let nth = 0; nth < 3; nth += 1) rig.town.kill(cop, bob);
    await rig.polled("KillLogs");
    for (let nth = 0; nth < 2; nth += 1) rig.town.kill(ann, bob);
    assert.match(textOf(await rig.posted(channel, "2 kills")), /AnnLee/);
    only(channel);
  });

  test("punishments typed in the game and run through Marshal are one person's burst", async () => {
    const { moderator, general } = rig.home;
    const channel = await alertOf("punishments", "CommandLogs", { threshold: "3 in 5 min" });
    for (const name of ["AnnLee", "BobRay", "CopCarl"]) {
      await reads(await moderator.slash(general, "run command", { text: `:jail ${name}` }), /It ran/);
    }
    const message = await rig.posted(channel, "3 punishments", ":jail CopCarl");
    assert.match(textOf(message), new RegExp(`<@${moderator.member.id}> ran \\*\\*3\\*\\*`));
    assert.deepEqual(message.pings.users, []);
    for (let nth = 0; nth < 3; nth += 1) rig.town.say(evil, `:kick \`Bob${nth}\` @here`);
    await rig.posted(channel, "3 punishments", "@\u200bhere");
    assert.equal(rig.discord.messages(channel).length, 2);
  });

  test("a command of another program is told of, one of ours is not", async () => {
    const { moderator, general } = rig.home;
    const channel = await alertOf("outside", "CommandLogs");
    await reads(await moderator.slash(general, "run command", { text: ":h ours" }), /It ran/);
    await rig.polled("CommandLogs");
    rig.town.runRemote(":h theirs");
    await rig.posted(channel, "A command from outside Marshal", ":h theirs");
    await rig.polled("CommandLogs");
    assert.doesNotMatch(textOf(only(channel)), /ours/);
  });

  test("a call that nobody answers is told of, and then that somebody did; one that is claimed is not", async () => {
    const { moderator } = rig.home;
    const cards = await rig.feed("mod-calls");
    const channel = await alertOf("calls", "ModCalls", { threshold: "1 min" });
    rig.town.modCall(bob);
    await press(moderator, await rig.posted(cards, "BobRay", "open"), "Claim");
    const call = rig.town.modCall(evil);
    const message = await rig.posted(channel, "A moderator call is waiting", "nobody has answered");
    assert.doesNotMatch(textOf(message), /BobRay/);
    assert.deepEqual(labelsOf(message), ["Claim", "Player", "Rewind", "PM"]);
    const card = await rig.posted(cards, "x.example", "open");
    assert.ok(textOf(message).includes(`/${cards.id}/${card.id})`), textOf(message));
    await reads(await press(rig.home.member, message, "Claim"), /Only Moderators can take calls/);
    await reads(await press(moderator, message, "Claim"), /is yours/);
    await rig.until("the claim", () => textOf(message).includes(`claimed by <@${moderator.member.id}>`));
    assert.match(textOf(card), /Claimed by/);
    assert.deepEqual(labelsOf(message), ["Player", "Rewind", "PM"]);
    rig.town.answerModCall(call, ann);
    await rig.until("the answer", () => /was answered[\s\S]*answered by .*AnnLee/.test(textOf(message)));
    only(channel);
    assert.ok(message.edits <= 3, `${message.edits} edits`);
  });

  test("several calls that nobody answers stand on one message, whose menu opens each caller", async () => {
    const { moderator, member } = rig.home;
    const channel = await alertOf("calls", "ModCalls", { threshold: "1 min" });
    for (const caller of [ann, rig.town.join("CaraDay", 9_000_000_005)]) rig.town.modCall(caller);
    const message = await rig.until("a message of several", () =>
      rig.discord.messages(channel).find((one) => menuOf(one) !== undefined),
    );
    const menu = menuOf(message) ?? "";
    await reads(await moderator.select(message, menu, ["AnnLee"]), /AnnLee[\s\S]*In the game/);
    await reads(await member.select(message, menu, ["AnnLee"]), /Only Moderators can/);
  });

  test("a server that fills, and one that empties", async () => {
    const full = await alertOf("full", "Players", { threshold: "14 players" });
    const empty = await alertOf("empty", "Players");
    while (rig.town.players.length < 14) rig.town.join();
    await rig.posted(full, "The server is filling up", "of **500**");
    rig.town.empty();
    await rig.posted(empty, "The server is empty", "**0** of");
    await rig.polled("Players");
    only(full);
    only(empty);
  });

  test("a channel that refuses is told once; the alert follows when it opens", async () => {
    const { guild, general } = rig.home;
    await owner("setup notices", { channel: general }, /./);
    const channel = await alertOf("kills", "KillLogs", { threshold: "2 in 30 s" });
    channel.denyBot("SendMessages");
    const before = rig.discord.messages(general).length;
    for (const name of ["Cem", "Dee"]) {
      const player = rig.town.join(name);
      for (let nth = 0; nth < 2; nth += 1) rig.town.kill(player, bob);
      await rig.polled("KillLogs");
    }
    await rig.posted(general, "could not be posted in");
    const list = await owner("alert list", {}, /⤷ ⚠ missing \*\*Send Messages\*\* in <#\d+>/);
    assert.match(list.text, /3 in 1.min/);
    assert.equal(
      rig.discord
        .messages(general)
        .slice(before)
        .filter((one) => textOf(one).includes("could not be posted")).length,
      1,
    );
    await owner("diagnose", {}, /Alert, kills by one player in <#\d+>: missing \*\*Send Messages\*\*/);
    channel.allowBot("SendMessages");
    await rig.posted(channel, "Cem", "killed");
    await rig.posted(channel, "Dee", "killed");
    assert.equal(rig.discord.messages(channel).length, 2);
    assert.ok(guild.channels.includes(channel));
  });

  test("an alert is changed by what is given alone; with nothing given it says what is set", async () => {
    const { owner: olive, general, guild } = rig.home;
    const options = { kind: "kills", threshold: "12 in 60 s", quiet: "22-7" };
    await owner("alert add", options, /Alert added/);
    const [mine] = await olive.autocomplete(
      general,
      "alert edit",
      { alert: "kills by one player, 12" },
      "alert",
    );
    const alert = String(mine?.value);
    await owner("alert edit", { alert }, /Set now: .*12 in .*22:00-07:00/);
    await owner("alert edit", { alert, threshold: "lots" }, /5 in 60 s/);
    const channel = guild.addChannel({ name: "alerts-moved" });
    await owner(
      "alert edit",
      { alert, channel },
      new RegExp(`changed: .*12 in .*${channel.id}.*22:00-07:00`),
    );
    await owner("alert edit", { alert, threshold: "13 in 60 s", quiet: "-" }, /changed: .*13 in [^q]*$/m);
    await owner("alert edit", { alert, ping: rig.home.staffRole }, /changed: .*pings <@&\d+>/);
    await owner("alert edit", { alert, "no-ping": true }, /changed: .*13 in [^<]*<#\d+>\.?$/m);
    await owner("audit search", {}, /changed an alert/);
    const offered = await olive.autocomplete(general, "alert edit", { alert, threshold: "3" }, "threshold");
    assert.deepEqual(
      offered.map(({ name }) => name),
      ["3 in 30 s"],
    );
    await owner("alert remove", { alert }, /Removed/);
  });

  test("alerts are tested, chosen by what they are, and removed; what cannot be meant is refused", async () => {
    const { owner: olive, moderator, general } = rig.home;
    await owner("alert test", { alert: "1" }, /Test posted in/);
    const choices = await olive.autocomplete(general, "alert remove", { alert: "outside" }, "alert");
    assert.equal(choices.length, 1);
    await owner(
      "alert remove",
      { alert: String(choices[0]?.value) },
      /Removed: .*commands from outside Marshal/,
    );
    const gone = await olive.slash(general, "alert remove", { alert: String(choices[0]?.value) });
    await reads(gone, /Unknown alert/);
    const thresholds = await olive.autocomplete(
      general,
      "alert add",
      { kind: "calls", threshold: "" },
      "threshold",
    );
    assert.deepEqual(
      thresholds.map(({ name }) => name),
      ["5 min", "2 min", "10 min"],
    );
    await owner("alert add", { kind: "kills", threshold: "lots" }, /5 in 60 s/);
    await owner("alert add", { kind: "kills", quiet: "at night" }, /Write the hours like/);
    await owner("alert add", { kind: "calls", "leave-out": "Police" }, /Only kill alerts/);
    await owner("alert add", { kind: "kills", quiet: "22-7", threshold: "7 in 60 s" }, /quiet 22:00-07:00/);
    await owner(
      "alert add",
      { kind: "kills", "leave-out": "Pirates", threshold: "9 in 60 s" },
      /don't know the team/,
    );
    const pirates = (await olive.autocomplete(general, "alert edit", { alert: "" }, "alert")).at(-1);
    const without = await olive.slash(general, "alert edit", {
      alert: String(pirates?.value),
      "leave-out": "none",
    });
    assert.doesNotMatch(await reads(without, /Alert changed/), /Pirates|none/);
    await owner("audit search", {}, /added an alert/);
    await assert.rejects(moderator.slash(general, "alert list"));
    const old = answerOf(await owner("alert add", { kind: "kills", threshold: "8 in 60 s" }, /Alert added/));
    await reads(await press(olive, old, "Send a test"), /Test posted in/);
  });

  test("an unlinked server takes its alerts along", async () => {
    const asked = await rig.home.owner.slash(rig.home.general, "setup unlink");
    await asked.settled();
    const [label] = labelsOf(answerOf(asked));
    if (label !== undefined) await reads(await press(rig.home.owner, asked, label), /Unlinked \*\*/);
    await owner("alert list", {}, /No alerts yet/);
  });

  test("nothing was logged as an error, no key was seen, the service was asked well", async (t) => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
    assertFitsDescription(rig, t);
  });
});

/** The menu below an alert that tells of several. */
function menuOf({ components }: Message): string | undefined {
  return components.flatMap((row) => row.components ?? []).find(({ type }) => type === 3)?.custom_id;
}
