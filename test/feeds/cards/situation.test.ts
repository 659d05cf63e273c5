import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Player } from "../../../src/domain/model.ts";
import { cardIdIn } from "../../support/card-id.ts";
import { actorOf } from "../../support/fake-services.ts";
import { type FeedsRig, guildId, withRig } from "../../support/feeds-rig.ts";

function withModCalls(run: (rig: FeedsRig) => Promise<void>): Promise<void> {
  return withRig(run, { feeds: [{ kind: "modCalls", channelId: "mods" }] });
}

function player(name: string, at: readonly [x: number, z: number], more: Partial<Player> = {}): Player {
  const location = { x: at[0], z: at[1], postalCode: "204", streetName: "Main Street" };
  const rank = name.startsWith("Mod") ? "Server Moderator" : "Normal";
  return {
    player: { name, id: name.length },
    team: "Civilian",
    permission: rank,
    wantedStars: 0,
    location,
    ...more,
  };
}

function kill(rig: FeedsRig, killer: string, killed: string, agoS = 0): void {
  const who = (name: string) => ({ name, id: name.length });
  rig.log.killLogs.push({ kind: "kill", atS: rig.nowS - agoS, killer: who(killer), killed: who(killed) });
}

/** The first call is answered in the game. */
function answer(rig: FeedsRig, by: string): void {
  const row = rig.log.modCalls[0];
  assert.ok(row?.kind === "modCall");
  rig.log.modCalls[0] = { ...row, moderator: { name: by } };
}

function labels(rig: FeedsRig): string[] {
  const rows = rig.sink.messages("mods")[0]?.body.rows ?? [];
  return rows.flatMap((row) => row.map((part) => (part.kind === "button" ? part.label : "")));
}

function edits(rig: FeedsRig): number {
  return rig.sink.messages("mods")[0]?.edits ?? 0;
}

describe("the situation on the card of a moderator call", () => {
  test("shows team, stars, place, the nearest staff and the kills of the two minutes before", () =>
    withModCalls(async (rig) => {
      rig.players = [
        player("Ann", [0, 0], { team: "Sheriff", wantedStars: 3 }),
        player("Mod_Far", [900, 0]),
        player("Mod_A", [30, 40]),
        player("Somebody", [1, 1]),
      ];
      kill(rig, "Old", "Ann", 121);
      kill(rig, "Bad_Guy", "Ann", 60);
      kill(rig, "Ann", "Eve4", 10);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const text = rig.sink.text("mods");
      assert.match(text, /👤 Sheriff · ★★★ wanted · 📍 Main Street, postal 204/);
      assert.match(text, /Nearest staff: .*Mod\\_A.*, close · .*Mod\\_Far.*, far/);
      assert.match(
        text,
        /💀 killed by .*Bad\\_Guy.* before the call, <t:\d+:T>\n💀 killed .*Eve4.* before the call, <t:/,
      );
      assert.doesNotMatch(text, /Old/);
      assert.equal(edits(rig), 0, "all of it was known when the card was posted");
    }));

  test("of a caller who is staff says that there is no other staff, of anybody else that there is none", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Mod_A", [0, 0]), player("Somebody", [1, 1])];
      rig.callModerators("Mod_A");
      await rig.pollAndFlush();
      assert.match(rig.sink.text("mods"), /🛡 No other staff in the game/);
      rig.players = [player("Mod_A", [0, 0], { permission: "Normal" })];
      await rig.clock.advance(60_000);
      await rig.pollAndFlush();
      await rig.clock.advance(60_000);
      assert.match(rig.sink.text("mods"), /🛡 No staff in the game/);
    }));

  test("names somebody who killed the caller several times once, with the last time", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0])];
      for (const agoS of [60, 40, 20]) kill(rig, "Bad_Guy", "Ann", agoS);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      const text = rig.sink.text("mods");
      assert.match(text, /💀 killed by .*Bad\\_Guy.* before the call, several times, last <t:\d+:T>/);
      assert.equal(text.match(/killed by/g)?.length, 1);
    }));

  test("says of each kill whether it was before or after the call", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0])];
      kill(rig, "Ann", "Eve4", 30);
      kill(rig, "Ann", "Joe", 0);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.clock.advance(20_000);
      kill(rig, "Ann", "Eve4");
      kill(rig, "Bad_Guy", "Ann");
      await rig.pollAndFlush();
      const text = rig.sink.text("mods");
      assert.match(text, /💀 killed .*Eve4.* before the call, <t:/);
      assert.match(text, /💀 killed .*Joe.* as they called, <t:/);
      assert.match(text, /💀 killed .*Eve4.* after the call, <t:/);
      assert.match(text, /💀 killed by .*Bad\\_Guy.* after the call, <t:/);
    }));

  test("says nothing by a list of players from before the call that does not hold the caller", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Somebody", [1, 1])];
      await rig.pollAndFlush(30_000);
      const before = rig.latest;
      rig.callModerators("Ann");
      const polled = rig.poll();
      rig.latest = before;
      await polled;
      await rig.clock.advance(10_000);
      assert.match(rig.sink.text("mods"), /called <t:/);
      assert.doesNotMatch(rig.sink.text("mods"), /staff|left/);
    }));

  test("says nothing by such a list where this machine's clock is ahead of the game service's either", () =>
    withModCalls(async (rig) => {
      rig.serviceAheadMs = -60_000;
      rig.players = [player("Somebody", [1, 1])];
      await rig.pollAndFlush(30_000);
      const before = rig.latest;
      rig.callModerators("Ann", rig.nowS - 60);
      const polled = rig.poll();
      rig.latest = before;
      await polled;
      await rig.clock.advance(10_000);
      assert.match(rig.sink.text("mods"), /called <t:/);
      assert.doesNotMatch(rig.sink.text("mods"), /staff|left/);
    }));

  test("asks for players and kills while a card is open, and no longer when it is resolved or old", () =>
    withModCalls(async (rig) => {
      const asked = () => [...rig.demands].filter(([owner]) => owner.startsWith("mod-call cards"));
      assert.deepEqual(asked(), []);
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(asked()[0]?.[1][0]?.lists, ["players", "killLogs"]);
      assert.equal(asked()[0]?.[1][0]?.maxAgeMs, undefined);
      answer(rig, "Mod");
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      assert.equal(asked().length, 1, "who answered goes to the caller");
      const id = cardIdIn(rig.sink.messages("mods")[0]?.body);
      await rig.wing.modCalls.act(actorOf({ guildId }), id, { do: "resolve" });
      await rig.pollAndFlush();
      await rig.pollAndFlush();
      assert.deepEqual(asked(), []);
      rig.callModerators("Bobby");
      await rig.pollAndFlush(900_000);
      await rig.pollAndFlush();
      assert.deepEqual(asked(), []);
    }));

  test("is followed by edits, at most one in fifteen seconds; distances alone are none", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0]), player("Mod_A", [30, 40])];
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      for (let n = 0; n < 20; n++) {
        rig.players = [player("Ann", [0, n]), player("Mod_A", [30 * n, 40])];
        await rig.pollAndFlush(5_000);
      }
      assert.equal(edits(rig), 0);
      const startedMs = rig.clock.nowMs();
      for (let n = 0; n < 20; n++) {
        rig.players = [player("Ann", [0, 0], { wantedStars: (n % 5) + 1 }), player("Mod_A", [30, 40])];
        await rig.pollAndFlush(5_000);
      }
      const mostEdits = (rig.clock.nowMs() - startedMs) / 15_000 + 1;
      assert.ok(edits(rig) >= 5 && edits(rig) <= mostEdits, `${edits(rig)} edits, ${mostEdits} at most`);
      await rig.clock.advance(15_000);
      assert.match(rig.sink.text("mods"), /★★★★★ wanted/, "the last change is not forgotten");
    }));

  test("is followed for a quarter of an hour, over a restart, and keeps the kills that the log has dropped", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0])];
      kill(rig, "Bad_Guy", "Ann");
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      await rig.crash();
      rig.log.killLogs = [];
      rig.players = [player("Ann", [0, 0], { team: "Jail" })];
      await rig.pollAndFlush(600_000);
      assert.match(rig.sink.text("mods"), /👤 Jail/);
      assert.match(rig.sink.text("mods"), /killed by .*Bad\\_Guy/);
      rig.players = [player("Ann", [0, 0], { team: "Fire" })];
      await rig.pollAndFlush(290_000);
      assert.match(rig.sink.text("mods"), /👤 Fire/);
      rig.players = [player("Ann", [0, 0], { team: "Police" })];
      await rig.pollAndFlush(30_000);
      await rig.pollAndFlush(30_000);
      assert.match(rig.sink.text("mods"), /👤 Fire/);
    }));

  for (const restarts of [false, true])
    test(`names nobody who is near once nobody follows it${restarts ? ", over a restart" : ""}`, () =>
      withModCalls(async (rig) => {
        rig.players = [player("Ann", [0, 0]), player("Mod_A", [30, 40])];
        rig.callModerators("Ann");
        await rig.pollAndFlush();
        assert.match(rig.sink.text("mods"), /Nearest staff: .*Mod\\_A/);
        rig.players = [player("Ann", [0, 0])];
        if (restarts) {
          await rig.clock.advance(16 * 60_000);
          await rig.crash();
        } else await rig.pollAndFlush(16 * 60_000);
        await rig.pollAndFlush(30_000);
        assert.doesNotMatch(rig.sink.text("mods"), /Nearest staff|No staff/);
        assert.match(rig.sink.text("mods"), /📍 Main Street/);
      }));

  test("is followed no shorter because this machine's clock is set ahead", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0]), player("Mod_A", [30, 40])];
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      rig.clock.step(3_600_000);
      rig.players = [player("Ann", [0, 0], { team: "Fire" }), player("Mod_A", [30, 40])];
      await rig.pollAndFlush(20_000);
      await rig.pollAndFlush(20_000);
      assert.match(rig.sink.text("mods"), /👤 Fire/);
      assert.match(rig.sink.text("mods"), /Nearest staff: .*Mod\\_A/);
    }));

  test("offers what acts in the game only while the caller is there", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0])];
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      assert.deepEqual(labels(rig), ["Claim", "Resolve", "Go to caller", "Player", "More"]);
      rig.players = [];
      await rig.pollAndFlush(20_000);
      await rig.pollAndFlush(20_000);
      assert.deepEqual(labels(rig), ["Claim", "Resolve", "Rewind", "Player"]);
    }));

  test("says of an answered call too that its caller left, and nothing else that happens around them", () =>
    withModCalls(async (rig) => {
      rig.players = [player("Ann", [0, 0])];
      rig.callModerators("Ann");
      await rig.pollAndFlush();
      answer(rig, "Mod_A");
      await rig.pollAndFlush();
      assert.deepEqual(labels(rig), ["Resolve", "Go to caller", "Player", "More"]);
      const before = edits(rig);
      rig.players = [player("Ann", [0, 0], { team: "Jail" }), player("Mod_A", [1, 1])];
      kill(rig, "Ann", "Eve4");
      await rig.pollAndFlush(20_000);
      assert.equal(edits(rig), before);
      rig.players = [];
      await rig.pollAndFlush(20_000);
      await rig.pollAndFlush(20_000);
      assert.match(rig.sink.text("mods"), /\*\*Ann\*\* left the server/);
      assert.deepEqual(labels(rig), ["Resolve", "Rewind", "Player"]);
      rig.players = [player("Ann", [0, 0])];
      await rig.pollAndFlush(20_000);
      assert.doesNotMatch(rig.sink.text("mods"), /left the server/);
      assert.deepEqual(labels(rig), ["Resolve", "Go to caller", "Player", "More"]);
    }));
});
