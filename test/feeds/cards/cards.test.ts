import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Actor } from "../../../src/domain/guild.ts";
import { cardIdIn } from "../../support/card-id.ts";
import { seededRandom } from "../../support/clock.ts";
import { FeedsRig, guildId, withRig } from "../../support/feeds-rig.ts";

function actor(userId: string, manageGuild = false): Actor {
  return { userId, userName: userId, guildId, channelId: "mods", roleIds: [], manageGuild, askedAtMs: 0 };
}

/** A rig with a feed of mod calls whose baseline is taken. */
async function withModCalls(
  feed: Parameters<FeedsRig["add"]>[0],
  run: (rig: FeedsRig) => Promise<void>,
): Promise<void> {
  await withRig(async (rig) => {
    await rig.add({ kind: "modCalls", channelId: "mods", ...feed });
    await rig.poll();
    await run(rig);
  });
}

/** The service changes the row of a call when a moderator answers it. */
function answer(rig: FeedsRig, name: string, by: string): void {
  const at = rig.log.modCalls.findIndex(
    (row) => row.kind === "modCall" && row.caller.name === name && row.moderator === undefined,
  );
  const row = rig.log.modCalls[at];
  if (row?.kind !== "modCall") throw new Error(`no open call of ${name}`);
  rig.log.modCalls[at] = { ...row, moderator: { name: by, id: 99 } };
}

function titles(rig: FeedsRig, channelId = "mods"): string[] {
  return rig.sink
    .messages(channelId)
    .flatMap(({ body }) => (body.cards ?? []).map((card) => card.title ?? ""));
}

/** Each card's calls, in their order, answered or open. */
function shownCalls(rig: FeedsRig, channelId = "mods"): string[][] {
  return rig.sink
    .messages(channelId)
    .flatMap(({ body }) => body.cards ?? [])
    .map((card) => {
      const lines = (card.description ?? "").split("\n");
      const first = lines.some((line) => line.startsWith("🎮 Answered")) ? "answered" : "open";
      const further = lines.filter((line) => line.startsWith("🔁"));
      return [first, ...further.map((line) => (line.includes("answered") ? "answered" : "open"))];
    });
}

function cardId(rig: FeedsRig, index = 0): string {
  return cardIdIn(rig.sink.messages("mods")[index]?.body);
}

describe("mod-call cards", () => {
  test("one message for the life of a call: posted when called, edited when it is answered", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.match(titles(rig)[0] ?? "", /open/);
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("mods").length, 1);
      assert.match(titles(rig)[0] ?? "", /answered/);
      assert.match(rig.sink.text("mods"), /Answered in the game by .*Mod/);
    }));

  test("an unlink takes a server's cards away at once, the old ones with the next sweep, and reads none of the others", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const old = cardId(rig);
      await rig.clock.advance(13 * 3_600_000);
      rig.callModerators("Ben");
      await rig.pollAndFlush();
      assert.equal(rig.stores.cards.keys.length, 2);

      const readBefore = rig.stores.cards.reads;
      const binding = [...rig.bindings.values()][0];
      assert.ok(binding !== undefined);
      await rig.wing.unlinked(binding);
      assert.deepEqual([rig.stores.cards.keys, rig.stores.cards.reads - readBefore], [[old], 0]);
      const answer = await rig.wing.modCalls.act(actor("1"), old, { do: "claim" });
      assert.equal(answer.ok, false);
      await rig.clock.advance(6 * 3_600_000);
      assert.deepEqual(rig.stores.cards.keys, []);
    }));

  test("an answer never goes away again when an old snapshot is served", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      const old = structuredClone(rig.log.modCalls);
      await rig.pollAndFlush();
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      const now = rig.log.modCalls.splice(0, rig.log.modCalls.length, ...old);
      await rig.pollAndFlush();
      rig.log.modCalls.splice(0, rig.log.modCalls.length, ...now);
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("mods").length, 1);
      assert.match(titles(rig)[0] ?? "", /answered/);
    }));

  test("two equal calls in one second stand on one card; the first answer fills the first one", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("mods").length, 1);
      assert.match(titles(rig)[0] ?? "", /answered · called 2 times/);
      assert.deepEqual(shownCalls(rig), [["answered", "open"]]);
    }));

  test("the first claim wins, and the second person reads who was first", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const id = cardId(rig);
      const [first, second] = await Promise.all([
        rig.wing.modCalls.act(actor("1"), id, { do: "claim" }),
        rig.wing.modCalls.act(actor("2"), id, { do: "claim" }),
      ]);
      assert.equal(first.ok, true);
      assert.equal(second.ok, false);
      assert.match(second.text, /<@1> already claimed this call/);
      await rig.clock.advance(1_000);
      assert.match(rig.sink.text("mods"), /Claimed by <@1> after 10\u00a0s/);
    }));

  test("a claim that comes right after somebody answered in the game is refused: the call is in their hands", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      const { modCalls } = rig.wing;
      const claimed = await modCalls.act(actor("1"), cardId(rig), { do: "claim" });
      assert.equal(claimed.ok, false);
      assert.match(claimed.text, /already answered in the game/u);
      await rig.clock.advance(20_000);
      assert.doesNotMatch(rig.sink.text("mods"), /Claimed/u);
      assert.equal((await modCalls.act(actor("1"), cardId(rig), { do: "resolve" })).ok, true);
    }));

  test("the holder of a call releases or resolves it; a manager always may; a resolved one stays so", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const id = cardId(rig);
      const { modCalls } = rig.wing;
      await modCalls.act(actor("1"), id, { do: "claim" });
      assert.equal((await modCalls.act(actor("2"), id, { do: "release" })).ok, false);
      assert.equal((await modCalls.act(actor("2"), id, { do: "resolve" })).ok, false);
      assert.equal((await modCalls.act(actor("1"), id, { do: "release" })).ok, true);
      assert.equal((await modCalls.act(actor("2"), id, { do: "claim" })).ok, true);
      assert.equal(
        (await modCalls.act(actor("3", true), id, { do: "resolve", note: "**ok** @everyone" })).ok,
        true,
      );
      assert.equal((await modCalls.act(actor("2"), id, { do: "release" })).ok, false);
      await rig.clock.advance(1_000);
      assert.match(rig.sink.text("mods"), /Resolved by <@3>[\s\S]*\\\*\\\*ok\\\*\\\* @\u200beveryone/);
      const buttons = (rig.sink.messages("mods")[0]?.body.rows ?? []).flat();
      const labels = buttons.map((one) => (one.kind === "button" ? one.label : one.id));
      assert.deepEqual(labels, ["Rewind", "Player"], "nothing can be done about a resolved call");
    }));

  test("a call that was resolved on its card is open no more, after a restart too; another of that second is", () =>
    withModCalls({}, async (rig) => {
      const openCalls = () => {
        assert.ok(rig.latest !== undefined);
        const { lists } = rig.wing.modCalls.withoutResolved("binding-1", rig.latest);
        return (lists.modCalls?.value ?? []).map(({ caller }) => caller.name);
      };
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(openCalls(), ["Ann"]);
      const isOver = () => rig.wing.callsOnCards("binding-1").map((call) => call.isOver === true);
      await rig.wing.modCalls.act(actor("1"), cardId(rig), { do: "claim" });
      assert.deepEqual(isOver(), [false], "somebody has it, and it goes on");
      await rig.wing.modCalls.act(actor("1"), cardId(rig), { do: "resolve" });
      assert.deepEqual(openCalls(), []);
      assert.deepEqual(isOver(), [true]);
      rig.callModerators("Ben", rig.nowS);
      rig.callModerators("Ann", rig.nowS);
      await rig.pollAndFlush();
      assert.deepEqual(openCalls(), ["Ben", "Ann"], "she calls again: that one is open");
      await rig.restart();
      assert.deepEqual(openCalls(), ["Ben", "Ann"]);
    }));

  test("what its card shows as answered is open no more, though only one of its calls was; a later call is", () =>
    withModCalls({}, async (rig) => {
      const openCalls = () => {
        assert.ok(rig.latest !== undefined);
        const { lists } = rig.wing.modCalls.withoutResolved("binding-1", rig.latest);
        return (lists.modCalls?.value ?? []).filter(({ moderator }) => moderator === undefined);
      };
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.equal(openCalls().length, 2);
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      assert.match(rig.sink.messages("mods")[0]?.body.cards?.[0]?.title ?? "", /answered/);
      assert.deepEqual(openCalls(), []);
      await rig.restart();
      assert.deepEqual(openCalls(), []);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(
        openCalls().map(({ atS }) => atS),
        [rig.log.modCalls.at(-1)?.atS],
      );
    }));

  test("a card of another guild cannot be touched", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const stranger = { ...actor("1", true), guildId: "guild-2" };
      const result = await rig.wing.modCalls.act(stranger, cardId(rig), { do: "claim" });
      assert.equal(result.ok, false);
    }));

  test("a claim edits the cards of that call in every feed of the guild", () =>
    withModCalls({}, async (rig) => {
      await rig.add({ kind: "modCalls", channelId: "mods-2" });
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.wing.modCalls.act(actor("1"), cardId(rig), { do: "claim" });
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      for (const channel of ["mods", "mods-2"]) {
        assert.equal(rig.sink.messages(channel).length, 1);
        assert.match(rig.sink.text(channel), /Answered in the game[\s\S]*Claimed by <@1>/);
      }
    }));

  test("a card is found after a kill also where the game service's clock is an hour ahead", () =>
    withModCalls({}, async (rig) => {
      rig.sink.fault = (call) => {
        if (call === "send") rig.stores.cards.failure = new Error("killed here");
        return undefined;
      };
      rig.callModerators("Caller", rig.nowS + 3_600);
      await rig.pollAndFlush();
      assert.equal(titles(rig).length, 1);
      await rig.clock.advance(rig.sink.nonceMemoryMs);
      rig.stores.cards.failure = undefined;
      rig.sink.fault = () => undefined;
      await rig.crash();
      await rig.calmDown();
      assert.equal(titles(rig).length, 1);
    }));

  test("the state survives a restart, and a claim made during an outage is shown after it", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const id = cardId(rig);
      rig.sink.fault = () => "unknown";
      await rig.wing.modCalls.act(actor("1"), id, { do: "claim" });
      await rig.clock.advance(5_000);
      await rig.crash();
      rig.sink.fault = () => undefined;
      await rig.clock.advance(5_000);
      assert.match(titles(rig)[0] ?? "", /claimed/);
      const second = await rig.wing.modCalls.act(actor("2"), id, { do: "claim" });
      assert.match(second.ok ? "" : second.text, /<@1> already claimed this call/);
    }));

  test("edits that Discord limits (30046) wait, and then show the latest state at once", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.sink.fault = (what) => (what === "edit" ? "edit-limit" : undefined);
      await rig.wing.modCalls.act(actor("1"), cardId(rig), { do: "claim" });
      await rig.clock.advance(60_000);
      await rig.wing.modCalls.act(actor("1"), cardId(rig), { do: "resolve" });
      await rig.clock.advance(60_000);
      const edits = rig.sink.calls.filter((one) => one.startsWith("edit")).length;
      assert.ok(edits <= 1, `${edits} edits against the limit`);
      rig.sink.fault = () => undefined;
      await rig.clock.advance(400_000);
      assert.match(titles(rig)[0] ?? "", /resolved/);
    }));

  test("a card that someone deleted is left deleted, and the feed goes on", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const id = cardId(rig);
      rig.sink.channels.set("mods", []);
      await rig.wing.modCalls.act(actor("1"), id, { do: "claim" });
      await rig.clock.advance(240_000);
      rig.callModerators("Bob");
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("mods").length, 1);
      assert.match(rig.sink.text("mods"), /Bob/);
      assert.equal(rig.told.length, 0);
    }));

  test("a note that Discord refuses is left out, and the card says how the call ended", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.sink.fault = (_, __, body) =>
        JSON.stringify(body ?? {}).includes("bad.example") ? "form" : undefined;
      await rig.wing.modCalls.act(actor("1"), cardId(rig), {
        do: "resolve",
        note: "see https://bad.example",
      });
      await rig.clock.advance(10_000);
      assert.match(titles(rig)[0] ?? "", /resolved/);
      assert.match(rig.sink.text("mods"), /Discord refuses/);
      assert.equal((await rig.wing.feeds.list(guildId))[0]?.state, "live");
    }));

  test("an edit in a thread that was archived waits until a new call revives it, and the feed goes on", () =>
    withModCalls({}, async (rig) => {
      let isArchived = false;
      rig.sink.fault = (call) => {
        if (call === "send") isArchived = false;
        return call === "edit" && isArchived ? "closed" : undefined;
      };
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.clock.advance(3_600_000);
      isArchived = true;
      answer(rig, "Ann", "Mod");
      await rig.pollAndFlush();
      assert.match(titles(rig)[0] ?? "", /open/);
      assert.equal((await rig.wing.feeds.list(guildId))[0]?.state, "live");
      rig.callModerators("Bob");
      await rig.pollAndFlush();
      assert.match(titles(rig)[1] ?? "", /open/);
      rig.outbox.permissionsChanged(guildId);
      await rig.clock.advance(10_000);
      assert.match(titles(rig)[0] ?? "", /answered/);
      assert.deepEqual(rig.told, []);
    }));

  test("a channel that closes parks the feed, and the person who configured it gets a notice", () =>
    withModCalls({}, async (rig) => {
      rig.sink.fault = () => "closed";
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.equal(rig.told.length, 1);
      assert.equal((await rig.wing.feeds.list(guildId))[0]?.state, "parked");
    }));

  test("a role is pinged by a new card, at most once per cooldown, and by no edit", () =>
    withModCalls({ pingRoleId: "777", pingCooldownMs: 300_000 }, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.callModerators("Bob");
      await rig.pollAndFlush(200_000);
      await rig.pollAndFlush(200_000);
      rig.callModerators("Cat");
      await rig.pollAndFlush();
      const pings = rig.sink.messages("mods").map(({ sent }) => sent.pingRoleIds ?? []);
      assert.deepEqual(pings, [["777"], [], ["777"]]);
      assert.equal(rig.sink.messages("mods")[0]?.body.content, "<@&777>");
    }));

  test("an old call that comes to light late is shown without a ping", () =>
    withModCalls({ pingRoleId: "777" }, async (rig) => {
      rig.callModerators("Ann", rig.nowS);
      await rig.clock.advance(3_600_000);
      await rig.pollAndFlush();
      const card = rig.sink.messages("mods").find(({ body }) => (body.cards ?? []).length > 0);
      assert.deepEqual(card?.sent.pingRoleIds ?? [], []);
    }));

  test("a call is as old as the service's clock says, where this machine's is an hour ahead", () =>
    withModCalls({ pingRoleId: "777" }, async (rig) => {
      rig.serviceAheadMs = -3_600_000;
      rig.callModerators("Ann", rig.nowS - 3_600);
      await rig.pollAndFlush();
      const pings = rig.sink.messages("mods").map(({ sent }) => sent.pingRoleIds ?? []);
      assert.deepEqual(pings, [["777"]]);
    }));

  for (const serviceAheadMs of [-3_600_000, 3_600_000]) {
    test(`the figure of how late posts are is by the service's clock (${serviceAheadMs / 60_000} min ahead of this machine's)`, () =>
      withModCalls({}, async (rig) => {
        rig.serviceAheadMs = serviceAheadMs;
        const atS = rig.nowS + serviceAheadMs / 1_000;
        await rig.add();
        await rig.poll();
        await rig.clock.advance(10_000);
        rig.callModerators("Ann", atS);
        rig.log.joinLogs.push({ kind: "join", atS, player: { name: "A", id: 1 }, joined: true });
        await rig.pollAndFlush();
        assert.deepEqual(rig.observed.map(({ kind }) => kind).sort(), ["joins", "modCalls"]);
        for (const { value } of rig.observed) assert.ok(value >= 10 && value <= 20, String(value));
      }));

    test(`how long a call waited is by the service's clock (${serviceAheadMs / 60_000} min ahead of this machine's)`, () =>
      withModCalls({}, async (rig) => {
        rig.serviceAheadMs = serviceAheadMs;
        const { modCalls } = rig.wing;
        rig.callModerators("Ann", rig.nowS + serviceAheadMs / 1_000);
        await rig.pollAndFlush();
        await modCalls.act(actor("1"), cardId(rig), { do: "claim" });
        await rig.clock.advance(60_000);
        await modCalls.act(actor("1"), cardId(rig), { do: "resolve" });
        await rig.clock.advance(10_000);
        assert.match(rig.sink.text("mods"), /Claimed by <@1> after 10\u00a0s/);
        assert.match(rig.sink.text("mods"), /Resolved by <@1> after 1\u00a0min/);
        const [call] = modCalls.onCards("binding-1");
        assert.equal(Math.floor((call?.taken?.atMs ?? 0) / 1_000), (call?.atS ?? 0) + 10);
      }));
  }

  test("unclaimed for long: one reply that pings, and the card says so; a claim in time prevents it", () =>
    withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
      rig.callModerators("Ann");
      rig.callModerators("Bob");
      await rig.pollAndFlush();
      await rig.wing.modCalls.act(actor("1"), cardId(rig, 1), { do: "claim" });
      await rig.clock.advance(100_000);
      await rig.crash();
      await rig.clock.advance(3_600_000);
      const replies = rig.sink.messages("mods").filter(({ sent }) => sent.replyToMessageId !== undefined);
      assert.equal(replies.length, 1);
      assert.match(replies[0]?.body.content ?? "", /^<@&777> .*Unclaimed for 5\u00a0min: \*\*Ann\*\*/);
      assert.match(rig.sink.text("mods"), /staff were pinged again/);
    }));

  for (const claimedMs of [60_000, 400_000]) {
    test(`a call that was let go after ${claimedMs / 1_000} s pings once it was unclaimed again for as long as that`, () =>
      withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
        const replies = () =>
          rig.sink.messages("mods").filter(({ sent }) => sent.replyToMessageId !== undefined);
        const { modCalls } = rig.wing;
        rig.callModerators("Ann");
        await rig.pollAndFlush();
        await modCalls.act(actor("1"), cardId(rig), { do: "claim" });
        await rig.clock.advance(claimedMs);
        await modCalls.act(actor("1"), cardId(rig), { do: "release" });
        await rig.clock.advance(290_000);
        assert.equal(replies().length, 0);
        await rig.clock.advance(20_000);
        assert.equal(replies().length, 1);
        assert.match(replies()[0]?.body.content ?? "", /^<@&777> .*Unclaimed for 5\u00a0min: \*\*Ann\*\*/);
        await rig.crash();
        await rig.clock.advance(3_600_000);
        assert.equal(replies().length, 1);
      }));
  }

  for (const end of ["stop", "kill"] as const) {
    for (const fault of ["unknown", "lost"] as const) {
      test(`the second ping that the ${end} of a process left (${fault}) comes once, and no card says so before`, () =>
        withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
          const replies = () =>
            rig.sink.messages("mods").filter(({ sent }) => sent.replyToMessageId !== undefined);
          rig.callModerators("Ann");
          await rig.pollAndFlush();
          rig.sink.fault = (call) => {
            if (call !== "send") return undefined;
            return replies().length === 0 ? fault : "unknown";
          };
          await rig.clock.advance(300_000);
          assert.equal(replies().length, fault === "lost" ? 1 : 0);
          assert.doesNotMatch(rig.sink.text("mods"), /pinged again/);
          rig.sink.nonceMemoryMs = 0;
          if (end === "stop") await rig.stop();
          await rig.crash();
          rig.sink.fault = () => undefined;
          await rig.clock.advance(900_000);
          assert.deepEqual(
            replies().map(({ sent }) => sent.pingRoleIds),
            [["777"]],
          );
          assert.match(rig.sink.text("mods"), /pinged again/);
        }));
    }
  }

  test("a second ping that Discord refuses is not said to have been one, and is not tried for ever", () =>
    withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      let tries = 0;
      rig.sink.fault = (_, __, message) => {
        if (message?.content?.includes("Unclaimed") !== true) return undefined;
        tries += 1;
        return "form";
      };
      await rig.pollAndFlush(600_000);
      await rig.crash();
      await rig.pollAndFlush(600_000);
      assert.doesNotMatch(rig.sink.text("mods"), /pinged again/);
      assert.equal(tries, 1);
    }));

  test("cards know who took them while on duty, also after a restart; the second ping is for who is on duty", () =>
    withModCalls({ pingRoleId: "777", escalateAfterMs: 300_000 }, async (rig) => {
      const onDuty = (userIds: readonly string[]) =>
        rig.roster.set(
          guildId,
          userIds.map((userId) => ({
            userId,
            isOnBreak: false,
            seen: { bindingId: "binding-1", playerId: 99 },
          })),
        );
      for (const name of ["Ann", "Bob", "Cleo", "Dora"]) rig.callModerators(name);
      await rig.pollAndFlush();
      onDuty(["1"]);
      await rig.wing.modCalls.act(actor("1"), cardId(rig, 0), { do: "claim" });
      await rig.wing.modCalls.act(actor("2"), cardId(rig, 1), { do: "claim" });
      answer(rig, "Cleo", "Mod");
      await rig.pollAndFlush();
      await rig.clock.advance(200_000);
      onDuty(["5", "6"]);
      await rig.clock.advance(100_000);
      onDuty([]);
      await rig.crash();
      await rig.pollAndFlush();
      const text = rig.sink.text("mods");
      assert.match(text, /Claimed by <@1> \(on duty\) after/);
      assert.match(text, /Claimed by <@2> after/);
      assert.match(text, /Answered in the game by .*Mod.* \(on duty\)/);
      const [reply, ...others] = rig.sink
        .messages("mods")
        .filter(({ sent }) => sent.replyToMessageId !== undefined);
      assert.deepEqual(
        [others.length, reply?.sent.pingUserIds, reply?.sent.pingRoleIds],
        [0, ["5", "6"], undefined],
      );
      assert.match(reply?.body.content ?? "", /^<@5> <@6> .*Unclaimed/);
    }));

  for (const minutes of [1, 60, 400]) {
    test(`through ${minutes} minutes without Discord each call has one card, which shows its last state`, () =>
      withModCalls({ pingRoleId: "77", escalateAfterMs: 300_000 }, async (rig) => {
        rig.callModerators("Ann");
        await rig.pollAndFlush();
        // One card is lost on its way to us, one never leaves.
        let isFirst = true;
        rig.sink.fault = (call) => {
          if (call !== "send" || !isFirst) return "unknown";
          isFirst = false;
          return "lost";
        };
        answer(rig, "Ann", "Mod");
        rig.callModerators("Ben");
        rig.callModerators("Cleo");
        await rig.pollAndFlush(minutes * 60_000);
        answer(rig, "Ben", "Mod");
        answer(rig, "Cleo", "Mod");
        await rig.pollAndFlush();
        rig.sink.fault = () => undefined;
        await rig.clock.advance(900_000);
        assert.deepEqual(
          titles(rig).map((title) => /answered/.test(title)),
          [true, true, true],
        );
        // Nobody is pinged twice, nor for what was answered before its turn came, nor after six hours.
        const pings = rig.sink.messages("mods").flatMap(({ sent }) => sent.pingRoleIds ?? []);
        assert.ok(pings.length <= (minutes > 360 ? 2 : 3), `${pings.length} pings`);
      }));
  }

  test("a call whose card comes after six hours without Discord pings nobody", () =>
    withModCalls({ pingRoleId: "77" }, async (rig) => {
      rig.sink.fault = () => "unknown";
      rig.callModerators("Dan");
      await rig.pollAndFlush(400 * 60_000);
      rig.sink.fault = () => undefined;
      await rig.clock.advance(900_000);
      assert.equal(titles(rig).length, 1);
      assert.deepEqual(
        rig.sink.messages("mods").flatMap(({ sent }) => sent.pingRoleIds ?? []),
        [],
      );
    }));

  test("a channel that is deleted while its card waits parks the feed, and nothing goes on trying", () =>
    withModCalls({}, async (rig) => {
      rig.sink.fault = () => "unknown";
      rig.callModerators("Ann");
      await rig.pollAndFlush(120_000);
      rig.sink.fault = () => "gone";
      await rig.clock.advance(300_000);
      const calls = rig.sink.calls.length;
      await rig.clock.advance(3_600_000);
      assert.equal(rig.sink.calls.length, calls);
      assert.equal((await rig.wing.state()).live, 0);
      assert.equal(rig.told.length, 1);
    }));

  test("cards of the version before are taken up: one that stands, and one whose post nobody noted", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      rig.callModerators("Ben");
      await rig.pollAndFlush();
      const [, second = ""] = rig.stores.cards.keys;
      const record = await rig.stores.cards.get(second);
      assert.ok(record !== undefined);
      const slots = Object.entries(record.slots).map(([feedId, { messageId: _, ...slot }]) => [
        feedId,
        { ...slot, shown: 0 },
      ]);
      await rig.stores.cards.set(second, { ...record, slots: Object.fromEntries(slots) });
      rig.sink.nonceMemoryMs = 0;
      await rig.crash();
      answer(rig, "Ann", "Mod");
      answer(rig, "Ben", "Mod");
      await rig.pollAndFlush();
      await rig.clock.advance(60_000);
      assert.deepEqual(
        titles(rig).map((title) => /answered/.test(title)),
        [true, true],
      );
    }));

  test("a gap in the calls is said once, in the channel", () =>
    withModCalls({}, async (rig) => {
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.log.modCalls.length = 0;
      await rig.clock.advance(60_000);
      rig.callModerators("Bob");
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      assert.equal(rig.sink.text("mods").match(/Gap: moderator calls/g)?.length, 1);
      assert.match(rig.sink.text("mods"), /Bob/);
      assert.equal(rig.counts.sums.get("marshal_feed_gap_notices_total kind=modCalls"), 1);
    }));

  test("whenever the process dies, each call has one card per feed, and it shows the last state", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = seededRandom(seed);
      const rig = await new FeedsRig().start();
      await rig.add({ kind: "modCalls", channelId: "mods" });
      await rig.add({ kind: "modCalls", channelId: "mods-2" });
      await rig.poll();
      const fault = () => (["lost", "unknown", undefined] as const)[Math.floor(random.next() * 3)];
      const open: string[] = [];
      let made = 0;
      for (let step = 0; step < 20; step++) {
        rig.sink.fault = random.next() < 0.3 ? fault : () => undefined;
        if (random.next() < 0.5) {
          const name = `C${made++}`;
          rig.callModerators(name);
          open.push(name);
        }
        const answered = random.next() < 0.3 ? open.shift() : undefined;
        if (answered !== undefined) answer(rig, answered, `by-${answered}`);
        if (random.next() < 0.4) rig.dieAfter(Math.ceil(random.next() * 20) / 2);
        await rig.pollUnlessDead(Math.floor(random.next() * random.next() * 200_000));
      }
      await rig.calmDown();
      for (const channel of ["mods", "mods-2"]) {
        const shown = rig.sink.messages(channel).flatMap(({ body }) => body.cards ?? []);
        const names = shown.map((card) => /\*\*(C\d+)\*\*/.exec(card.description ?? "")?.[1] ?? "?").sort();
        assert.deepEqual(names, Array.from({ length: made }, (_, n) => `C${n}`).sort(), `seed ${seed}`);
        for (const card of shown) {
          const name = /\*\*(C\d+)\*\*/.exec(card.description ?? "")?.[1] ?? "?";
          assert.match(
            card.title ?? "",
            open.includes(name) ? /open/ : /answered/,
            `${name} of seed ${seed}`,
          );
        }
      }
      assert.equal((await rig.wing.state()).cards.unshown, 0);
      await rig.stop();
    }
  });
});

describe("emergency-call cards", () => {
  const emergency = (rig: FeedsRig, callNumber: number, unitIds: number[] = []) => ({
    team: "Police",
    callerId: 11,
    unitIds,
    startedAtS: rig.nowS,
    callNumber,
    description: "Robbery @everyone",
    positionDescriptor: "Bank",
  });

  async function withFeed(run: (rig: FeedsRig) => Promise<void>): Promise<void> {
    await withRig(async (rig) => {
      rig.players = [11, 21, 22].map((id) => ({
        player: { name: `Name${id}`, id },
        team: "Police",
        permission: "Normal",
        wantedStars: 0,
      }));
      await rig.add({ kind: "emergencyCalls", channelId: "calls" });
      await rig.clock.advance(1_000);
      await run(rig);
    });
  }

  test("started, units joined, ended: one message that follows the call", () =>
    withFeed(async (rig) => {
      rig.calls = [emergency(rig, 1)];
      await rig.pollAndFlush();
      assert.match(titles(rig, "calls")[0] ?? "", /Call #1 · Police · in progress/);
      assert.match(rig.sink.text("calls"), /\*\*Name11\*\* called[\s\S]*No units yet/);
      const [started] = rig.calls;
      if (started === undefined) throw new Error("no call");
      rig.calls = [{ ...started, unitIds: [21, 22] }];
      await rig.pollAndFlush();
      assert.match(rig.sink.text("calls"), /2 units: \*\*Name21\*\*, \*\*Name22\*\*/);
      rig.calls = [];
      await rig.pollAndFlush();
      assert.match(titles(rig, "calls")[0] ?? "", /in progress/, "one absence may be an old answer");
      await rig.pollAndFlush();
      assert.match(titles(rig, "calls")[0] ?? "", /ended/);
      assert.equal(rig.sink.messages("calls").length, 1);
    }));

  test("whose words Discord refuses is shown without them, and the calls of others still come", () =>
    withFeed(async (rig) => {
      rig.sink.fault = (_, __, body) => (JSON.stringify(body ?? {}).includes("Robbery") ? "form" : undefined);
      rig.calls = [emergency(rig, 1), { ...emergency(rig, 2), description: "A fire" }];
      await rig.pollAndFlush();
      assert.deepEqual(titles(rig, "calls").toSorted(), [
        "🚨 Call #1 · Police · in progress",
        "🚨 Call #2 · Police · in progress",
      ]);
      assert.match(rig.sink.text("calls"), /Name11[\s\S]*Discord refuses/);
      assert.equal((await rig.wing.feeds.list(guildId))[0]?.state, "live");
      assert.deepEqual(rig.told, []);
      rig.calls = [];
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      assert.deepEqual(titles(rig, "calls").toSorted(), [
        "⏹ Call #1 · Police · ended",
        "⏹ Call #2 · Police · ended",
      ]);
    }));

  test("an old answer neither ends a call nor brings an ended one back", () =>
    withFeed(async (rig) => {
      const started = emergency(rig, 1);
      for (const calls of [[started], [], [started], [], [started]]) {
        rig.calls = calls;
        await rig.pollAndFlush();
      }
      assert.match(titles(rig, "calls")[0] ?? "", /in progress/);
      for (const calls of [[], [], [started]]) {
        rig.calls = calls;
        await rig.pollAndFlush();
      }
      assert.match(titles(rig, "calls")[0] ?? "", /ended/);
      assert.equal(rig.sink.messages("calls").length, 1);
    }));

  for (const hours of [-7, 1]) {
    test(`have a card from the feed's first minute on, and none from before it, where the service's clock is ${hours} h ahead`, () =>
      withRig(async (rig) => {
        rig.serviceAheadMs = hours * 3_600_000;
        const now = (callNumber: number) => ({
          ...emergency(rig, callNumber),
          startedAtS: rig.nowS + hours * 3_600,
        });
        const before = now(1);
        await rig.clock.advance(60_000);
        await rig.add({ kind: "emergencyCalls", channelId: "calls" });
        await rig.clock.advance(5_000);
        rig.calls = [before, now(2)];
        await rig.pollAndFlush();
        assert.deepEqual(titles(rig, "calls"), ["🚨 Call #2 · Police · in progress"]);
      }));
  }

  test("the same number at another time is another call; calls from before the feed are not its business", () =>
    withRig(async (rig) => {
      const before = emergency(rig, 1);
      await rig.clock.advance(60_000);
      await rig.add({ kind: "emergencyCalls", channelId: "calls", filter: { teams: ["police"] } });
      await rig.clock.advance(1_000);
      rig.calls = [before, emergency(rig, 1), { ...emergency(rig, 2), team: "Fire" }];
      await rig.pollAndFlush();
      assert.equal(rig.sink.messages("calls").length, 1);
    }));

  test("a restart goes on with the same message", () =>
    withFeed(async (rig) => {
      rig.sink.fault = (what) => (what === "send" ? "lost" : undefined);
      rig.calls = [emergency(rig, 1)];
      await rig.pollAndFlush(500);
      await rig.crash();
      rig.sink.fault = () => undefined;
      await rig.pollAndFlush(250_000);
      rig.calls = [];
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      const cards = rig.sink.messages("calls").flatMap(({ body }) => body.cards ?? []);
      assert.equal(cards.length, 1);
      assert.match(cards[0]?.title ?? "", /ended/);
    }));
});
