import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import { rewindPlaceOf } from "../../../src/discord/render/players/rewind-buttons.ts";
import { type RewindCard, rewindCard } from "../../../src/discord/render/players/rewind-card.ts";
import type { HistoryRow, HistoryRowOf } from "../../../src/domain/history.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { KillEntry } from "../../../src/domain/model.ts";
import { joinFeed } from "../../support/join-feed.ts";

const AT_S = 1_700_000_000;
const turbo = { name: "Turbo_1803", id: 7 };
const luna = { name: "Luna", id: 8 };
const mo = { name: "Mo", id: 9 };
const victim = (n: number) => ({ name: `Victim${n}`, id: 100 + n });

const kill = (killer: typeof turbo, killed: typeof turbo, atS: number): HistoryRowOf<"kill"> => ({
  bindingId: "b1",
  atS,
  kind: "kill",
  killer,
  killed,
});

function cardOf(rows: readonly HistoryRow[], more: Partial<RewindCard> = {}): MessageBody {
  return rewindCard({
    view: {
      bindingId: "b1",
      atS: AT_S,
      fromS: AT_S - 300,
      toS: AT_S + 300,
      present: [],
      rows,
      isShortened: false,
      unrecorded: [],
      recordedSinceS: 0,
    },
    serverName: "Town",
    nowS: AT_S + 400,
    authors: new Map(),
    takers: new Map(),
    hasReplay: false,
    ...more,
  });
}

function linesOf(rows: readonly HistoryRow[], more: Partial<RewindCard> = {}): readonly string[] {
  return (cardOf(rows, more).cards?.[0]?.description ?? "").split("\n");
}

describe("the rows of a rewind", () => {
  test("say of a time without records only the minutes that are shown, each once", () => {
    const of = (log: "joins" | "kills" | "commands" | "modCalls", fromS: number, toS: number) => {
      return { bindingId: "b1", log, fromS, toS };
    };
    const view = { bindingId: "b1", atS: AT_S, fromS: AT_S - 300, toS: AT_S + 300, present: [], rows: [] };
    const lines = (...unrecorded: readonly ReturnType<typeof of>[]) =>
      linesOf([], { view: { ...view, isShortened: false, unrecorded, recordedSinceS: 0 } }).filter((line) =>
        line.startsWith("⚠️"),
      );
    const daysAgoS = AT_S - 3 * 86_400;
    assert.deepEqual(lines(of("modCalls", daysAgoS, AT_S + 60), of("kills", AT_S - 100, AT_S + 9_000)), [
      `⚠️ From <t:${AT_S - 300}:T> to <t:${AT_S + 60}:T> some may be missing: moderator calls.`,
      `⚠️ From <t:${AT_S - 100}:T> to <t:${AT_S + 300}:T> some may be missing: kills.`,
    ]);
    const whole = (["joins", "kills", "commands", "modCalls"] as const).map((log, n) =>
      of(log, daysAgoS - n, AT_S + 400 + n),
    );
    assert.deepEqual(lines(...whole), [
      `⚠️ From <t:${AT_S - 300}:T> to <t:${AT_S + 300}:T> nothing was recorded.`,
    ]);
  });

  test("say of minutes that nobody has read that they are not recorded, and neither who was there nor that nothing was", () => {
    const present = [{ player: mo, session: { bindingId: "b1", start: { atS: 5, isSure: true } } }];
    const view = { bindingId: "b1", atS: AT_S, fromS: AT_S - 300, toS: AT_S + 300, present, rows: [] };
    const lines = (readUntilS: number, more: Partial<RewindCard> = {}) => {
      const read = { ...view, isShortened: false, unrecorded: [], recordedSinceS: 0, readUntilS };
      return linesOf([], { view: read, nowS: AT_S + 1_000, ...more }).slice(1);
    };
    const nothing = "Nothing happened in these minutes.";
    const there = ["👥 **1** in the server", "Mo"];
    assert.deepEqual(lines(AT_S + 900), [...there, "", nothing]);
    const old = AT_S - 4_000;
    const unread = [`⚠️ Not recorded: the server was last read <t:${old}:f>.`, ""];
    assert.deepEqual(lines(old), unread);
    assert.deepEqual(lines(old, { player: mo }), unread);
    assert.deepEqual(lines(AT_S - 60), [`⚠️ Only recorded up to <t:${AT_S - 60}:T>.`, "", nothing]);
    assert.deepEqual(lines(AT_S + 60), [...there, `⚠️ Only recorded up to <t:${AT_S + 60}:T>.`, "", nothing]);
    // The last look was a moment ago: there is nothing to say of what is to come.
    assert.deepEqual(lines(AT_S - 20, { nowS: AT_S + 30 }), [...there, "", nothing]);
  });

  test("fold kills of one killer in one second as the feed of kills does", () => {
    const spree = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => kill(turbo, victim(n), AT_S + 10));
    const entries = spree.map(
      ({ killer, killed, atS }): KillEntry => ({ kind: "kill", killer, killed, atS }),
    );
    const { body } = feedRenderer.lines({ ...joinFeed, kind: "kills" }, entries, { stayedS: new Map() });
    const feed = (body.content ?? "").split("\n");
    assert.equal(feed.length, 2);
    const lines = linesOf([...spree, kill(luna, victim(1), AT_S + 10), kill(turbo, victim(2), AT_S + 11)]);
    assert.deepEqual(lines.slice(-4), [
      ...feed,
      `<t:${AT_S + 10}:T> 💀 **Luna** killed **Victim1**`,
      `<t:${AT_S + 11}:T> 💀 **Turbo\\_1803** killed **Victim2**`,
    ]);
    assert.match(lines.at(-4) ?? "", /killed \*\*10\*\*/);
  });

  test("leave nobody out where more were killed in a second than one heading takes", () => {
    const spree = Array.from({ length: 120 }, (_, n) => kill(turbo, victim(n), AT_S + 10));
    const text = linesOf(spree).join("\n");
    for (const { killed } of spree) assert.ok(text.includes(`${killed.name}`), killed.name);
    assert.ok(text.match(/killed \*\*\d+\*\*/g)?.length === 3, text);
  });

  test("keep what is between kills of one second in its place", () => {
    const leave: HistoryRow = { bindingId: "b1", atS: AT_S, kind: "leave", player: luna };
    const rows = [
      ...[1, 2].map((n) => kill(turbo, victim(n), AT_S)),
      leave,
      ...[3, 4].map((n) => kill(turbo, victim(n), AT_S)),
    ];
    const lines = linesOf(rows).slice(-5);
    assert.deepEqual(
      lines.map((line) => /Victim\d|left/.exec(line)?.[0]),
      ["Victim1", "Victim2", "left", "Victim3", "Victim4"],
    );
  });

  const left = (n: number, atS: number): HistoryRow => {
    return { bindingId: "b1", atS, kind: "leave", player: victim(n) };
  };

  test("name a command before what it did in the same second, whichever way they run", () => {
    const kick = { bindingId: "b1", kind: "command", player: mo, text: ":kick Victim1" } as const;
    const order = (lines: readonly string[]) =>
      lines.flatMap((line) => (/ran|left|killed/.test(line) ? [/ran|left|killed/.exec(line)?.[0]] : []));
    for (const atS of [AT_S - 5, AT_S + 5]) {
      const rows = [kill(turbo, luna, atS - 1), left(1, atS), { ...kick, atS }];
      assert.deepEqual(order(linesOf(rows)), ["killed", "ran", "left"]);
    }
    const before = [left(1, AT_S - 5), { ...kick, atS: AT_S - 5 }];
    assert.deepEqual(order(linesOf(before, { openedFrom: "call" })), ["left", "ran"], "latest first");
  });

  test("of a call have what came of it below the ten that led to it, and the earlier ones last", () => {
    const of = (before: number, after: number) => {
      const call: HistoryRow = { bindingId: "b1", atS: AT_S, kind: "modCall", caller: luna };
      const earlier = Array.from({ length: before }, (_, n) => left(n + 1, AT_S - 1 - n)).toReversed();
      const later = Array.from({ length: after }, (_, n) => left(100 + n, AT_S + 1 + n));
      const lines = linesOf([...earlier, call, ...later], { openedFrom: "call" });
      return lines
        .slice(lines.findIndex((line) => line.startsWith("**▸**")))
        .map((line) => /Victim\d+|^\*\*\w+/.exec(line)?.[0].replace("**", "") ?? "call");
    };
    const named = (from: number, to: number) => {
      return Array.from({ length: to - from + 1 }, (_, n) => `Victim${from + n}`);
    };
    assert.deepEqual(of(20, 2), [
      "call",
      "Earlier",
      ...named(1, 10),
      "Later",
      ...named(100, 101),
      "Even",
      ...named(11, 20),
    ]);
    assert.deepEqual(of(20, 0), ["call", "Earlier", ...named(1, 20)]);
    assert.deepEqual(of(3, 1), ["call", "Earlier", ...named(1, 3), "Later", "Victim100"]);
  });

  test("of an alert begin with the first that it counted; what came before is below", () => {
    const spree = [0, 1, 2].map((n) => kill(turbo, victim(n), AT_S + n));
    const earlier = [left(50, AT_S - 2), left(51, AT_S - 1)];
    const lines = linesOf([...earlier, ...spree], { openedFrom: "alert" });
    const from = lines.indexOf(`**▸ <t:${AT_S}:T>**`);
    assert.deepEqual(
      lines.slice(from + 1).map((line) => /Victim\d+|Earlier/.exec(line)?.[0]),
      ["Victim0", "Victim1", "Victim2", "Earlier", "Victim51", "Victim50"],
    );
    assert.equal(lines[from - 1], "", "nothing that happened stands above it");
  });

  test("can be narrowed to a player again after they were widened to everybody, and go on from where they began", () => {
    const card = (more: Partial<RewindCard>) =>
      (cardOf([], { openedFrom: "alert", ...more }).rows?.[0] ?? []).flatMap((part) =>
        part.kind === "button" && part.id !== undefined ? [[part.label, part.id]] : [],
      );
    assert.deepEqual(card({ player: turbo }).at(-1), ["Everybody", `rewind-all:b1/${AT_S}/ao7`]);
    assert.deepEqual(card({ offered: turbo }).at(-1), ["Only Turbo_1803", `rewind-only:b1/${AT_S}/ap7`]);
    assert.deepEqual(card({ offered: turbo }).at(2), ["Refresh", `rewind-here:b1/${AT_S}/ao7`]);
    assert.deepEqual(rewindPlaceOf(`b1/${AT_S}/ap7`), {
      bindingId: "b1",
      atS: AT_S,
      openedFrom: "alert",
      playerId: 7,
      offeredId: undefined,
    });
  });

  test("say of one player that they were there then, not that they are", () => {
    const session = { bindingId: "b1", start: { atS: 0, isSure: true, afterS: 0 } } as const;
    const present = [{ player: luna, session }];
    const view = { bindingId: "b1", atS: AT_S, fromS: AT_S - 300, toS: AT_S + 300, present, rows: [] };
    const of = (player: typeof luna) =>
      linesOf([], { view: { ...view, isShortened: false, unrecorded: [], recordedSinceS: 0 }, player })[1];
    assert.equal(of(luna), "🟢 Was in the server");
    assert.equal(of(mo), "⚪ Was not in the server");
  });

  test("name whom a command hit by the beginning of a name", () => {
    const jail: HistoryRow = {
      bindingId: "b1",
      atS: AT_S + 5,
      kind: "command",
      player: mo,
      text: ":jail Turbo",
      hit: [turbo],
    };
    assert.equal(linesOf([jail]).at(-1), `<t:${AT_S + 5}:T> ⌨️ **Mo** ran \`:jail Turbo\` (Turbo\\_1803)`);
  });

  test("say who took a call on its card as the card does, by the name of the member where nobody knows more", () => {
    const call = { bindingId: "b1", atS: AT_S + 5, kind: "modCall", caller: luna } as const;
    const taken: HistoryRow = { ...call, moderator: { name: "mo_" }, isByCard: true };
    const takers = new Map([[taken, "55"]]);
    assert.match(linesOf([taken], { takers }).at(-1) ?? "", /called a moderator, claimed by <@55>$/);
    assert.match(linesOf([taken]).at(-1) ?? "", /called a moderator, claimed by @mo\\_$/);
    const linked: HistoryRow = { ...call, moderator: mo, isByCard: true };
    assert.match(linesOf([linked]).at(-1) ?? "", /claimed by \*\*Mo\*\*$/);
    assert.match(linesOf([{ ...call, moderator: mo }]).at(-1) ?? "", /answered by \*\*Mo\*\*$/);
  });
});
