import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appealRenderer } from "../../../src/discord/render/appeal-cards.ts";
import { eventLine } from "../../../src/discord/render/audit-rows.ts";
import { caseCard } from "../../../src/discord/render/players/case-card.ts";
import { caseLine } from "../../../src/discord/render/players/case-words.ts";
import { ownMessage } from "../../../src/discord/render/stats/staff-stats.ts";
import type { Case } from "../../../src/domain/case.ts";
import { md } from "../../../src/domain/escaped.ts";
import type { MessageBody } from "../../../src/domain/message.ts";

const one: Case = {
  guildId: "g1",
  number: 6,
  kind: "jail",
  targets: [{ name: "Turbo", playerId: 7 }],
  mass: false,
  author: { name: "Mo", userId: "5" },
  atMs: 1_000,
  reason: "RDM",
  receipt: {
    sentAtMs: 1_000,
    answer: { kind: "answered", atMs: 1_050, message: "Success." },
    log: "seen",
    left: [],
  },
  edits: [
    { atMs: 2_000, byId: "5", field: "reason" },
    { atMs: 3_000, byId: "5", field: "evidence", from: "https://example.com/a" },
  ],
};

const textOf = (found: Case) => caseCard(found, { withEdits: true }).cards?.[0]?.description ?? "";

describe("what a moderator reads of a case", () => {
  test("where nobody knows whether its command ran, the card and the lists say so", () => {
    const unclear = (log?: "seen" | "not-seen"): Case => ({
      ...one,
      receipt: { sentAtMs: 1_000, answer: { kind: "unknown", atMs: 1_050 }, left: [], ...(log && { log }) },
    });
    const line = (found: Case) => caseLine(found, { withTarget: true });
    assert.match(textOf(unclear()), /❔ It may have run/);
    assert.match(line(unclear()), / · ❔ may have run$/);
    assert.match(textOf(unclear("not-seen")), /❔ It probably did not run[\s\S]*log does not show it$/m);
    assert.match(line(unclear("not-seen")), / · ❔ probably did not run$/);
    assert.doesNotMatch(line(unclear("seen")) + line(one), /❔/);
  });

  test("a kick of a name that Marshal saw nowhere says so; a ban may be of anybody", () => {
    const unseen: Case = { ...one, origin: "log 1", targets: [{ name: "Zorb" }] };
    const words = /⚠ Marshal could not tell which player .?Zorb.? was\. Perhaps nobody was hit\./;
    assert.match(textOf({ ...unseen, kind: "kick" }), words);
    assert.match(textOf(unseen), words);
    assert.doesNotMatch(textOf({ ...unseen, kind: "ban" }), /could not tell/);
    assert.doesNotMatch(textOf({ ...unseen, mass: true }) + textOf(one), /could not tell/);
  });

  test("a ban that was to end says that it was lifted, or that it no longer ends, and not when it was to", () => {
    const ban: Case = { ...one, kind: "ban", endsAtMs: 86_400_000 };
    const lift: Case = {
      ...one,
      number: 8,
      kind: "unban",
      atMs: 60_000,
      author: { name: "Ann", playerId: 3 },
    };
    const says = (view: Parameters<typeof caseCard>[1]) => caseCard(ban, view).cards?.[0]?.description ?? "";
    assert.match(says({}), /^⏳ Set to end <t:86400:f>$/m);
    assert.match(says({ lift }), /^🕊️ Lifted by .*Ann.* <t:60:f>: case 8$/m);
    assert.match(says({ end: "none" }), /^⏹ No longer ends by itself$/m);
    for (const view of [{ lift }, { end: "none" as const }, { lift, end: "none" as const }])
      assert.doesNotMatch(says(view), /Set to end/);
    const { endsAtMs: _, ...forGood } = ban;
    assert.doesNotMatch(caseCard(forGood, { end: "none" }).cards?.[0]?.description ?? "", /ends by itself/);
    const undone = [{ runId: "r2", verb: "unban", atMs: 60_000, byId: "5" }];
    const taken = caseCard({ ...ban, undone }, { lift, end: "none" }).cards?.[0]?.description ?? "";
    assert.match(taken, /Undone/);
    assert.doesNotMatch(taken, /Lifted|end/);
  });

  test("its command has the player's name in the place of the id", () => {
    const targets = [{ name: "LunarBoi1720", playerId: 4971003941 }, { name: "77" }];
    const found = { ...one, targets, command: ":ban 4971003941,77 Hacking" };
    assert.match(textOf(found), /^`:ban LunarBoi1720,77 Hacking`$/m);
  });

  test("each of up to three players has a button, by name where they are several, within the five of a row", () => {
    const named = (count: number) =>
      ["Turbo", "Ada_9", "Zed", "Kim"].slice(0, count).map((name, nth) => ({ name, playerId: 7 + nth }));
    const labels = (found: Case, hasReplay = true) =>
      (caseCard(found, { hasReplay }).rows?.[0] ?? []).map((part) => "label" in part && part.label);
    const { reason: _, ...unexplained } = one;
    assert.deepEqual(labels({ ...one, targets: named(1) }), ["Player", "Replay"]);
    assert.deepEqual(labels({ ...one, targets: named(2) }), ["Turbo", "Ada_9", "Replay"]);
    assert.deepEqual(labels({ ...unexplained, targets: named(4) }), [
      "Give the reason",
      "Turbo",
      "Ada_9",
      "Zed",
      "Replay",
    ]);
    const halfKnown = { ...one, targets: [{ name: "Gone" }, ...named(1)] };
    assert.deepEqual(
      labels(halfKnown, false),
      ["Turbo"],
      "who has no id is nobody's button, and the other is named",
    );
    const tell = { kind: "button", style: "primary", label: "Tell", id: "t" } as const;
    const row = caseCard(
      { ...unexplained, targets: named(4) },
      { hasReplay: true, untold: { button: tell } },
    );
    assert.equal(row.rows?.[0]?.length, 5);
    assert.equal(new Set(row.rows?.[0]?.map(({ id }) => id)).size, 5);
  });

  test("an edit of what was empty adds it, another changes it", () => {
    const text = textOf(one);
    assert.match(text, /<@5> added the reason$/m);
    assert.match(text, /<@5> changed the evidence, before: /);
  });

  test("the game's bare success is not repeated; other words are", () => {
    assert.match(textOf(one), /✅ Answered at once$/m);
    const said = {
      ...one.receipt,
      left: [],
      answer: { kind: "answered", atMs: 1_050, message: "Nobody" },
    } as const;
    assert.match(textOf({ ...one, receipt: said }), /✅ Answered at once: Nobody$/m);
  });

  test("what the game answered and its log has not shown is not warned about", () => {
    const { log: _, ...unseen } = one.receipt ?? { left: [] };
    const text = (isSought: boolean) =>
      caseCard({ ...one, receipt: unseen }, { isSought }).cards?.[0]?.description;
    assert.match(text(true) ?? "", /^-# Checking the game's log\.$/m);
    assert.match(text(false) ?? "", /^📜 The game's log has not shown it yet$/m);
  });

  test("the audit names a case by its number in one sentence", () => {
    const event = { atMs: 1_000, actorId: "5", actorName: "Mo", guildId: "g1", id: "e1" };
    const line = eventLine({ ...event, action: "case-add", text: "6: warning of Turbo" });
    assert.match(line, /^⚙ <@5> added case 6\\?: warning of Turbo\n/);
    assert.match(eventLine({ ...event, action: "rename-server", text: "A" }), /renamed a server: A\n/);
  });

  test("what staff did in the game is no zero where nobody knows their account", () => {
    const span = { fromS: 0, toS: 1, zone: "UTC", recordedSinceS: 0, unrecordedS: 0 };
    const stats = {
      ...span,
      calls: { calls: 0, answered: 0, timed: 0 },
      staff: [],
      days: [],
      isShortened: false,
    };
    const rows = [{ cases: 0, runs: 3 }];
    const view = { stats, rows, title: md`You`, png: undefined, isRunsShortened: false };
    const known = (hasAccount: boolean, isOwn = true) =>
      JSON.stringify(ownMessage({ ...view, hasAccount, isOwn }));
    assert.doesNotMatch(known(false), /In the game: \*\*0/);
    assert.match(known(true), /In the game: \*\*0/);
    assert.match(known(true), /Nothing is recorded about you in this period/);
    assert.match(known(true, false), /Nothing is recorded about this player in this period/);
    assert.match(known(false), /Run `\/me link`\./);
    assert.match(known(false, false), /`\/me link member: player:` links one\./);
  });
});

test("a case fits its card, and an appeal about it its message, whatever people wrote", () => {
  const stars = (count: number) => "*".repeat(count);
  const evil: Case = {
    ...one,
    kind: "ban",
    reason: stars(900),
    evidence: `https://x.y/${"_".repeat(388)}`,
    command: `:ban Turbo ${stars(200)}`,
    edits: [1, 2, 3].map((atMs) => ({ atMs, byId: "1", field: "reason", from: stars(900) })),
    revoked: { atMs: 4, byId: "2", why: stars(900) },
  };
  const sizes = ({ cards = [] }: MessageBody) =>
    cards.map(({ title = "", description = "" }) => title.length + description.length);
  for (const withEdits of [true, false]) {
    const [size = 0] = sizes(caseCard(evil, { withEdits, warnings: 5 }));
    assert.ok(size <= 4_096, String(size));
  }
  const words = `They lied.\n${stars(980)}`;
  const appeal = {
    ...{ id: "a", guildId: "g", userId: "1", atMs: 0, channelId: "2", typedName: "Turbo", words },
    player: { name: "Turbo", id: 7 },
    caseNumber: 6,
    card: { channelId: "3", nonce: "n" },
  };
  const pack = {
    appeal,
    one: evil,
    lift: undefined,
    evidence: undefined,
    earlier: [evil, evil, evil, evil, evil],
  };
  const body = appealRenderer.card(pack);
  const sum = sizes(body).reduce((total, size) => total + size, 0);
  assert.ok(sum <= 6_000, String(sizes(body)));
  assert.match(String(body.cards?.[0]?.description), /They lied\.\n> (?:\\\*){980}\n/u);
  assert.match(String(body.cards?.[1]?.title), /case 6$/u);
});
