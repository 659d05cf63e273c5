import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Message, Modal, Person } from "../../src/sandbox/discord/types.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

/** One name begins the other. The town says whom a command hit, by the rules of the game and not by the bot's. */
const ANN = { name: "Ann", id: 9_100_000_001 };
const ANNABEL = { name: "Annabel", id: 9_100_000_002 };
const BOB = { name: "BobRay", id: 9_100_000_003 };

describe("a command that was for somebody else", () => {
  let rig: E2eRig;
  let manager: Person;
  const asking = new Asking(() => rig);

  before(async () => {
    rig = await E2eRig.start({ leaps: true });
    const { guild, owner, general } = rig.home;
    const role = guild.addRole({ name: "Managers" });
    manager = rig.discord.as(guild.addMember({ name: "Ma", roles: [role] }));
    await rig.link();
    await reads(await owner.slash(general, "staff allow", { role, tier: "manager" }), /Manager/);
    await rig.polled("JoinLogs", "Players");
  });
  after(() => rig.close());

  /** Of the three, these are in the game from now on, and the bot has seen it. */
  const present = async (...who: readonly (typeof ANN)[]) => {
    for (const { name } of [ANN, ANNABEL, BOB]) rig.town.leave(name);
    for (const { name, id } of who) rig.town.join(name, id);
    await rig.polled("JoinLogs", "Players");
  };
  const run = (text: string, who = rig.home.moderator) =>
    who.slash(rig.home.general, "run command", { text });
  const fill = (modal: Modal | undefined, words: string) => {
    assert.ok(modal !== undefined);
    return rig.home.moderator.submit(modal, { [modal.fields[0]?.customId ?? ""]: words });
  };
  /** Nothing was done to her, by the town itself. */
  function assertUntouched({ name, id }: typeof ANN): void {
    const { world } = rig.town;
    assert.ok(world.isHere(id), `${name} is still there`);
    assert.notEqual(world.find(id)?.team, "Jail");
    assert.deepEqual(
      world.record.messages.filter(({ to }) => to.includes(name)),
      [],
    );
    assert.ok(!world.bans.has(id) && !world.staff.has(id));
  }
  const isRefused = (exchange: Exchange) => reads(exchange, /game would take the name for Annabel/);

  for (const verb of ["PM", "Kick", "Jail"])
    test(`${verb} on the card of a player who left hits nobody whose name theirs begins`, async () => {
      await present(ANN);
      const card = await asking.comesToRead("player show", { player: "Ann" }, /In the game/);
      const { modal } = await press(rig.home.moderator, card, verb);
      await present(ANNABEL);
      await isRefused(await fill(modal, "rdm"));
      assertUntouched(ANNABEL);
    });

  test("a moderator call's PM goes to its caller or to nobody", async () => {
    const calls = await rig.feed("mod-calls");
    await present(ANN);
    rig.town.modCall(ANN);
    const card: Message = await rig.posted(calls, "Ann");
    await present(ANNABEL);
    const { moderator } = rig.home;
    const more = await press(moderator, card, "More");
    await reads(more, /More for the call/);
    await isRefused(await fill((await press(moderator, more, "PM")).modal, "on my way"));
    assertUntouched(ANNABEL);
  });

  test("what was confirmed for two is not sent once it would hit a third", async () => {
    await present(ANN, BOB);
    const asked = await run(":kick Ann,BobRay rdm");
    await reads(asked, /2 players/);
    await present(ANNABEL, BOB);
    await reads(await press(rig.home.moderator, asked, "Send it"), /Not sent[\s\S]*now it would hit Annabel/);
    assertUntouched(ANNABEL);
    assertUntouched(BOB);
  });

  test("Undo takes back what it did to one player from no other", async () => {
    await present(ANN);
    const done = await run(":unjail Ann");
    await reads(done, /It ran/);
    await present(ANNABEL);
    await isRefused(await press(rig.home.moderator, done, "Undo"));
    assertUntouched(ANNABEL);
  });

  test("Run again asks before it hits somebody by the beginning of their name", async () => {
    await present(ANN);
    const done = await run(":jail Ann rdm");
    await reads(done, /It ran/);
    await present(ANNABEL);
    const again = await press(rig.home.moderator, done, "Run again");
    await reads(again, /It would hit Annabel, who may be somebody else[\s\S]*Not sent yet/);
    assertUntouched(ANNABEL);
  });

  test("a ban or a rank by the name of somebody who is away is sent by their id", async () => {
    await present(ANN);
    await present(ANNABEL);
    const ban = await run(":ban Ann cheating", manager);
    await reads(ban, /:ban Ann cheating[\s\S]*Sent with the player's id/);
    await reads(await press(manager, ban, "Send it"), /It ran/);
    assert.equal(rig.service.counts.executionsByText.get(":ban 9100000001 cheating"), 1);
    await reads(await run(":mod Ann", manager), /It ran/);
    assert.equal(rig.service.counts.executionsByText.get(":mod 9100000001"), 1);
    assert.ok(rig.town.world.bans.has(ANN.id));
    assertUntouched(ANNABEL);
  });

  test("Undo of a ban does not lift a later one, nor does a ban that ends an earlier one", async () => {
    const ending = () =>
      manager.slash(rig.home.general, "run command", { text: `:ban ${BOB.name} again`, for: "1 h" });
    const ban = async (reason: string) => {
      rig.town.join(BOB.name, BOB.id);
      await rig.polled("JoinLogs", "Players");
      const asked = await run(`:ban ${BOB.name} ${reason}`, manager);
      await reads(asked, /Send it/);
      const sent = await press(manager, asked, "Send it");
      await reads(sent, /It ran/);
      await rig.until("its case", () => labelsOf(answerOf(sent)).some((label) => /^Case/.test(label)));
      return sent;
    };
    const first = await ban("spam");
    await reads(await run(`:unban ${BOB.id}`, manager), /It ran/);
    const second = await ban("cheating");
    await reads(await press(manager, first, "Undo"), /banned again since then \\?\(case \d+/);
    assert.ok(rig.town.world.bans.has(BOB.id));
    await reads(
      await ending(),
      /banned for longer already\\?: case \d+\. When this one ends, a Manager decides/,
    );
    // Lifted where no log shows it: that they could join does.
    rig.town.world.bans.delete(BOB.id);
    rig.town.join(BOB.name, BOB.id);
    await rig.polled("JoinLogs", "Players");
    await rig.clock.sleep(5_000);
    assert.doesNotMatch(await reads(await ending(), /Send it/), /for longer/);
    rig.town.world.bans.set(BOB.id, BOB.name);
    await reads(await press(manager, second, "Undo"), /It ran/);
    assert.ok(!rig.town.world.bans.has(BOB.id));
  });

  test("nothing of it broke a rule of Discord or showed the key", async () => {
    assertWellBehaved(rig);
    await assertNoKeySeen(rig);
  });
});
