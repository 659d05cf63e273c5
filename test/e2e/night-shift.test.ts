import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Exchange, Message, Value } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

/** A moderator at a phone: what they type and what they press is counted. */
class Shift {
  readonly rig: E2eRig;
  typed = 0;
  presses = 0;

  constructor(rig: E2eRig) {
    this.rig = rig;
  }

  async type(line: string, options: Readonly<Record<string, Value>>, then: RegExp): Promise<Exchange> {
    this.typed++;
    const { moderator, general } = this.rig.home;
    const exchange = await moderator.slash(general, line, options);
    await reads(exchange, then);
    return exchange;
  }

  async press(on: Exchange | Message, label: string, then: RegExp): Promise<Exchange> {
    this.presses++;
    const message = "followUps" in on ? answerOf(on) : on;
    const exchange = await this.rig.home.moderator.click(message, label);
    await reads(exchange, then);
    return exchange;
  }

  async choose(on: Exchange, row: string, then: RegExp): Promise<Exchange> {
    this.presses++;
    const message = answerOf(on);
    const select = message.components
      .flatMap((one) => one.components ?? [])
      .find(({ options }) => options?.some(({ label }) => label === row));
    assert.ok(select?.custom_id !== undefined, `a menu offers ${row}`);
    const exchange = await this.rig.home.moderator.select(message, select.custom_id, [row]);
    await reads(exchange, then);
    return exchange;
  }

  /** A button that opens a form, the words typed into its one field, and Submit. */
  async fill(on: Message, label: string, words: string, then: RegExp): Promise<Exchange> {
    const { moderator } = this.rig.home;
    this.presses++;
    const { modal } = await moderator.click(on, label);
    assert.ok(modal !== undefined, `${label} opens a form`);
    this.presses++;
    const exchange = await moderator.submit(modal, { [modal.fields[0]?.customId ?? ""]: words });
    await reads(exchange, then);
    return exchange;
  }
}

describe("a night shift, from the first look to the last note", () => {
  let rig: E2eRig;
  let calls: Channel;
  let shift: Shift;
  let own: PlayerRef;
  let caller: PlayerRef;
  let killer: PlayerRef;
  const executed = (text: string) => rig.service.counts.executionsByText.get(text) ?? 0;

  before(async () => {
    rig = await E2eRig.start();
    await rig.link();
    calls = await rig.feed("mod-calls");
    own = rig.town.join("NightOwl");
    caller = rig.town.join("CaseyHolt");
    killer = rig.town.join("RileyBrooks");
    rig.town.join("RileyBrown");
    rig.town.world.staff.set(own.id, { name: own.name, role: "mod" });
    shift = new Shift(rig);
  });
  after(() => rig.close());

  test("they show once which account in the game is theirs, by a code typed there", async () => {
    const shown = await shift.type("me link", {}, /:log marshal \d{6}/);
    const code = /:log marshal \d{6}/.exec(shown.text)?.[0] ?? "";
    rig.town.world.logCommand(own, code, false);
    await reads(shown, /NightOwl/);
    assert.deepEqual([shift.typed, shift.presses], [1, 0]);
  });

  test("one line shows the server, two presses a player", async () => {
    shift = new Shift(rig);
    const status = await shift.type("server status", {}, /players/);
    assert.match(status.text, /Staff in the game/);
    const players = await shift.press(status, "Players", /RileyBrooks/);
    await shift.choose(players, "RileyBrooks", /RileyBrooks[\s\S]*In the game/);
    assert.deepEqual([shift.typed, shift.presses], [1, 2]);
  });

  test("a call is a situation: eight presses from Claim to Resolve, and nothing is typed but what people read", async () => {
    shift = new Shift(rig);
    rig.town.kill(killer, caller);
    rig.town.modCall(caller);
    const card = await rig.posted(calls, "CaseyHolt", "killed by", "RileyBrooks");

    await shift.press(card, "Claim", /./);
    await rig.until("the claim on the card", () => labelsOf(card).includes("Release"));
    assert.match(textOf(card), new RegExp(`Claimed by <@${rig.home.moderator.member.id}>`));
    await shift.press(card, "Go to caller", /It ran/);
    assert.equal(executed(":tp NightOwl CaseyHolt"), 1);
    const more = answerOf(await shift.press(card, "More", /More for the call of \*\*CaseyHolt/));
    assert.deepEqual(labelsOf(more), ["PM", "Bring", "Map", "Rewind"]);
    await shift.fill(more, "PM", "On my way", /It ran/);
    assert.equal(executed(":pm CaseyHolt On my way"), 1);
    await shift.press(more, "Bring", /It ran/);
    assert.equal(executed(":tp CaseyHolt NightOwl"), 1);
    await shift.fill(card, "Resolve", "Killed by mistake, both spoke", /./);
    await rig.until("the note on the card", () => textOf(card).includes("both spoke"));
    assert.deepEqual(
      labelsOf(card),
      ["Rewind", "Player"],
      "a resolved call offers looks back and nothing else",
    );
    assert.deepEqual([shift.typed, shift.presses], [0, 8]);
    assert.equal(rig.discord.messages(calls).length, 1, "one message for its life");
  });

  test("a jail and its undo: one line and one press", async () => {
    shift = new Shift(rig);
    const jailed = await shift.type("run command", { text: ":jail RileyBrooks" }, /It ran/);
    await shift.press(jailed, "Undo", /It ran/);
    assert.deepEqual([executed(":jail RileyBrooks"), executed(":unjail RileyBrooks")], [1, 1]);
    assert.deepEqual([shift.typed, shift.presses], [1, 1]);
  });

  test("several who match are named first; nothing is sent before the press, and one press sends it once", async () => {
    shift = new Shift(rig);
    const asked = await shift.type("run command", { text: ":wanted Riley" }, /Not sent yet/);
    assert.equal(executed(":wanted Riley"), 0);
    await shift.press(asked, "Send it", /It ran/);
    assert.equal(executed(":wanted Riley"), 1);
    assert.deepEqual([shift.typed, shift.presses], [1, 1]);
  });

  test("what was done stands in the history and, by name, in the owner's audit", async () => {
    const history = await shift.type("run history", {}, /:wanted Riley/);
    for (const text of [":tp NightOwl CaseyHolt", ":pm CaseyHolt On my way", ":jail RileyBrooks"])
      assert.ok(history.text.includes(text), text);
    const { owner, general, moderator } = rig.home;
    const audit = await owner.slash(general, "audit search", { person: moderator.member });
    await reads(audit, /:unjail RileyBrooks/);
  });

  test("each command ran once, no key was seen, and nothing was logged as an error", async () => {
    assert.deepEqual(
      [...rig.service.counts.executionsByText].filter(([, times]) => times !== 1),
      [],
    );
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
