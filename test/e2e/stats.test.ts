import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import type { Town } from "../../src/sandbox/service/service.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, PATIENCE_MS, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

/** Where a reader finds a picture: its address and its words. */
function picturesOf({ embeds }: Message) {
  return embeds.flatMap(({ image }) => image ?? []);
}

async function assertPng({ url }: { readonly url: string }): Promise<void> {
  const answer = await fetch(url);
  assert.equal(answer.headers.get("content-type"), "image/png");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.deepEqual([...bytes.slice(1, 4)], [...Buffer.from("PNG")]);
}

describe("figures of a server and of its staff", () => {
  let rig: E2eRig;
  let mo: PlayerRef;
  /** What a name of the game may hold; the first is staff. */
  const hostile = "<image href='x'/>@everyone**[a](http://b.example)";

  before(async () => {
    rig = await E2eRig.start({ leaps: true });
    await rig.link();
    mo = rig.town.join("MoGame", 9_000_000_002);
    const evil = rig.town.join(hostile, 9_000_000_003);
    rig.town.world.staff.set(mo.id, { name: mo.name, role: "mod" });
    rig.town.world.staff.set(evil.id, { name: evil.name, role: "mod" });
    const ann = rig.town.join("AnnLee", 9_000_000_001);
    await rig.polled("JoinLogs", "Players", "ModCalls");
    rig.town.kill(ann, mo);
    rig.town.modCall(ann);
    await rig.polled("ModCalls", "KillLogs");
    const [call] = rig.town.record.modCalls.slice(-1);
    assert.ok(call !== undefined);
    rig.town.answerModCall(call, mo);
    rig.town.world.logCommand(mo, ":pm AnnLee hi", false);
    await rig.polled("ModCalls", "CommandLogs");
  });
  after(() => rig.close());

  /** What is recorded follows the answer of the service by a moment. */
  const shows = async (
    line: string,
    options: Readonly<Record<string, string>>,
    then: RegExp,
    who = rig.home.moderator,
  ) => {
    for (let attempt = 0; ; attempt += 1) {
      const exchange = await who.slash(rig.home.general, line, options);
      // A picture that has to wait for its minute follows the words.
      await exchange.settled(({ text }) => text !== "", PATIENCE_MS);
      if (then.test(textOf(answerOf(exchange)))) return exchange;
      if (attempt > 30) assert.fail(`${then} was not read; the answer is ${exchange.text}`);
      // One picture a minute: answers that wait for theirs would use up the turns of the one that is judged.
      await rig.until("its picture", () => !/🖼 Next/.test(textOf(answerOf(exchange))));
      await rig.clock.sleep(20_000);
    }
  };
  const drawn = (exchange: Exchange, pictures: number): Promise<Message> =>
    rig.until(`${pictures} pictures`, () => {
      const message = answerOf(exchange);
      return picturesOf(message).length === pictures && message;
    });

  test("/stats server: words and pictures with words of their own, only for Moderators", async () => {
    const exchange = await shows("stats server", {}, /answered: \*\*1\*\*/);
    assert.ok(exchange.ephemeral);
    assert.match(exchange.text, /Last 7 days[\s\S]*Records of this server start[\s\S]*On average/);
    assert.match(exchange.text, /only 1 answer/);
    const message = await drawn(exchange, 2);
    for (const picture of picturesOf(message)) {
      await assertPng(picture);
      assert.match(picture.description ?? "", /^(?:Players, hour by hour|Players at each hour of the week)/);
    }
    assert.deepEqual(labelsOf(message), ["24 h", "7 d", "30 d", "90 d"]);
    const { member, general } = rig.home;
    await reads(await member.slash(general, "stats server"), /Only Moderators can/);
  });

  test("another time within a minute: the words at once, its picture when the minute is over", async () => {
    const { moderator } = rig.home;
    const first = await shows("stats server", { period: "1" }, /Last 24 hours/);
    await drawn(first, 1);
    const exchange = await press(moderator, first, "30 d");
    await reads(exchange, /Last 30 days[\s\S]*Next picture <t:/);
    const message = await drawn(exchange, 2);
    assert.doesNotMatch(textOf(message), /follows/);
  });

  test("another time while a picture is waited for: what was pressed last stands there, also when that picture is due", async () => {
    const { moderator } = rig.home;
    const first = await shows("stats server", { period: "30" }, /Last 30 days[\s\S]*Next picture <t:/);
    const pressed = await press(moderator, first, "24 h");
    await reads(pressed, /Last 24 hours/);
    await rig.until("the picture", () => picturesOf(answerOf(pressed)).length > 0);
    await rig.clock.sleep(90_000);
    assert.match(textOf(answerOf(pressed)), /Last 24 hours/);
  });

  test("/stats staff: one's own, with what makes it fair; others' for Managers, unless the community says otherwise", async () => {
    const { owner, moderator, member, general } = rig.home;
    const alone = await shows("stats staff", {}, /You, last 7 days/);
    assert.match(alone.text, /No game account is linked/);
    await reads(await owner.slash(general, "server status"), /players/i);
    await reads(
      await owner.slash(general, "me link", { member: moderator.member, player: "MoGame" }),
      /is \*\*MoGame\*\* in the game/,
    );
    const own = await shows("stats staff", { period: "30" }, /Calls answered\n\*\*1\*\*/);
    assert.match(own.text, /In the game: \*\*1\*\*[\s\S]*Read them fairly/);
    await reads(
      await moderator.slash(general, "stats staff", { member: owner.member }),
      /Only Managers can see other people's stats/,
    );
    await reads(await member.slash(general, "stats staff"), /Only staff have staff stats/);
    const all = await shows("stats staff", {}, /\*\*MoGame\*\*: [\s\S]*1 of 1 call /, owner);
    assert.match(all.text, /<image href/);
    assert.doesNotMatch(all.text, /@everyone|\[a\]\(http/);
    const [picture] = picturesOf(await drawn(all, 1));
    assert.ok(picture !== undefined);
    await assertPng(picture);
    await reads(await moderator.slash(general, "stats settings"), /Only people with Manage Server/);
    const open = { pictures: "light", "staff-figures": "moderators" };
    await reads(
      await owner.slash(general, "stats settings", open),
      /Pictures are \*\*light\*\*[\s\S]*Moderators and above/,
    );
    await reads(await moderator.slash(general, "stats staff"), /Staff, last 7 days[\s\S]*MoGame/);
  });

  test("with the history turned off it says that nothing is recorded, and draws nothing", async () => {
    const { owner, moderator, general } = rig.home;
    const off = await owner.slash(general, "history retention", { days: "off" });
    await reads(off, /Turn recording off/);
    await press(owner, off, "Erase and turn off");
    const exchange = await moderator.slash(general, "stats server");
    await reads(exchange, /Nothing (?:is recorded for this server|was recorded)/);
    assert.deepEqual(picturesOf(answerOf(exchange)), []);
  });

  test("nothing was logged as an error, no key was seen, the service was asked well", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
