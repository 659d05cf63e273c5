import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Actor } from "../../../src/domain/guild.ts";
import { cardIdIn } from "../../support/card-id.ts";
import { type FeedsRig, guildId, withRig } from "../../support/feeds-rig.ts";

const manager: Actor = {
  userId: "1",
  userName: "1",
  guildId,
  channelId: "mods",
  roleIds: [],
  manageGuild: true,
  askedAtMs: 0,
};

async function withModCalls(
  feed: Parameters<FeedsRig["add"]>[0],
  run: (rig: FeedsRig) => Promise<void>,
): Promise<void> {
  await withRig(async (rig) => {
    await rig.add({ kind: "modCalls", channelId: "mods", ...feed });
    here(rig, "Ann", "Bobby");
    await rig.poll();
    await run(rig);
  });
}

async function call(rig: FeedsRig, name = "Ann", afterMs = 30_000): Promise<void> {
  rig.callModerators(name);
  await rig.pollAndFlush(afterMs);
}

function answerAll(rig: FeedsRig): void {
  for (const [at, row] of rig.log.modCalls.entries()) {
    if (row.kind === "modCall") rig.log.modCalls[at] = { ...row, moderator: { name: "Mod", id: 99 } };
  }
}

function callCounts(rig: FeedsRig, channelId = "mods"): number[] {
  return rig.sink
    .messages(channelId)
    .filter(({ body }) => body.cards !== undefined)
    .map(({ body }) => [...(body.cards?.[0]?.description ?? "").matchAll(/ called (again )?<t:/g)].length);
}

function cardId(rig: FeedsRig): string {
  return cardIdIn(rig.sink.messages("mods")[0]?.body);
}

function here(rig: FeedsRig, ...names: string[]): void {
  rig.players = names.map((name) => ({
    player: { name, id: name.length },
    team: "Civilian",
    permission: "Normal",
    wantedStars: 0,
  }));
}

describe("further calls of one caller", () => {
  test("join the card within ten minutes of its first, ping nobody again, and are counted in words", () =>
    withModCalls({ pingRoleId: "777", pingCooldownMs: 1_000 }, async (rig) => {
      await call(rig);
      await call(rig);
      await call(rig, "Bobby");
      await call(rig);
      assert.deepEqual(callCounts(rig), [3, 1]);
      assert.match(rig.sink.messages("mods")[0]?.body.cards?.[0]?.title ?? "", /called 3 times/);
      const pings = rig.sink.messages("mods").map(({ sent }) => sent.pingRoleIds ?? []);
      assert.deepEqual(pings, [["777"], ["777"]]);
    }));

  test("begin another card when ten minutes are over, or ten calls stand on the first", () =>
    withModCalls({}, async (rig) => {
      await call(rig, "Ann", 599_000);
      await call(rig, "Ann", 2_000);
      await call(rig);
      assert.deepEqual(callCounts(rig), [2, 1]);
      for (let n = 0; n < 10; n++) await call(rig, "Bobby", 1_000);
      await call(rig, "Bobby");
      assert.deepEqual(callCounts(rig), [2, 1, 10, 1]);
    }));

  test("begin another card once the first is resolved or answered, and not when it is only claimed", () =>
    withModCalls({}, async (rig) => {
      await call(rig);
      await rig.wing.modCalls.act(manager, cardId(rig), { do: "claim" });
      await call(rig);
      assert.deepEqual(callCounts(rig), [2]);
      await rig.wing.modCalls.act(manager, cardId(rig), { do: "resolve" });
      await call(rig);
      assert.deepEqual(callCounts(rig), [2, 1]);
      answerAll(rig);
      await rig.pollAndFlush();
      await call(rig);
      assert.deepEqual(callCounts(rig), [2, 1, 1]);
    }));

  test("begin another card once the caller has left, though they came back", () =>
    withModCalls({}, async (rig) => {
      here(rig, "Ann");
      await call(rig);
      here(rig, "Somebody");
      await rig.pollAndFlush(20_000);
      assert.doesNotMatch(rig.sink.text("mods"), /left the server/, "one absence may be an old answer");
      await rig.pollAndFlush(20_000);
      assert.match(rig.sink.text("mods"), /\*\*Ann\*\* left the server/);
      assert.equal((await rig.wing.modCalls.find(guildId, cardId(rig)))?.hasLeft, true);
      here(rig, "Ann");
      await rig.pollAndFlush(20_000);
      assert.doesNotMatch(rig.sink.text("mods"), /left the server/);
      assert.equal((await rig.wing.modCalls.find(guildId, cardId(rig)))?.hasLeft, undefined);
      await call(rig);
      assert.deepEqual(callCounts(rig), [1, 1]);
    }));

  test("ping nobody a second time for a caller who has left: nobody is still waiting", () =>
    withModCalls({ pingRoleId: "777", escalateAfterMs: 120_000 }, async (rig) => {
      await call(rig);
      await call(rig, "Bobby");
      here(rig, "Bobby");
      for (let looks = 0; looks < 10; looks++) await rig.pollAndFlush(20_000);
      const replies = rig.sink.messages("mods").filter(({ sent }) => sent.replyToMessageId !== undefined);
      assert.deepEqual(
        replies.map(({ body }) => /Bobby\*\* is still waiting/u.test(body.content ?? "")),
        [true],
      );
    }));

  test("are posted anew where somebody has deleted the card before it showed them", () =>
    withModCalls({}, async (rig) => {
      await call(rig);
      rig.sink.channels.set("mods", []);
      await call(rig, "Ann", 240_000);
      assert.deepEqual(callCounts(rig), [2]);
      await call(rig);
      assert.deepEqual(callCounts(rig), [3]);
    }));

  test("stand with their own answers, in every feed of the guild", () =>
    withModCalls({}, async (rig) => {
      await rig.add({ kind: "modCalls", channelId: "mods-2" });
      await call(rig);
      await call(rig);
      answerAll(rig);
      await rig.pollAndFlush();
      for (const channel of ["mods", "mods-2"]) {
        assert.deepEqual(callCounts(rig, channel), [2]);
        assert.equal(rig.sink.text(channel).match(/nswered in the game by/g)?.length, 2);
      }
    }));

  test("have ended with the answer to one of them, for the alert about calls that wait", () =>
    withModCalls({}, async (rig) => {
      await call(rig);
      await call(rig);
      await call(rig, "Bobby");
      const calls = rig.log.modCalls.flatMap((row) => (row.kind === "modCall" ? [row] : []));
      const ends = () => calls.map((one) => rig.wing.callEndOf("binding-1", one)?.kind);
      assert.deepEqual(ends(), [undefined, undefined, undefined]);
      const at = rig.log.modCalls.findIndex((row) => row.kind === "modCall" && row.caller.name === "Ann");
      const row = rig.log.modCalls[at];
      assert.ok(row?.kind === "modCall");
      rig.log.modCalls[at] = { ...row, moderator: { name: "Mod", id: 99 } };
      await rig.pollAndFlush();
      const ofAnn = calls.map(({ caller }) => (caller.name === "Ann" ? "answered" : undefined));
      assert.deepEqual(ends(), ofAnn);
    }));

  test("escalate once for the card, counted from its first call", () =>
    withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
      await call(rig, "Ann", 200_000);
      await call(rig, "Ann", 90_000);
      assert.equal(rig.sink.messages("mods").length, 1);
      await rig.clock.advance(3_600_000);
      assert.deepEqual(callCounts(rig), [2]);
      assert.equal(rig.sink.text("mods").match(/Unclaimed for 5\u00a0min/g)?.length, 1);
    }));
});
