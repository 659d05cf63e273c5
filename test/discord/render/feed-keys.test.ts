import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { entryLine } from "../../../src/discord/render/entry-line.ts";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import { CHANGES, type ChangeKind, type FeedEntry } from "../../../src/domain/changes.ts";
import { md } from "../../../src/domain/escaped.ts";
import { FEED_KINDS, type FeedKind, feedKind } from "../../../src/domain/feed-kinds.ts";
import { componentIdsOf, type MessageBody, type PostedMessage } from "../../../src/domain/message.ts";
import type { LogEntry } from "../../../src/domain/model.ts";
import { anyText } from "../../support/any-text.ts";
import { joinFeed as feed } from "../../support/join-feed.ts";

const hostile = "@everyone **x** <@1>\n[a](https://e.example) killed **y**";

const name = fc.oneof(
  fc.string({ maxLength: 30 }),
  anyText({ maxLength: 70 }),
  fc.constantFrom(hostile, "`", "||x||", "\u202ex", "Builder_1", "", "\\", "שלום", "1. x", "- x"),
);
const person = fc.oneof(
  fc.record({ name, id: fc.integer({ min: 1, max: 9_999_999_999 }) }),
  fc.record({ name }),
);
const atS = fc.integer({ min: 1_700_000_000, max: 1_700_000_020 });
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 900, maxLength: 1_500 }),
  fc.constantFrom("", "`", ":m hello @here / x", hostile),
);
const change = fc
  .record({
    what: fc.constantFrom(...(Object.keys(CHANGES) as ChangeKind[])),
    values: fc.array(text, { maxLength: 2 }),
  })
  // Only these have a feed, by which their lines are known.
  .filter(({ what }) => FEED_KINDS.some((kind) => feedKind(kind).list === CHANGES[what].list));
const logEntry: fc.Arbitrary<LogEntry> = fc.oneof(
  fc.record({ kind: fc.constant("join" as const), atS, player: person, joined: fc.boolean() }),
  fc.record({ kind: fc.constant("kill" as const), atS, killer: person, killed: person }),
  fc.record({ kind: fc.constant("command" as const), atS, player: person, text }),
  fc.record({ kind: fc.constant("modCall" as const), atS, caller: person }),
);
const entry: fc.Arbitrary<FeedEntry> = fc.oneof(
  { weight: 4, arbitrary: logEntry },
  fc
    .tuple(change, atS, person)
    .map(([made, at, player]) => ({ kind: "change" as const, atS: at, fromS: at - 9, player, ...made })),
);

/** A body as Discord gives it back. */
function posted(body: MessageBody): PostedMessage {
  return {
    messageId: "1",
    content: (body.content ?? "").trim(),
    cards: body.cards ?? [],
    attachmentNames: (body.files ?? []).map((file) => file.name),
    componentIds: componentIdsOf(body),
    postedAtMs: 0,
  };
}

/** Each shown key must be one of its entry's, in order. */
function assertShown(body: MessageBody, entries: readonly FeedEntry[], serverName?: string): void {
  const { keys } = feedRenderer.keysOf(posted(body), serverName === undefined ? {} : { serverName });
  assert.equal(keys.length, entries.length, JSON.stringify(body));
  for (const [index, one] of entries.entries()) {
    assert.ok(feedRenderer.entryKeys(one).includes(keys[index] ?? ""), JSON.stringify([one, body]));
  }
}

describe("the keys of what was posted", () => {
  test("whatever is rendered is read back, entry by entry, in every style, quoted or not, marked or not", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 60 }),
        fc.constantFrom("lines" as const, "cards" as const),
        fc.option(name, { nil: undefined }),
        fc.boolean(),
        fc.boolean(),
        (entries, style, serverName, marked, stayed) => {
          const context = {
            stayedS: new Map(stayed ? entries.map((_, index) => [index, index * 977]) : []),
            ...(serverName === undefined ? {} : { serverName }),
          };
          const { body, taken } = feedRenderer.lines({ ...feed, style }, entries, context);
          const shown = marked ? feedRenderer.possiblyRepeated(body) : body;
          assertShown(shown, entries.slice(0, taken), serverName);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("a burst that is folded is read back entry by entry, whatever its names, streaks and stays", () => {
    const few = fc.constantFrom(
      { name: "Ann_1", id: 42 },
      { name: hostile, id: 7 },
      { name: "6" },
      { name: "3 joined** in 1 s" },
      { name: "A, B after 1 s" },
    );
    const near = fc.integer({ min: 1_700_000_000, max: 1_700_000_003 });
    const dense: fc.Arbitrary<LogEntry> = fc.oneof(
      fc.record({ kind: fc.constant("join" as const), atS: near, player: few, joined: fc.boolean() }),
      fc.record({ kind: fc.constant("kill" as const), atS: near, killer: few, killed: few }),
      fc.record({ kind: fc.constant("command" as const), atS: near, player: few, text }),
    );
    const runs = fc.array(fc.tuple(dense, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 8 });
    let folds = 0;
    fc.assert(
      fc.property(runs, fc.constantFrom("lines" as const, "cards" as const), (parts, style) => {
        const entries = parts.flatMap(([one, times]) => Array.from({ length: times }, () => one));
        for (let rest = entries; rest.length > 0; ) {
          const known = rest.map((_, index) => index).filter((index) => index % 3 > 0);
          const context = {
            stayedS: new Map(known.map((index) => [index, index * 977])),
            streaks: new Map(known.map((index) => [index, { nth: index + 1, withinS: index * 7 }])),
          };
          const { body, taken } = feedRenderer.lines({ ...feed, style }, rest, context);
          if (/ \*\*\d+/.test(body.content ?? body.cards?.[0]?.description ?? "")) folds += 1;
          assertShown(feedRenderer.possiblyRepeated(body), rest.slice(0, taken));
          rest = rest.slice(taken);
        }
      }),
      { numRuns: 200 },
    );
    assert.ok(folds > 50, `${folds} folds`);
  });

  test("entries that differ to a reader have different keys", () => {
    const shown = (one: LogEntry) => entryLine(one, true);
    fc.assert(
      fc.property(logEntry, logEntry, (a, b) => {
        const shared = feedRenderer.entryKeys(a).filter((key) => feedRenderer.entryKeys(b).includes(key));
        // People of one name and different ids can be told apart only where ids are shown.
        const [, idsOfA = ""] = feedRenderer.entryKeys(a);
        if (shown(a) === shown(b)) assert.ok(shared.length > 0);
        else assert.ok(!shared.includes(idsOfA));
      }),
    );
  });

  test("messages about another server of the guild show nothing of this one", () => {
    const one: LogEntry = { kind: "join", atS: 1_700_000_000, player: { name: "Ann" }, joined: true };
    const context = { stayedS: new Map<number, number>(), serverName: "Other *Town*" };
    for (const style of ["lines", "cards"] as const) {
      const { body } = feedRenderer.lines({ ...feed, style }, [one], context);
      assert.deepEqual(feedRenderer.keysOf(posted(body), { serverName: "Town" }).keys, []);
      assertShown(body, [one], "Other *Town*");
      assertShown(body, [one]);
    }
  });

  test("of a channel that several feeds share, only what is of one's own kind counts", () => {
    const one: LogEntry = { kind: "join", atS: 1_700_000_000, player: { name: "Ann" }, joined: true };
    const two: LogEntry = {
      kind: "kill",
      atS: 1_700_000_000,
      killer: { name: "Ann" },
      killed: { name: "Bob" },
    };
    const { body } = feedRenderer.lines(feed, [one, two], { stayedS: new Map() });
    const keys = (kind: FeedKind) => feedRenderer.keysOf(posted(body), { kind }).keys;
    assert.deepEqual(
      [keys("joins"), keys("kills"), keys("commands")],
      [[feedRenderer.entryKeys(one)[0]], [feedRenderer.entryKeys(two)[0]], []],
    );
    const digest = posted(feedRenderer.digest(feed, [one], "refused"));
    assert.equal(feedRenderer.keysOf(digest, { kind: "kills" }).digests.length, 0);
    const gap = posted(feedRenderer.gap("kills", { fromS: 1, toS: 2 }));
    assert.equal(feedRenderer.keysOf(gap, { kind: "joins" }).notices.length, 0);
    assert.equal(feedRenderer.keysOf(gap, { kind: "kills" }).notices.length, 2);
  });

  test("of a channel that several servers share, notices and digests of the others say nothing of one's own", () => {
    const one: LogEntry = { kind: "join", atS: 1_700_000_000, player: { name: "Ann" }, joined: true };
    const bodies = [
      feedRenderer.gap("joins", { fromS: 1, toS: 2 }),
      feedRenderer.late("joins", 1_000),
      feedRenderer.digest(feed, [one], "refused"),
    ];
    const count = (body: MessageBody, serverName: string) => {
      const { notices, digests } = feedRenderer.keysOf(posted(body), { kind: "joins", serverName });
      return notices.length + digests.length;
    };
    for (const [nth, body] of bodies.entries()) {
      const named = feedRenderer.possiblyRepeated(feedRenderer.ofServer(body, "Other *Town*"));
      const all = nth === 0 ? 2 : 1;
      assert.deepEqual(
        [count(named, "Town"), count(named, "Other *Town*"), count(body, "Town")],
        [0, all, all],
      );
    }
  });

  test("a digest says by its file's name which entries it holds, in any order", () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), (entries) => {
        const body = feedRenderer.digest(feed, entries, "backlog");
        const [mark] = feedRenderer.keysOf(posted(body)).digests;
        assert.equal(mark?.entries, entries.length);
        assert.equal(mark?.hash, feedRenderer.digestHash([...entries].reverse()));
        assert.notEqual(mark?.hash, feedRenderer.digestHash(entries.slice(1)));
      }),
    );
  });

  test("notices of gaps and of lateness have different keys", () => {
    const { gapKeys } = feedRenderer;
    for (const fromS of [5, undefined]) {
      const said = feedRenderer.possiblyRepeated(
        feedRenderer.gap("kills", { ...(fromS === undefined ? {} : { fromS }), toS: 9 }),
      );
      const { notices } = feedRenderer.keysOf(posted(said));
      assert.deepEqual(notices, [...gapKeys("kills", fromS, 9)]);
    }
    const [exact, beginning] = gapKeys("kills", 5, 9);
    assert.equal(gapKeys("kills", 5, 10)[1], beginning);
    for (const other of [gapKeys("kills", 5, 10), gapKeys("kills", undefined, 9), gapKeys("joins", 5, 9)]) {
      assert.notEqual(other[0], exact);
    }
    const late = posted(feedRenderer.late("joins", 1_000));
    assert.deepEqual(feedRenderer.keysOf(late).notices, [feedRenderer.lateKey("joins")]);
    for (const words of [md`have not been up to date since`, md`are behind since`]) {
      const before = posted({ content: md`⏳ Late: joins and leaves ${words} <t:1:T>.` });
      assert.deepEqual(feedRenderer.keysOf(before).notices, [feedRenderer.lateKey("joins")]);
    }
  });

  test("a card of moderator calls names each of its calls, claimed, resolved or open", () => {
    const view = {
      cardId: "0123456789abcdef",
      caller: { name: hostile, id: 5 },
      calls: [{ atS: 7 }],
      escalated: true,
      hasReplay: true,
    };
    const answeredBy = { name: "Mod **called again** <t:9:T>", id: 9_999_999_999 };
    const kills = [{ atS: 8, other: { name: hostile }, what: "died" as const }];
    const situation = { caller: { team: hostile, wantedStars: 2, street: hostile }, kills };
    const resolved = { userId: "1", atMs: 9_000, note: `🔁 called again <t:9:T>\n🔁 called again <t:9:T>` };
    const calls = [{ atS: 7, answeredBy }, { atS: 7 }, { atS: 9, answeredBy }, { atS: 11 }];
    for (const one of [
      view,
      { ...view, calls },
      { ...view, calls, claimedBy: { userId: "1", atMs: 9_000 }, situation, resolved },
    ]) {
      const body = feedRenderer.possiblyRepeated(feedRenderer.modCall(one));
      const times = one.calls.map(({ atS: at }) => at);
      assert.deepEqual(
        feedRenderer.keysOf(posted(body)).calls,
        times.map((at) => feedRenderer.callKey(hostile, at)),
      );
      assert.deepEqual(feedRenderer.modCallOf(posted(body)), {
        cardId: view.cardId,
        calledAtS: times,
      });
    }
  });

  test("what was posted before its server was renamed counts as its own, what is of another server does not", () => {
    const entry: LogEntry = { kind: "join", joined: true, player: { name: "Ann", id: 1 }, atS: 5 };
    for (const style of ["lines", "cards"] as const) {
      const context = { stayedS: new Map<number, number>(), serverName: "Old *name*" };
      const { body } = feedRenderer.lines({ ...feed, style }, [entry], context);
      const count = (of: { serverName: string; formerNames?: readonly string[] }) =>
        feedRenderer.keysOf(posted(body), of).keys.length;
      assert.equal(count({ serverName: "New", formerNames: ["Old *name*"] }), 1, style);
      assert.equal(count({ serverName: "New" }), 0, style);
    }
  });
});
