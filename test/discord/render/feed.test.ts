import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { duration, entryLine } from "../../../src/discord/render/entry-line.ts";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import { moreOfCall } from "../../../src/discord/render/mod-call-card.ts";
import type { Card, MessageBody } from "../../../src/domain/message.ts";
import type { LogEntry } from "../../../src/domain/model.ts";
import { cardIdIn } from "../../support/card-id.ts";
import { joinFeed as feed } from "../../support/join-feed.ts";

const plain = { stayedS: new Map<number, number>() };
const hostile = "@everyone **x** <@1>\n[a](https://e.example)";

const name = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(hostile, "`", "||x||", "\u202ex", "Builder_1"),
);
const person = fc.record({ name, id: fc.integer({ min: 1, max: 9_999_999_999 }) });
const atS = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 });
const entry: fc.Arbitrary<LogEntry> = fc.oneof(
  fc.record({ kind: fc.constant("join" as const), atS, player: person, joined: fc.boolean() }),
  fc.record({ kind: fc.constant("kill" as const), atS, killer: person, killed: person }),
  fc.record({
    kind: fc.constant("command" as const),
    atS,
    player: fc.record({ name }),
    text: fc.oneof(fc.string({ maxLength: 40 }), fc.string({ minLength: 900, maxLength: 1_500 })),
  }),
);

/** What Discord counts together and refuses when it is too long. */
function assertFits(body: MessageBody): void {
  assert.ok((body.content ?? "").length <= 2_000, "content");
  const cards = body.cards ?? [];
  const total = (card: Card) =>
    [card.title, card.description, card.footer, card.author].reduce(
      (sum, part) => sum + (part ?? "").length,
      0,
    );
  assert.ok(cards.length <= 10);
  assert.ok(cards.reduce((sum, card) => sum + total(card), 0) <= 6_000, "all cards");
  for (const card of cards) {
    assert.ok((card.description ?? "").length <= 4_096, "description");
    assert.ok((card.title ?? "").length <= 256, "title");
    assert.ok((card.author ?? "").length <= 256, "author");
  }
  for (const row of body.rows ?? []) {
    for (const part of row) if (part.kind === "button") assert.ok(part.id.length <= 100);
  }
}

function texts(body: MessageBody): string {
  return [body.content, ...(body.cards ?? []).flatMap((card) => [card.title, card.description])].join("\n");
}

describe("feed lines", () => {
  test("a join, a leave, a kill, a command: local time, a symbol and a word, bold names, no ids", () => {
    const player = { name: "Ann_1", id: 42 };
    const atS = 1_700_000_000;
    const kill: LogEntry = { kind: "kill", atS, killer: player, killed: { name: "Bob" } };
    assert.equal(
      entryLine({ kind: "join", atS, player, joined: true }, false),
      "<t:1700000000:T> 🟢 **Ann\\_1** joined",
    );
    assert.equal(
      entryLine({ kind: "join", atS, player, joined: false }, false, { stayedS: 4_320 }),
      "<t:1700000000:T> 🚪 **Ann\\_1** left after 1\u00a0h\u00a012\u00a0min",
    );
    assert.equal(
      entryLine(kill, true),
      "<t:1700000000:T> 💀 [**Ann\\_1**](https://www.roblox.com/users/42/profile) killed **Bob**",
    );
    assert.equal(
      entryLine({ kind: "command", atS, player: { name: "Remote Server" }, text: ":kick Bob rdm" }, false),
      "<t:1700000000:T> ⌨️ **Remote Server** ran `:kick Bob rdm`",
    );
    const streak = (nth: number) => entryLine(kill, false, { streak: { nth, withinS: 40 } });
    assert.match(streak(3), /killed \*\*Bob\*\* · 3rd in 40\u00a0s$/);
    assert.match(streak(11), /· 11th in/);
    assert.match(streak(22), /· 22nd in/);
    assert.doesNotMatch(streak(2), / in /);
  });

  test("any entries fit their messages, each on one line, all of them in order, in either style", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 120 }),
        fc.constantFrom("lines" as const, "cards" as const),
        fc.option(name, { nil: undefined }),
        (entries, style, serverName) => {
          let rest = entries;
          const lines: string[] = [];
          while (rest.length > 0) {
            const context = { ...plain, ...(serverName === undefined ? {} : { serverName }) };
            const { body, taken } = feedRenderer.lines({ ...feed, style }, rest, context);
            assert.ok(taken >= 1);
            assertFits(feedRenderer.possiblyRepeated(body));
            const all = (body.content ?? body.cards?.[0]?.description ?? "").split("\n");
            if (style === "lines" && serverName !== undefined) assert.match(all.shift() ?? "", /^-# /);
            lines.push(...all);
            assert.equal(all.length, taken);
            rest = rest.slice(taken);
          }
          assert.equal(lines.length, entries.length);
          for (const [index, line] of lines.entries()) {
            assert.match(line, new RegExp(`^<t:${entries[index]?.atS}:T> (🟢|🚪|💀|⌨️) `, "u"));
            assert.doesNotMatch(line, /@(everyone|here)|<@[!&]?\d|discord\.gg\/\w/);
            assert.doesNotMatch(line.replaceAll("https://www.roblox.com/users/", ""), /https?:\/\//);
            if (style === "lines") assert.doesNotMatch(line.replace(/\*\*.*/u, ""), /\d{11}/);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  test("a burst is folded under a heading that counts it, and tells each entry with its second", () => {
    const at = 1_700_000_000;
    const [ann, bob, eve] = [{ name: "Ann", id: 1 }, { name: "Bob" }, { name: "Eve" }];
    const kill = (atS: number, killer: typeof bob, killed: typeof bob): LogEntry => ({
      kind: "kill",
      atS: at + atS,
      killer,
      killed,
    });
    const entries = [
      kill(0, bob, ann),
      kill(1, ann, bob),
      kill(1, ann, ann),
      kill(4, ann, eve),
      kill(9, ann, bob),
      kill(60, ann, eve),
    ];
    const context = { ...plain, streaks: new Map([[4, { nth: 9, withinS: 30 }]]) };
    const { body, taken } = feedRenderer.lines({ ...feed, kind: "kills" }, entries, context);
    assert.equal(taken, 6);
    assert.deepEqual((body.content ?? "").split("\n"), [
      `<t:${at}:T> 💀 **Bob** killed **Ann**`,
      `<t:${at + 1}:T> 💀 **Ann** killed **4** in 8\u00a0s · 9th in 30\u00a0s`,
      `> <t:${at + 1}:T> **Bob**, **Ann**, <t:${at + 4}:T> **Eve**, <t:${at + 9}:T> **Bob**`,
      `<t:${at + 60}:T> 💀 **Ann** killed **Eve**`,
    ]);
    const commands = [0, 2, 4].map((n): LogEntry => {
      return { kind: "command", atS: at + n, player: ann, text: `:kick Bob ${n}` };
    });
    assert.deepEqual((feedRenderer.lines(feed, commands, plain).body.content ?? "").split("\n"), [
      `<t:${at}:T> ⌨️ **Ann** ran **3 commands** in 4\u00a0s`,
      ...[0, 2, 4].map((n) => `> <t:${at + n}:T> \`:kick Bob ${n}\``),
    ]);
  });

  test("joins and leaves of one moment are folded apart; two or three neighbours need no heading", () => {
    const join = (atS: number, joined: boolean): LogEntry => ({
      kind: "join",
      atS,
      player: { name: `P${atS}`, id: atS },
      joined,
    });
    const text = (entries: readonly LogEntry[]) =>
      feedRenderer.lines(feed, entries, { stayedS: new Map([[5, 60]]) }).body.content ?? "";
    const four = (joined: boolean) => [10, 10, 11, 11].map((atS) => join(atS, joined));
    assert.deepEqual(text([...four(true), ...four(false)]).split("\n"), [
      "<t:10:T> 🟢 **4 joined** in 1\u00a0s",
      "> <t:10:T> **P10**, **P10**, <t:11:T> **P11**, **P11**",
      "<t:10:T> 🚪 **4 left** in 1\u00a0s",
      "> <t:10:T> **P10**, **P10** (1\u00a0min), <t:11:T> **P11**, **P11**",
    ]);
    assert.doesNotMatch(text([join(10, true), join(10, true), join(11, true), join(11, false)]), /^>/m);
    assert.doesNotMatch(text([join(10, true), join(12, true), join(14, true), join(16, true)]), /^>/m);
  });

  test("a burst that one message cannot hold goes on in the next, each heading counting its own", () => {
    const entries: LogEntry[] = Array.from({ length: 160 }, (_, n) => ({
      kind: "kill",
      atS: 1_700_000_000 + n,
      killer: { name: "Ann" },
      killed: { name: `Victim_${n}` },
    }));
    let messages = 0;
    for (let rest = entries; rest.length > 0; messages += 1) {
      const { body, taken } = feedRenderer.lines({ ...feed, kind: "kills" }, rest, plain);
      if (taken >= 3)
        assert.match(body.content ?? "", new RegExp(`\\*\\*Ann\\*\\* killed \\*\\*${taken}\\*\\* in `));
      assert.equal(body.content?.match(/Victim/g)?.length, taken);
      rest = rest.slice(taken);
    }
    assert.ok(messages > 1 && messages < 5, `${messages} messages`);
  });

  test("a burst of 600 joins takes few messages", () => {
    const entries: LogEntry[] = Array.from({ length: 600 }, (_, n) => ({
      kind: "join",
      atS: 1_700_000_000 + n,
      player: { name: `Player_${n}`, id: 1_000_000_000 + n },
      joined: true,
    }));
    let messages = 0;
    for (let rest = entries; rest.length > 0; messages++) {
      rest = rest.slice(feedRenderer.lines(feed, rest, plain).taken);
    }
    assert.ok(messages <= 20, `${messages} messages`);
  });

  test("a digest says how many and since when, and its file holds every entry in a line", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 60 }), (entries) => {
        const body = feedRenderer.digest(feed, entries, "backlog");
        assertFits(body);
        const data = String(body.files?.[0]?.data);
        assert.equal(data.trimEnd().split("\n").length, entries.length);
        assert.ok(texts(body).includes(`**${entries.length} `));
      }),
      { numRuns: 60 },
    );
  });

  test("a duration is rounded: it is told to the half of its smallest unit", () => {
    const unitS = { s: 1, min: 60, h: 3_600, d: 86_400 };
    fc.assert(
      fc.property(fc.nat(5_000_000), (seconds) => {
        const parts = [...duration(seconds).matchAll(/(\d+)\u00a0(s|min|h|d)/g)];
        const units = parts.map(([, , unit]) => unitS[unit as keyof typeof unitS]);
        const toldS = parts.reduce((sum, [, count], at) => sum + Number(count) * (units[at] ?? 0), 0);
        const smallestS = seconds < 59.5 ? 1 : seconds < 86_370 ? 60 : 3_600;
        assert.ok(Math.abs(toldS - seconds) <= smallestS / 2, `${duration(seconds)} of ${seconds} s`);
      }),
    );
  });

  test("durations are short and in words", () => {
    const all = [-5, 0, 59, 60, 3_560, 3_599, 3_600, 4_320, 86_399, 86_400, 90_000].map(duration);
    const plainly = all.map((text) => text.replaceAll("\u00a0", " "));
    assert.deepEqual(plainly, [
      "0 s",
      "0 s",
      "59 s",
      "1 min",
      "59 min",
      "1 h",
      "1 h",
      "1 h 12 min",
      "1 d",
      "1 d",
      "1 d 1 h",
    ]);
  });
});

describe("cards and notices", () => {
  const view = {
    cardId: "0123456789ab",
    caller: { name: hostile, id: 7 },
    calls: [{ atS: 1_700_000_000 }],
    escalated: false,
    hasReplay: true,
  };

  test("an open call offers Claim and Resolve, a claimed one Release, a resolved one only a look back", () => {
    const labels = (body: MessageBody) =>
      (body.rows ?? []).flatMap((row) =>
        row.map((part) => (part.kind === "button" ? part.id.split(":")[0] : "")),
      );
    const claimedBy = { userId: "5", atMs: 1_700_000_042_000 };
    const resolved = { userId: "5", atMs: 1_700_000_142_000, note: hostile };
    assert.deepEqual(labels(feedRenderer.modCall(view)), [
      "mod-claim",
      "mod-resolve",
      "mod-to",
      "mod-player",
      "mod-more",
    ]);
    assert.deepEqual(labels(feedRenderer.modCall({ ...view, claimedBy })), [
      "mod-release",
      "mod-resolve",
      "mod-to",
      "mod-player",
      "mod-more",
    ]);
    assert.deepEqual(labels(feedRenderer.modCall({ ...view, claimedBy, resolved })), [
      "mod-rewind",
      "mod-replay",
      "mod-player",
    ]);
    const resolveOf = (body: MessageBody) =>
      body.rows?.flat().flatMap((part) => ("label" in part && part.label === "Resolve" ? part.style : []));
    assert.deepEqual(resolveOf(feedRenderer.modCall(view)), ["success"]);
    const situation = { left: true, kills: [] } as const;
    assert.deepEqual(labels(feedRenderer.modCall({ ...view, situation })), [
      "mod-claim",
      "mod-resolve",
      "mod-rewind",
      "mod-replay",
      "mod-player",
    ]);
    const more = { cardId: view.cardId, callerName: hostile, atS: 1_700_000_000, hasReplay: true };
    const rest = ["mod-pm", "mod-bring", "mod-map", "mod-rewind"];
    assert.deepEqual(labels(moreOfCall(more)), [...rest, "mod-replay"]);
    assertFits(moreOfCall(more));
    const unrecorded = labels(moreOfCall({ ...more, hasReplay: false }));
    assert.deepEqual(unrecorded, rest, "nobody can see what was not recorded");
    const nameless = labels(feedRenderer.modCall({ ...view, caller: { name: "Ann" } }));
    assert.ok(!nameless.includes("mod-player"));
    const calls = [{ atS: 1_700_000_000, answeredBy: { name: "Mod", id: 9 } }];
    const answered = labels(feedRenderer.modCall({ ...view, calls }));
    assert.equal(answered[0], "mod-resolve", "what was answered in the game is nobody's to claim");
    assert.deepEqual(resolveOf(feedRenderer.modCall({ ...view, calls })), ["secondary"]);
    assert.equal(labels(feedRenderer.modCall({ ...view, calls, claimedBy }))[0], "mod-release");
    assert.match(texts(feedRenderer.modCall({ ...view, claimedBy })), /Claimed by <@5> after 42\u00a0s/);
  });

  test("says once how long the call waited: since when while it is open, until when once somebody has it", () => {
    const claimedBy = { userId: "5", atMs: 1_700_000_444_000 };
    const resolved = { userId: "5", atMs: 1_700_000_500_000 };
    assert.match(texts(feedRenderer.modCall(view)), /called <t:1700000000:T> \(<t:1700000000:R>\)/);
    for (const taken of [{ claimedBy }, { resolved }, { claimedBy, resolved }]) {
      const text = texts(feedRenderer.modCall({ ...view, ...taken }));
      assert.match(text, /called <t:1700000000:T>\n[\s\S]* after \d/);
      assert.doesNotMatch(text, /:R>/);
    }
  });

  test("every state has a word and a symbol, and the card carries its id", () => {
    const answeredBy = { name: "Mod", id: 9 };
    const answered = feedRenderer.modCall({ ...view, calls: [{ atS: 1_700_000_000, answeredBy }] });
    assert.match(answered.cards?.[0]?.title ?? "", /🎮 .*answered/);
    assert.match(feedRenderer.modCall(view).cards?.[0]?.title ?? "", /🔔 .*open/);
    assert.equal(cardIdIn(answered), view.cardId);
  });

  test("hostile names, notes and descriptions stay harmless and within the limits", () => {
    fc.assert(
      fc.property(
        name,
        fc.string({ maxLength: 3_000 }),
        fc.array(name, { maxLength: 60 }),
        (who, prose, units) => {
          const resolved = { userId: "5", atMs: 1_700_000_142_000, note: `${hostile}${prose}` };
          const call = {
            team: who,
            unitIds: units.map((_, index) => index),
            startedAtS: 1_700_000_000,
            callNumber: 3,
            description: `${hostile}${prose}`,
            positionDescriptor: prose,
          };
          const bodies = [
            feedRenderer.modCall({ ...view, caller: { name: who }, resolved, serverName: prose }),
            feedRenderer.emergencyCall({
              cardId: "x",
              bindingId: "b1",
              call,
              callerName: who,
              unitNames: units,
              serverName: prose,
            }),
            feedRenderer.escalation(who, 300_000),
            feedRenderer.test("kills", who),
          ];
          for (const body of bodies) {
            assertFits(body);
            assert.doesNotMatch(
              texts(body),
              /@(everyone|here)|<@1>|https?:\/\/(?!www\.roblox\.com\/users\/\d+\/profile\))/,
            );
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  test("notices say what, since when and what to do", () => {
    assert.match(
      texts(feedRenderer.gap("kills", { fromS: 1, toS: 2 })),
      /Gap: kills between <t:1:T> and <t:2:T> may be missing: the game's log had already moved on\.$/,
    );
    assert.match(
      texts(feedRenderer.gap("kills", { fromS: 1, toS: 2, isRestart: true })),
      /may be missing: the game server restarted\.$/,
    );
    assert.match(texts(feedRenderer.gap("kills", { toS: 2 })), /before <t:2:T>/);
    assert.match(texts(feedRenderer.late("joins", 5_000)), /fell behind at <t:5:T>/);
    assert.match(
      texts(
        feedRenderer.parked("joins", { channelId: "77", why: "the channel was deleted", goesOn: "by-hand" }),
      ),
      /<#77> has stopped.*\/diagnose.*What happens until then won't be posted there/,
    );
    assert.match(texts(feedRenderer.unpostable("joins", { count: 3, fromS: 1, toS: 2 })), /refused 3/);
  });
});
