import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alertMessage } from "../../../src/discord/render/alert-message.ts";
import type { AlertEntry } from "../../../src/domain/alert.ts";
import type { PlayerRef } from "../../../src/domain/model.ts";
import type { AlertView } from "../../../src/domain/ports/alert-renderer.ts";
import type { OpenCallCard } from "../../../src/domain/ports/mod-calls.ts";

const ann = { name: "Ann", id: 1 };
const bob = { name: "Bob", id: 2 };
const cy = { name: "Cy", id: 3 };

const call = (who: PlayerRef, atS: number, callEnd?: AlertEntry["callEnd"]): AlertEntry => ({
  who,
  count: 1,
  firstS: atS,
  lastS: atS,
  rows: [],
  ...(callEnd === undefined ? {} : { callEnd }),
});

const card = (cardId: string, caller: PlayerRef, ...calledAtS: number[]): OpenCallCard => ({
  cardId,
  caller,
  calledAtS,
});

function shown(entries: readonly AlertEntry[], changes: Partial<AlertView> = {}) {
  const { cards, rows = [] } = alertMessage({
    key: "k1",
    rule: {
      id: "a1",
      guildId: "1",
      bindingId: "b1",
      kind: "calls",
      channelId: "5",
      createdBy: "1",
      createdAtMs: 0,
    },
    serverName: "Town",
    entries,
    more: 0,
    whereabouts: { locations: new Map(), leftIds: new Set() },
    callCards: [],
    isLate: false,
    postedLateMs: undefined,
    hasReplay: false,
    pingedRoleId: undefined,
    ...changes,
  });
  const lines = (cards?.[0]?.description ?? "").split("\n").filter((line) => line.includes(" called "));
  return {
    title: cards?.[0]?.title,
    left: cards?.[0]?.description?.split("\n").find((line) => line.startsWith("🚪")),
    lines: lines.map((line) =>
      line.replace(/^\[\*\*(\w+)\*\*\]\(\S+\) called <t:(\d+):T> \(<t:\2:R>\)/, "$1 $2"),
    ),
    buttons: rows.flat().map((part) => ("label" in part ? part.label : part.kind)),
    ids: rows.flat().map(({ id }) => id),
  };
}

describe("an alert about waiting calls", () => {
  test("has one line for the calls on one card, with the first one's time, and counts them once", () => {
    const entries = [call(cy, 90), call(ann, 100), call(ann, 101), call(bob, 110), call(ann, 120)];
    const callCards = [card("aa", ann, 100, 101, 120), card("bb", bob, 110)];
    const { title, lines } = shown(entries, { callCards });
    assert.equal(title, "🔔 3 moderator calls are waiting");
    assert.deepEqual(lines, [
      "Cy 90 · nobody has answered",
      "Ann 100, 3 times · nobody has answered",
      "Bob 110 · nobody has answered",
    ]);
  });

  test("is about one call where one caller called several times, also where no log shows cards", () => {
    const entries = [call(ann, 100), call(ann, 101)];
    for (const callCards of [[], [card("aa", ann, 100, 101)], [card("aa", ann, 101)]]) {
      const { title, lines, buttons } = shown(entries, { callCards });
      assert.equal(title, "🔔 A moderator call is waiting");
      assert.deepEqual(lines, ["Ann 100, 2 times · nobody has answered"]);
      const claim = callCards.length === 0 ? [] : ["Claim"];
      assert.deepEqual(buttons, [...claim, "Player", "Rewind", "PM"]);
    }
  });

  test("keeps apart what is another matter: another card, much later, or after an answer", () => {
    const two = [call(ann, 100), call(ann, 200)];
    const callCards = [card("aa", ann, 100), card("bb", ann, 200)];
    assert.equal(shown(two, { callCards }).lines.length, 2);
    assert.equal(shown([call(ann, 100), call(ann, 701)]).lines.length, 2);
    const answered = { kind: "answered", by: bob } as const;
    const { title, lines } = shown([call(ann, 100, answered), call(ann, 200)]);
    assert.equal(title, "🔔 1 of 2 moderator calls are waiting");
    assert.equal(lines.length, 2);
  });

  test("knows that a matter is over once any of its calls was answered", () => {
    const answered = { kind: "answered", by: bob } as const;
    for (const first of [call(ann, 100), call(ann, 100, { kind: "taken" })]) {
      const { title, lines } = shown([first, call(ann, 110, answered)]);
      assert.equal(title, "🔔 The call was answered");
      assert.match(lines.join(), /^Ann 100, 2 times · answered by .*Bob/);
    }
  });

  test("is claimed once where its card was claimed", () => {
    const callCards = [{ ...card("aa", ann, 100, 110), claimedBy: { userId: "42" } }];
    const entries = [call(ann, 100, { kind: "taken" }), call(ann, 110)];
    const { title, lines } = shown(entries, { callCards });
    assert.equal(title, "🔔 The call was claimed");
    assert.deepEqual(lines, ["Ann 100, 2 times · claimed by <@42>"]);
  });

  test("waits again where its card was released", () => {
    const entries = [call(ann, 100, { kind: "taken" }), call(ann, 110)];
    const { title, buttons } = shown(entries, { callCards: [card("aa", ann, 100, 110)] });
    assert.equal(title, "🔔 A moderator call is waiting");
    assert.ok(buttons.includes("Claim"));
  });

  test("counts who still waits, names those who have left in a line of its own, and claims the oldest who is still there", () => {
    const entries = [call(ann, 100), call(bob, 110), call(bob, 111), call(cy, 120)];
    const callCards = [card("aa", ann, 100), card("bb", bob, 110, 111), card("cc", cy, 120)];
    const whereabouts = { locations: new Map(), leftIds: new Set([1]) };
    const { title, lines, left, buttons, ids } = shown(entries, { callCards, whereabouts });
    assert.equal(title, "🔔 2 moderator calls are waiting");
    assert.deepEqual(lines, ["Bob 110, 2 times · nobody has answered", "Cy 120 · nobody has answered"]);
    assert.match(left ?? "", /^🚪 Left before anyone answered: \[\*\*Ann\*\*\]\(\S+\)$/);
    assert.deepEqual(buttons, ["select", "Claim Bob", "Rewind Bob"]);
    assert.ok(ids.includes("alert-claim:bb"));

    const all = { locations: new Map(), leftIds: new Set([1, 2, 3]) };
    assert.ok(shown(entries, { callCards, whereabouts: all }).ids.includes("alert-claim:aa"));
  });

  test("offers no message to a caller who has left: it would not reach them", () => {
    const gone = { locations: new Map(), leftIds: new Set([1]) };
    assert.ok(shown([call(ann, 100)]).buttons.some((label) => label.includes("PM")));
    assert.deepEqual(shown([call(ann, 100)], { whereabouts: gone }).buttons, ["Player", "Rewind"]);
  });

  test("says in its title that nobody waits any more where the last callers have left", () => {
    const whereabouts = { locations: new Map(), leftIds: new Set([1, 2]) };
    assert.equal(shown([call(ann, 100)], { whereabouts }).title, "🔔 The caller has left");
    assert.equal(shown([call(ann, 100), call(bob, 110)], { whereabouts }).title, "🔔 The callers have left");
    const answered = { kind: "answered", by: bob } as const;
    const { title, lines, left } = shown([call(ann, 100), call(cy, 110, answered)], { whereabouts });
    assert.equal(title, "🔔 No moderator call is waiting any more");
    assert.equal(lines.length, 1);
    assert.match(left ?? "", /Ann/);
    assert.equal(
      shown([call(ann, 100), call(cy, 110)], { whereabouts }).title,
      "🔔 A moderator call is waiting",
    );
  });
});
