import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Member, Message, Person } from "../../src/sandbox/discord/types.ts";
import { AppealsRig, MAY_TALK } from "./appeals-rig.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import type { E2eRig } from "./rig.ts";

const ANN = { name: "AnnLee", id: 9_100_000_011 };
const BOB = { name: "BobRay", id: 9_100_000_012 };
const DAN = { name: "DanFox", id: 9_100_000_014 };
const EVE = { name: "EveSky", id: 9_100_000_015 };
const CAT = { name: "CatMoe", id: 9_100_000_013 };

describe("an appeal lifts what it is about, and nothing else", () => {
  let appeals: AppealsRig;
  let rig: E2eRig;
  let manager: Person;
  let other: Person;
  let staffOnly: Channel;
  let asked = 0;
  let appellant: Member;

  before(async () => {
    appeals = await AppealsRig.start();
    ({ rig, manager, other, staffOnly } = appeals);
    rig.home.guild.setBotPermissions(MAY_TALK);
    await reads(await appeals.setUp(), /button is in/);
    for (const { name, id } of [ANN, BOB, CAT, DAN, EVE]) rig.town.join(name, id);
    await rig.polled("JoinLogs", "Players");
  });
  after(() => rig.close());

  const ran = (text: string, by: Person) => appeals.ran(text, by);
  /** An appeal of a new member, about whom staff say that the account is theirs. */
  const appealOf = async (name: string): Promise<Message> => {
    asked += 1;
    appellant = rig.home.guild.addMember({ name: `Member ${asked}` });
    const member = rig.discord.as(appellant);
    const { modal } = await member.click(appeals.button, "Appeal");
    const [first, second] = modal?.fields.map(({ customId }) => customId) ?? [];
    const words = `It was not me ${asked}`;
    const sent = await member.submit(modal ?? assert.fail(), { [first ?? ""]: name, [second ?? ""]: words });
    await reads(sent, /Sent\. The staff/);
    const card = await rig.posted(staffOnly, words);
    // Where no case is known there is nothing to accept.
    if (!labelsOf(card).includes("It's their account")) return card;
    await reads(await press(manager, card, "It's their account"), /Accept/);
    await rig.until("Accept", () => labelsOf(card).includes("Accept"));
    return card;
  };
  const isBanned = ({ id }: typeof ANN) => rig.town.world.bans.has(id);

  test("of one of two who were banned at once: the other stays banned, and the case stays", async () => {
    await ran(`:ban ${ANN.name},${BOB.name} raid`, manager);
    const card = await appealOf(BOB.name);
    await reads(await press(other, card, "Accept"), /It ran/);
    assert.deepEqual([isBanned(ANN), isBanned(BOB)], [true, false]);
    assert.doesNotMatch(textOf(card), /Revoked/);
  });

  test("of an earlier ban does not lift a later one", async () => {
    await ran(`:ban ${CAT.name} spam`, manager);
    const card = await appealOf(CAT.name);
    await ran(`:unban ${CAT.id}`, manager);
    rig.town.join(CAT.name, CAT.id);
    await rig.polled("Players");
    await ran(`:ban ${CAT.name} cheating`, other);
    const accepted = await press(other, card, "Accept");
    await reads(accepted, /./);
    assert.match(accepted.text, /banned again/);
    assert.ok(isBanned(CAT));
  });

  test("of somebody who is staff of the game by now is accepted by one press, and they are un-banned", async () => {
    await ran(`:ban ${DAN.name} spam`, manager);
    const card = await appealOf(DAN.name);
    rig.town.world.staff.set(DAN.id, { name: DAN.name, role: "helper" });
    await rig.clock.sleep(15_000);
    await reads(await press(other, card, "Accept"), /It ran/);
    assert.ok(!isBanned(DAN));
  });

  test("of a warning takes Tell from the answers that offer it, and a press on one that is left says why", async () => {
    const { general } = rig.home;
    const warning = { player: String(EVE.id), kind: "warning", reason: "spam" };
    const written = await manager.slash(general, "case add", warning);
    await reads(written, /was not told in the game yet/);
    const number = Number(/case (\d+)/.exec(written.text)?.[1]);
    const showCase = async () => {
      const exchange = await manager.slash(general, "case show", { number });
      await reads(exchange, /Not told in the game yet/);
      return exchange;
    };
    const [left, shown] = [await showCase(), await showCase()];
    await reads(await press(other, await appealOf(EVE.name), "Accept"), /Accepted\. Case \d+ is revoked/);
    for (const answer of [written, shown]) {
      await reads(answer, /Case \d+ revoked: their appeal was accepted/);
      assert.ok(!labelsOf(answerOf(answer)).includes(`Tell ${EVE.name}`));
    }
    await reads(await press(manager, left, `Tell ${EVE.name}`), /This warning was revoked, so /);
  });

  const talks = () => rig.home.guild.channels.filter(({ type }) => type === "private-thread");
  const isIn = (thread: Channel) => rig.discord.as(appellant).sees(thread).length > 0;

  test("is talked about in its thread also when Discord has archived it, and in a new one when somebody deleted it", async () => {
    const card = await appealOf("NobodyKnown");
    await reads(await press(other, card, "Talk"), /<#\d+>/);
    const [first = assert.fail()] = talks();
    assert.ok(isIn(first));
    first.archive();
    await reads(await press(manager, card, "Talk"), /<#\d+>/);
    assert.deepEqual([talks().length, first.archived], [1, false]);
    first.delete();
    await reads(await press(manager, card, "Talk"), /<#\d+>/);
    const [second = assert.fail()] = talks();
    assert.ok(isIn(second));
  });

  test("says what is wrong where Discord opens no thread, and is talked about once it does", async () => {
    const card = await appealOf("NobodyTold");
    const { limits, faults } = rig.discord;
    const before = talks().length;
    limits.activeThreads = before;
    await reads(await press(other, card, "Talk"), /as many open threads as Discord allows/);
    limits.activeThreads = 1_000;
    faults.set({ failThreads: 20 });
    await reads(await press(other, card, "Talk"), /Discord can't open threads right now/);
    faults.set({ failThreads: 0 });
    await reads(await press(other, card, "Talk"), /<#\d+>/);
    assert.equal(talks().length, before + 1);
  });

  test("of somebody who has left the Discord server says so to who wants to talk", async () => {
    const card = await appealOf("NobodyElse");
    appellant.leave();
    await reads(await press(other, card, "Talk"), /left this Discord server/);
  });
});
