import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cardIdIn } from "../../support/card-id.ts";
import { seededRandom } from "../../support/clock.ts";
import { type FeedsRig, guildId, withRig } from "../../support/feeds-rig.ts";

const CALLERS = Array.from({ length: 40 }, (_, at) => `Caller${String(at).padStart(2, "0")}`);
const CALLS_PER_S = 3.3;
const LOAD_S = 240;
/** Of the calls so many are answered, 5 to 20 s later. */
const ANSWERED = 0.8;

/** A card may be posted, and then it has to be edited once, each a second after the other. */
const RIGHT_WITHIN_S = 2 * CALLERS.length + 60;

async function withCards(run: (rig: FeedsRig) => Promise<void>): Promise<void> {
  await withRig(async (rig) => {
    await rig.add({ kind: "modCalls", channelId: "mods" });
    here(rig, CALLERS);
    await rig.poll();
    await run(rig);
  });
}

function here(rig: FeedsRig, names: readonly string[], postal = "1"): void {
  rig.players = names.map((name) => ({
    player: { name, id: name.length },
    team: "Civilian",
    permission: "Normal",
    wantedStars: 0,
    location: { x: 1, z: 1, postalCode: postal },
  }));
}

function answer(rig: FeedsRig, row: number): void {
  const call = rig.log.modCalls[row];
  if (call !== undefined) rig.log.modCalls[row] = { ...call, moderator: { name: "Mod", id: 99 } };
}

/** One community calls moderators far more often than Discord takes messages in a channel; people come, go and move. */
async function load(rig: FeedsRig): Promise<void> {
  const random = seededRandom(3);
  const answers: { readonly atS: number; readonly row: number }[] = [];
  let owed = 0;
  for (let second = 0; second < LOAD_S; second += 1) {
    owed += CALLS_PER_S;
    for (; owed >= 1; owed -= 1) {
      const row = rig.log.modCalls.length;
      rig.callModerators(CALLERS[Math.floor(random.next() * CALLERS.length)] ?? "");
      if (random.next() < ANSWERED) answers.push({ row, atS: second + 5 + random.next() * 15 });
    }
    for (const { row, atS } of answers) if (atS <= second) answer(rig, row);
    if (second % 5 === 0) {
      const present = CALLERS.filter(() => random.next() < 0.66);
      here(rig, present, String(Math.floor(random.next() * 100)));
      await rig.poll();
    }
    await rig.clock.advance(1_000);
  }
}

interface ShownCard {
  readonly caller: string;
  readonly title: string;
  readonly calls: readonly { readonly atS: number; readonly isAnswered: boolean }[];
}

function shown(rig: FeedsRig): ShownCard[] {
  const cards = rig.sink.messages("mods").flatMap(({ body }) => body.cards ?? []);
  return cards.map(({ title = "", description = "" }) => {
    const lines = description.split("\n");
    const calls = lines.flatMap((line, at) => {
      const second = / called (?:again )?<t:(\d+):T>/.exec(line)?.[1];
      const isAnswered = line.includes("🎮 answered") || lines[at + 1]?.startsWith("🎮 Answered") === true;
      return second === undefined ? [] : [{ atS: Number(second), isAnswered }];
    });
    return { caller: /Caller\d\d/.exec(lines[0] ?? "")?.[0] ?? "", title, calls };
  });
}

/** Calls of the log that no card shows as they are, and those that a card shows beyond them. */
function wrong(rig: FeedsRig): number {
  const balance = new Map<string, number>();
  const count = (key: string, by: number) => balance.set(key, (balance.get(key) ?? 0) + by);
  for (const { caller, calls } of shown(rig))
    for (const { atS, isAnswered } of calls) count(`${caller} ${atS} ${isAnswered}`, 1);
  for (const { caller, atS, moderator } of rig.log.modCalls)
    count(`${caller.name} ${atS} ${moderator !== undefined}`, -1);
  return [...balance.values()].reduce((sum, one) => sum + Math.abs(one), 0);
}

describe("calls in a channel that takes less than it gets", () => {
  test("each stands there with its last state, soon after the load ends", () =>
    withCards(async (rig) => {
      await load(rig);
      await rig.poll();
      const before = rig.sink.messages("mods").length;
      await rig.clock.advance(RIGHT_WITHIN_S * 1_000);
      const { waiting } = rig.outbox.state();
      assert.deepEqual([wrong(rig), waiting.first, waiting.change], [0, 0, 0]);
      assert.ok(rig.sink.messages("mods").length - before <= CALLERS.length);
    }));

  test("a card that nobody has seen takes in what comes after an answer, and says that it is open", () =>
    withCards(async (rig) => {
      for (const name of CALLERS) rig.callModerators(name);
      await rig.pollAndFlush(3_000);
      const last = CALLERS.length - 1;
      answer(rig, last);
      await rig.pollAndFlush(3_000);
      rig.callModerators(CALLERS[last] ?? "");
      await rig.pollAndFlush(60_000);
      const card = shown(rig).filter(({ caller }) => caller === CALLERS[last]);
      assert.deepEqual(
        card.map(({ calls }) => calls.map(({ isAnswered }) => isAnswered)),
        [[true, false]],
      );
      assert.match(card[0]?.title ?? "", /open · called 2 times/);
    }));

  test("says how long the call waited that somebody claims, not the one before it that was answered", () =>
    withCards(async (rig) => {
      for (const name of CALLERS) rig.callModerators(name);
      await rig.pollAndFlush(3_000);
      const last = CALLERS.length - 1;
      answer(rig, last);
      await rig.pollAndFlush(3_000);
      rig.callModerators(CALLERS[last] ?? "");
      const calledS = rig.nowS;
      await rig.pollAndFlush(40_000);
      const cardOf = () =>
        rig.sink.messages("mods").find(({ body }) => JSON.stringify(body).includes(CALLERS[last] ?? ""));
      const actor = { userId: "1", userName: "1", guildId, channelId: "mods", roleIds: [] };
      const asked = { ...actor, manageGuild: false, askedAtMs: 0 };
      const claimed = await rig.wing.modCalls.act(asked, cardIdIn(cardOf()?.body), { do: "claim" });
      assert.equal(claimed.ok, true);
      const waitedS = rig.nowS - calledS;
      await rig.clock.advance(30_000);
      const text = cardOf()?.body.cards?.[0]?.description ?? "";
      assert.match(text, new RegExp(`Claimed by <@1> after ${waitedS}\u00a0s`));
    }));

  test("those that wait for somebody are posted before those that were answered meanwhile", () =>
    withCards(async (rig) => {
      for (const name of CALLERS) rig.callModerators(name);
      await rig.pollAndFlush(1_000);
      for (let row = 0; row < CALLERS.length / 2; row += 1) answer(rig, row);
      await rig.pollAndFlush(120_000);
      const callers = shown(rig).map(({ caller }) => caller);
      // The channel took four of them at once.
      assert.deepEqual(callers, [...CALLERS.slice(0, 4), ...CALLERS.slice(20), ...CALLERS.slice(4, 20)]);
    }));

  test("an answer is shown before what changed around the callers of all other cards", () =>
    withCards(async (rig) => {
      for (const name of CALLERS) rig.callModerators(name);
      await rig.pollAndFlush(120_000);
      here(rig, CALLERS, "77");
      await rig.pollAndFlush(2_000);
      answer(rig, CALLERS.length - 1);
      await rig.pollAndFlush(3_000);
      const moved = () => rig.sink.text("mods").match(/77/g)?.length ?? 0;
      assert.match(shown(rig).at(-1)?.title ?? "", /answered/);
      assert.ok(moved() < CALLERS.length / 2);
      await rig.clock.advance(60_000);
      assert.equal(moved(), CALLERS.length);
    }));
});
