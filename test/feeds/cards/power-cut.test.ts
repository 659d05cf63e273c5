import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceId } from "../../../src/domain/model.ts";
import { cardIdIn } from "../../support/card-id.ts";
import { type FeedsRig, withRig } from "../../support/feeds-rig.ts";
import { diskFull, show, showWhileFull, withCalls } from "./calls-unstored.ts";

/** A rig with a feed of moderator calls whose baseline is taken, in a Discord that forgets nonces soon. */
function withModCalls(run: (rig: FeedsRig) => Promise<void>): Promise<void> {
  return withRig(run, { feeds: [{ kind: "modCalls", channelId: "mods" }], nonceMemoryMs: 3_000 });
}

function cardIds(rig: FeedsRig): string[] {
  return rig.sink.messages("mods").map(({ body }) => cardIdIn(body));
}

function descriptions(rig: FeedsRig): string[] {
  return rig.sink.messages("mods").map(({ body }) => body.cards?.[0]?.description ?? "");
}

/** How many calls each card shows. */
function callCounts(rig: FeedsRig): number[] {
  return descriptions(rig).map((text) => [...text.matchAll(/ called (again )?<t:/g)].length);
}

describe("cards after a power cut that set the store back", () => {
  test("are found again in their channel, equal calls of one second too, and take their answers", () =>
    withModCalls(async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const saved = rig.saved();
      rig.callModerators("Bob");
      rig.callModerators("Bob");
      await rig.pollAndFlush();
      const before = cardIds(rig);
      assert.equal(new Set(before).size, 2);
      await rig.powerCut(saved);
      const at = rig.log.modCalls.findIndex((row) => row.kind === "modCall" && row.caller.name === "Bob");
      const bob = rig.log.modCalls[at];
      assert.ok(bob?.kind === "modCall");
      rig.log.modCalls[at] = { ...bob, moderator: { name: "Mod", id: 99 } };
      await rig.pollAndFlush();
      assert.deepEqual(cardIds(rig), before);
      const answered = descriptions(rig).map((text) => /Answered in the game/.test(text));
      assert.deepEqual(answered, [false, true]);
    }));

  test("are found again also where this machine's clock is an hour behind the game service's", () =>
    withModCalls(async (rig) => {
      rig.serviceAheadMs = 3_600_000;
      rig.callModerators("Ann", rig.nowS + 3_600);
      await rig.pollAndFlush();
      const saved = rig.saved();
      rig.callModerators("Bob", rig.nowS + 3_600);
      await rig.pollAndFlush();
      rig.callModerators("Bob", rig.nowS + 3_600);
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [1, 2]);
      const before = cardIds(rig);
      rig.sink.nonceMemoryMs = 0;
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      assert.deepEqual(cardIds(rig), before);
      assert.deepEqual(callCounts(rig), [1, 2]);
    }));

  test("keep their calls on the cards on which they stood, though what parted or joined them is forgotten", () =>
    withModCalls(async (rig) => {
      const actor = {
        userId: "1",
        userName: "1",
        guildId: "guild-1",
        channelId: "mods",
        roleIds: [],
        manageGuild: true,
        askedAtMs: 0,
      };
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const saved = rig.saved();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      // Resolved, so that the next call has a card of its own; the cut makes the store forget it.
      const cardId = cardIds(rig)[0] ?? "";
      await rig.wing.modCalls.act(actor, cardId, { do: "resolve" });
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [2, 1]);
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [2, 1]);
      assert.equal(rig.sink.messages("mods").length, 2);
    }));

  test("take up a call that an edit has read from them while its row looks for its card", () =>
    withModCalls(async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const saved = rig.saved();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [2]);
      // The answer makes the card be edited, and keeps further calls from joining it.
      rig.log.modCalls.splice(
        0,
        1,
        ...rig.log.modCalls
          .slice(0, 1)
          .flatMap((row) => (row.kind === "modCall" ? [{ ...row, moderator: { name: "Mod", id: 99 } }] : [])),
      );
      // The row's own look into the channel takes longer than the edit's look at the one message.
      const { readBack } = rig.sink;
      rig.sink.readBack = async (channelId, after, limit) => {
        const found = await readBack.call(rig.sink, channelId, after, limit);
        if (limit > 1) await rig.clock.sleep(2_000);
        return found;
      };
      await rig.powerCut(saved);
      await rig.pollAndFlush(30_000);
      assert.deepEqual(callCounts(rig), [2]);
    }));

  test("are found again where a stop in order came between, before the server was read", () =>
    withModCalls(async (rig) => {
      const saved = rig.saved();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.powerCut(saved);
      await rig.stop();
      await rig.clock.advance(10_000);
      await rig.restart();
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [1]);
    }));

  test("lose no call that stands on them, whatever the log still shows", () =>
    withModCalls(async (rig) => {
      const saved = rig.saved();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.powerCut(saved);
      rig.log.modCalls.shift();
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [2]);
    }));

  test("say that a call may stand twice where history may not be read, also when it joins a card", () =>
    withModCalls(async (rig) => {
      rig.sink.fault = (what) => (what === "readBack" ? "no-history" : undefined);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const saved = rig.saved();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.clock.advance(300_000);
      assert.doesNotMatch(descriptions(rig)[0] ?? "", /Possibly repeated/);
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      assert.deepEqual(callCounts(rig), [2]);
      assert.match(descriptions(rig)[0] ?? "", /Possibly repeated/);
    }));

  test("have ids that do not depend on the journal's numbers", () =>
    withModCalls(async (rig) => {
      const saved = rig.saved();
      rig.callModerators("Cat");
      await rig.pollAndFlush();
      await rig.powerCut(saved);
      // Another row comes to light first, so that the same call gets another number.
      rig.log.modCalls.unshift({ kind: "modCall", atS: rig.nowS - 30, caller: { name: "Old", id: 12 } });
      await rig.pollAndFlush();
      const names = rig.sink
        .messages("mods")
        .map(({ body }) => /\*\*(\w+)\*\*/.exec(body.cards?.[0]?.description ?? "")?.[1]);
      assert.deepEqual(names.sort(), ["Cat", "Old"]);
    }));

  test("are marked where history may not be read, and stay marked when they are edited", () =>
    withModCalls(async (rig) => {
      rig.sink.fault = (what) => (what === "readBack" ? "no-history" : undefined);
      const saved = rig.saved();
      rig.callModerators("Eve");
      await rig.pollAndFlush();
      await rig.clock.advance(300_000);
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      const [, second] = rig.sink.messages("mods");
      assert.match(second?.body.cards?.[0]?.description ?? "", /Possibly repeated/);
      const row = rig.log.modCalls[0];
      assert.ok(row?.kind === "modCall");
      rig.log.modCalls[0] = { ...row, moderator: { name: "Mod", id: 99 } };
      await rig.pollAndFlush();
      const edited = rig.sink.messages("mods")[1]?.body.cards?.[0]?.description ?? "";
      assert.match(edited, /Answered in the game[\s\S]*Possibly repeated/);
    }));
});

describe("emergency calls while the store cannot write", () => {
  test("are told once it can again, though no answer shows them any more", () =>
    withCalls(async (rig) => {
      rig.stores.cards.refuseWrites = diskFull;
      show(rig, 1);
      await rig.poll();
      await rig.clock.advance(5_000);
      rig.calls.splice(0);
      rig.players = [];
      await rig.poll().catch(() => undefined);
      await rig.poll().catch(() => undefined);
      rig.stores.cards.refuseWrites = undefined;
      await rig.pollAndFlush();
      const cards = rig.sink.messages("calls").flatMap(({ body }) => body.cards ?? []);
      assert.equal(cards.length, 1);
      assert.match(cards[0]?.title ?? "", /Call #1 · Police · ended/);
      assert.match(
        cards[0]?.description ?? "",
        /\*\*P5\*\* called[\s\S]*\*\*P7\*\*/,
        "people as they were then",
      );
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("calls").length, 1);
    }));

  test("are told also where the journals' writes failed with them, and one failing call hides no other", () =>
    withCalls(async (rig) => {
      rig.stores.heads.refuseWrites = diskFull;
      rig.stores.cards.refuseWrites = diskFull;
      show(rig, 1);
      show(rig, 2);
      rig.join("A");
      await assert.rejects(rig.poll(), diskFull);
      await rig.clock.advance(5_000);
      rig.calls.splice(0);
      rig.stores.heads.refuseWrites = undefined;
      rig.stores.cards.refuseWrites = undefined;
      await rig.pollAndFlush();
      const titles = rig.sink.messages("calls").map(({ body }) => body.cards?.[0]?.title ?? "");
      assert.deepEqual(
        titles.map((title) => /Call #\d/.exec(title)?.[0]),
        ["Call #1", "Call #2"],
      );
      await rig.pollAndFlush();
      const after = rig.sink.messages("calls").map(({ body }) => body.cards?.[0]?.title ?? "");
      assert.ok(
        after.every((title) => title.includes("ended")),
        after.join("\n"),
      );
      assert.match(rig.sink.text("joins"), /\*\*A\*\* joined/);
    }));

  test("are named in a notice where more waited than are kept, once the store takes them again", async () => {
    const { firstS, notices, cards } = await showWhileFull(253);
    assert.equal(notices.length, 1, notices.join("\n"));
    const between = `between <t:${firstS}:T> and <t:`;
    assert.ok(notices[0]?.startsWith(`⚠ Gap: emergency calls ${between}`), String(notices[0]));
    assert.ok(cards > 240 && cards < 253, String(cards));
  });
});

describe("an emergency card that a power cut made the store forget", () => {
  const call = (rig: FeedsRig, callNumber: number) => ({
    team: "Police",
    callerId: 5,
    unitIds: [7],
    startedAtS: rig.nowS,
    callNumber,
    description: "Robbery",
  });
  const titlesOf = (rig: FeedsRig) =>
    rig.sink.messages("calls").flatMap(({ body }) => body.cards?.[0]?.title ?? []);

  /** Cards of calls 1 and 2 stand in the channel; the store knows of neither. */
  const withForgotten = (run: (rig: FeedsRig) => Promise<void>) =>
    withRig(
      async (rig) => {
        const saved = rig.saved();
        rig.calls = [call(rig, 1), call(rig, 2)];
        await rig.pollAndFlush();
        await rig.powerCut(saved);
        await run(rig);
      },
      { feeds: [{ kind: "emergencyCalls", channelId: "calls" }] },
    );

  test("ends although no answer shows its call any more; one that goes on is taken up again", () =>
    withForgotten(async (rig) => {
      rig.calls = rig.calls.slice(1);
      await rig.pollAndFlush();
      assert.ok(
        titlesOf(rig).every((title) => title.includes("in progress")),
        "one answer may be an old one",
      );
      await rig.pollAndFlush();
      assert.deepEqual(titlesOf(rig), ["⏹ Call #1 · Police · ended", "🚨 Call #2 · Police · in progress"]);
      const [ended] = rig.sink.messages("calls");
      assert.match(ended?.body.cards?.[0]?.description ?? "", /> Robbery\n[\s\S]*⏹ Ended after/);
      rig.calls = [];
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      assert.deepEqual(titlesOf(rig).filter((title) => title.includes("ended")).length, 2);
    }));

  test("says by the service's clock how long its call took", () =>
    withForgotten(async (rig) => {
      rig.serviceAheadMs = 3_600_000;
      rig.calls = [];
      for (let poll = 0; poll < 3; poll++) await rig.pollAndFlush();
      const cards = rig.sink.messages("calls").flatMap(({ body }) => body.cards ?? []);
      assert.equal(cards.length, 2);
      for (const { description = "" } of cards) assert.match(description, /⏹ Ended after 1\u00a0h$/);
    }));

  test("is taken up again also where this machine's clock is an hour behind the game service's", () =>
    withRig(
      async (rig) => {
        rig.serviceAheadMs = 3_600_000;
        await rig.pollAndFlush();
        const saved = rig.saved();
        rig.calls = [{ ...call(rig, 1), startedAtS: rig.nowS + 3_600 }];
        await rig.pollAndFlush();
        const before = titlesOf(rig);
        rig.sink.nonceMemoryMs = 0;
        await rig.powerCut(saved);
        await rig.pollAndFlush();
        await rig.pollAndFlush();
        assert.deepEqual(titlesOf(rig), before);
      },
      { feeds: [{ kind: "emergencyCalls", channelId: "calls" }] },
    ));

  test("is ended later where Discord cannot be reached at first", () =>
    withForgotten(async (rig) => {
      rig.calls = [];
      rig.sink.fault = () => "unknown";
      for (let poll = 0; poll < 3; poll++) await rig.pollAndFlush();
      rig.sink.fault = () => undefined;
      await rig.pollAndFlush();
      assert.ok(
        titlesOf(rig).every((title) => title.endsWith("ended")),
        titlesOf(rig).join("\n"),
      );
    }));

  test("of another server in the same channel is left alone", () =>
    withForgotten(async (rig) => {
      rig.link("binding-2", "Other", "source-b" as SourceId);
      await rig.add({ kind: "emergencyCalls", channelId: "calls", bindingId: "binding-2" });
      rig.calls = [];
      for (let poll = 0; poll < 4; poll++) {
        await rig.poll("source-b" as SourceId);
        await rig.clock.advance(10_000);
      }
      assert.ok(
        titlesOf(rig).every((title) => title.endsWith("in progress")),
        titlesOf(rig).join("\n"),
      );
    }));
});
