import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

describe("players and what happened at a time, from the history", () => {
  let rig: E2eRig;
  let ann: PlayerRef;
  let bob: PlayerRef;
  let mo: PlayerRef;
  let killedAtS = 0;
  const mod = new Asking(() => rig);

  before(async () => {
    rig = await E2eRig.start();
    await rig.link();
    // The history alone has the server read.
    await rig.polled("JoinLogs", "Players");
    ann = rig.town.join("AnnLee", 9_000_000_001);
    bob = rig.town.join("BobRay", 9_000_000_002);
    mo = rig.town.join("MoGame", 9_000_000_003);
    rig.town.world.staff.set(mo.id, { name: mo.name, role: "mod" });
    await rig.polled("JoinLogs", "Players");
    for (let kill = 0; kill < 20; kill += 1) rig.town.kill(ann, bob);
    killedAtS = Math.floor(rig.clock.nowMs() / 1_000);
    rig.town.modCall(bob);
    // What does her no harm is not against her.
    rig.town.world.logCommand(mo, ":pm AnnLee stop it", false);
    rig.town.world.logCommand(mo, ":wanted Ann", false);
    await rig.polled("KillLogs", "CommandLogs");
  });
  after(() => rig.close());

  const choose = async (on: Exchange | Message, label: string, then: RegExp) => {
    const message = "followUps" in on ? answerOf(on) : on;
    const menu = message.components
      .flatMap((row) => row.components ?? [])
      .find(({ options }) => options?.some((option) => option.label === label));
    assert.ok(menu?.custom_id !== undefined, `a menu offers ${label}`);
    const exchange = await rig.home.moderator.select(message, menu.custom_id, [label]);
    await reads(exchange, then);
    return exchange;
  };

  test("a player in the game has a card with what they did, who dealt with them, and buttons", async () => {
    const card = await mod.comesToRead("player show", { player: "annl" }, /Kills · 20[\s\S]*:wanted Ann/);
    assert.match(
      card.text,
      /In the game[\s\S]*1 session[\s\S]*Others called staff once within 3 min after this player's kills/,
    );
    assert.match(card.text, /Commands against them · 1[\s\S]*MoGame/);
    assert.doesNotMatch(card.text, /stop it/);
    const labels = labelsOf(answerOf(card));
    assert.deepEqual(labels, ["PM", "Kick", "Jail", "Warn", "More"]);
    const more = await press(rig.home.moderator, card, "More");
    await reads(more, /More about \*\*AnnLee/);
    assert.deepEqual(labelsOf(answerOf(more)), ["Note", "Watch", "Ask for a ban", "Map"]);
    // Two screens of a phone.
    assert.ok(card.text.split("\n").length <= 40, card.text);
  });

  test("the menu of /server players opens it for Moderators; others see what the list shows", async () => {
    const page = await mod.reads("server players", {}, /AnnLee/);
    await choose(page, "AnnLee", /Kills · 20[\s\S]*Commands against them · 1/);
    const { member, general } = rig.home;
    const list = await member.slash(general, "server players");
    await reads(list, /AnnLee/);
    const menu = answerOf(list).components[0]?.components?.[0]?.custom_id ?? "";
    const small = await member.select(answerOf(list), menu, ["AnnLee"]);
    await reads(small, /AnnLee[\s\S]*Team: /);
    assert.doesNotMatch(small.text, /Kills|against/);
    assert.deepEqual(labelsOf(answerOf(small)), []);
  });

  test("behind it stand kills in pages, and sessions", async () => {
    const card = await mod.reads("player show", { player: String(ann.id) }, /Kills · 20/);
    const kills = await choose(card, "Kills", /AnnLee.* killed .*BobRay/);
    assert.deepEqual(labelsOf(answerOf(kills)), ["Player", "Older"]);
    const older = await press(rig.home.moderator, kills, "Older");
    await older.settled(({ message }) => message !== undefined && labelsOf(message).includes("Newest"));
    assert.deepEqual(labelsOf(answerOf(older)), ["Player", "Newest"]);
    await reads(await press(rig.home.moderator, older, "Newest"), /killed/);
    await choose(card, "Sessions", /in the game/);
    const against = await choose(card, "Commands against them", /:wanted Ann/);
    assert.doesNotMatch(against.text, /stop it/);
    await choose(card, "Cases", /No cases found/);
    await reads(await press(rig.home.moderator, kills, "Player"), /Kills · 20/);
  });

  test("buttons act by /run's checks: a kick with its reason becomes a case that the card shows", async () => {
    const card = await mod.reads("player show", { player: "BobRay" }, /In the game/);
    const { modal } = await press(rig.home.moderator, card, "Kick");
    assert.ok(modal !== undefined);
    assert.equal(modal.title, "Kick BobRay");
    const kicked = await rig.home.moderator.submit(modal, {
      [modal.fields[0]?.customId ?? ""]: "spawn killing",
    });
    await reads(kicked, /It ran/);
    const open = await rig.until("the case on the answer", () =>
      labelsOf(answerOf(kicked)).find((label) => /^Case \d+$/.test(label)),
    );
    await reads(await press(rig.home.moderator, kicked, open), /Kick · case[\s\S]*spawn killing/);
    assert.equal(rig.service.counts.executionsByText.get(":kick BobRay spawn killing"), 1);
    await mod.comesToRead(
      "player show",
      { player: "BobRay" },
      /Last seen[\s\S]*#1[\s\S]*kick[\s\S]*spawn killing/,
    );
    // In the game's log it is "Remote Server"'s; who asked Marshal for it is known here.
    const asked = /<@\d+> through Marshal/;
    await mod.comesToRead("player show", { player: "BobRay" }, asked);
    const now = `<t:${Math.floor(rig.clock.nowMs() / 1_000)}:T>`;
    const rewound = await mod.comesToRead("server at", { time: now }, asked);
    assert.doesNotMatch(rewound.text, /Remote Server/);
    // :refresh hits who is there; the kick took him out.
    rig.town.join("BobRay", bob.id);
    await rig.polled("Players");
    rig.town.runRemote(":refresh BobRay");
    await mod.comesToRead(
      "player show",
      { player: "BobRay" },
      /Remote Server\*\*, another program, `:refresh BobRay`/,
    );
    // The moderator was an Administrator when the card came, and presses when that is over.
    const { general, guild, moderator, owner } = rig.home;
    const admins = guild.addRole({ name: "Admins" });
    const tier = { role: admins, tier: "administrator" };
    await reads(await owner.slash(general, "staff allow", tier), /Administrator/i);
    moderator.member.addRole(admins);
    const shown = await mod.reads("player show", { player: "BobRay" }, /BobRay/);
    const ofAdmin = await press(moderator, shown, "More");
    await reads(ofAdmin, /More about/);
    moderator.member.removeRole(admins);
    const banned = await press(moderator, ofAdmin, "Ban");
    await reads(banned, /Only Administrators can/);
    assert.equal(banned.modal, undefined, "nothing is written that would be refused");
  });

  test("a player is found by a name of before, and where several had it one is chosen", async () => {
    const { moderator, general } = rig.home;
    for (const id of [9_000_000_011, 9_000_000_012]) {
      const old = rig.town.join("OldName", id);
      await rig.polled("Players");
      rig.town.leave(old);
      await rig.polled("Players");
      rig.town.join(`New${id % 100}`, id);
    }
    await rig.polled("Players");
    const asked = await mod.comesToRead(
      "player show",
      { player: "OldName" },
      /Several players have used the name/,
    );
    await choose(asked, "New11", /Earlier names[\s\S]*OldName/);
    const choices = await moderator.autocomplete(general, "player show", { player: "oldn" }, "player");
    assert.deepEqual(choices.map(({ name }) => name).sort(), ["New11 (was OldName)", "New12 (was OldName)"]);
  });

  test("who was never seen is said so, and what only Moderators see nobody else does", async () => {
    const slip = await mod.reads(
      "player show",
      { player: "BobRya" },
      /Nobody called .*Did you mean one of these/s,
    );
    assert.deepEqual(labelsOf(answerOf(slip)), ["BobRay"]);
    await reads(await press(rig.home.moderator, slip, "BobRay"), /BobRay[\s\S]*Kills/);
    await mod.reads("player show", { player: "Nobody_Here" }, /Nobody called .*was seen here/);
    const { member, general } = rig.home;
    await reads(await member.slash(general, "player show", { player: "AnnLee" }), /Only Moderators can/);
    const refused = await member.slash(general, "server at", { time: "5 min ago" });
    await reads(refused, /Only Moderators can use/);
  });

  test("/server at shows who was there and what happened, and turns earlier and later", async () => {
    const time = `<t:${killedAtS}:T>`;
    const card = await mod.comesToRead("server at", { time }, /AnnLee[\s\S]*killed[\s\S]*BobRay/);
    assert.match(card.text, /MoGame\*\* ran `:wanted Ann` \(AnnLee\)/);
    assert.match(card.text, /in the server[\s\S]*BobRay[\s\S]*called a moderator/);
    const { moderator } = rig.home;
    const earlier = await press(moderator, card, "Earlier");
    await reads(earlier, /records of this server start/);
    await reads(await press(moderator, earlier, "Later"), /killed/);
    const ofBob = await mod.reads("server at", { time, player: "BobRay" }, /Rewind of BobRay[\s\S]*killed/);
    assert.doesNotMatch(ofBob.text, /MoGame/);
    await mod.reads("server at", { time, player: "Nobody_Here" }, /Nobody called .*was seen here/);
    await mod.reads("server at", { time: "3 days ago" }, /Not recorded: records of this server start/);
    await mod.reads("server at", { time: "soon" }, /25 min ago/);
    await mod.reads("server at", { time: "2099-01-01" }, /in the future/);
  });

  test("the card of a moderator call opens the minutes around it", async () => {
    const calls = await rig.feed("mod-calls");
    rig.town.modCall(mo);
    const card = await rig.posted(calls, "MoGame", "open");
    await rig.polled("ModCalls");
    const more = await press(rig.home.moderator, card, "More");
    await reads(more, /More for the call/);
    const rewound = await press(rig.home.moderator, more, "Rewind");
    await reads(rewound, /Rewind[\s\S]*\*\*▸\*\* <t:\d+:T> 🔔 \*\*MoGame\*\* called a moderator/);
    assert.doesNotMatch(rewound.text.split("▸")[0] ?? "", /killed|joined/, "it begins at the call");
    const only = await press(rig.home.moderator, rewound, "Only MoGame");
    await reads(only, /Rewind of MoGame[\s\S]*Was in the server[\s\S]*MoGame/);
    assert.doesNotMatch(only.text, /BobRay|killed/);
    await reads(await press(rig.home.moderator, only, "Everybody"), /Rewind(?! of)/);
    const list = await mod.reads("server calls", {}, /MoGame\*\*\S* called/);
    const claimed = await press(rig.home.moderator, list, "Claim MoGame");
    await reads(claimed, /The call of \*\*MoGame\*\* is yours[\s\S]*MoGame\*\*\S* called[\s\S]*claimed by/);
    assert.ok(!labelsOf(answerOf(claimed)).includes("Claim MoGame"));
    await mod.comesToRead(
      "server at",
      { time: "1 min ago" },
      new RegExp(`MoGame\\*\\* called a moderator, claimed by <@${rig.home.moderator.member.id}>`),
    );
  });

  test("people without rights are refused at the press, before a form; who manages the server gets what mends it", async () => {
    const { member, owner } = rig.home;
    const calls = await rig.feed("mod-calls");
    rig.town.modCall(ann);
    const card = await rig.posted(calls, "AnnLee", "open");
    for (const [label, words] of [
      ["More", /Only Moderators can use these buttons/],
      ["Resolve", /Only Moderators can take calls/],
    ] as const) {
      const refused = await press(member, card, label);
      await reads(refused, words);
      assert.deepEqual([refused.modal, labelsOf(answerOf(refused))], [undefined, []]);
      const mended = await press(owner, card, label);
      await reads(mended, words);
      assert.deepEqual([mended.modal, labelsOf(answerOf(mended))], [undefined, ["Choose roles"]]);
    }
    // The refusal does not wait for its row, which is written beside it.
    let audit = "";
    for (let asked = 0; asked < 50 && !/was refused[\s\S]*AnnLee/.test(audit); asked++)
      audit = (await (await owner.slash(rig.home.general, "audit search")).settled()).text;
    assert.match(audit, /was refused[\s\S]*AnnLee/);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
