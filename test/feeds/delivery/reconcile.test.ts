import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import { md } from "../../../src/domain/escaped.ts";
import type { MessageBody, PostedMessage } from "../../../src/domain/message.ts";
import type { LogEntry, SourceId } from "../../../src/domain/model.ts";
import type { EntryItem } from "../../../src/domain/ports/journal.ts";
import { type BatchContext, planBatch } from "../../../src/feeds/delivery/batch.ts";
import { KeyMultiset } from "../../../src/feeds/delivery/key-multiset.ts";
import { answeredWith, delivered, reconcile, skipped } from "../../../src/feeds/delivery/reconcile.ts";
import type { FrozenBatch, OffsetRecord } from "../../../src/feeds/positions/offsets.ts";
import { joinFeed as feed } from "../../support/join-feed.ts";

const keysOf = (posted: Parameters<typeof feedRenderer.keysOf>[0]) =>
  feedRenderer.keysOf(posted, { kind: "joins" });

/** Few names and seconds, so that equal entries occur. */
const entry: fc.Arbitrary<LogEntry> = fc.record({
  kind: fc.constant("join" as const),
  atS: fc.integer({ min: 1_700_000_000, max: 1_700_000_003 }),
  player: fc.record({ name: fc.constantFrom("Ann", "Bob"), id: fc.constantFrom(1, 2) }),
  joined: fc.boolean(),
});

function contextOf(record: OffsetRecord): BatchContext {
  return {
    teamOf: () => undefined,
    serverName: undefined,
    nowMs: 0,
    renderer: feedRenderer,
    standing: record.standing ?? [],
    markUpToS: undefined,
    inFileUpToS: undefined,
  };
}

function linesOf(entries: readonly LogEntry[]): MessageBody {
  return feedRenderer.lines(feed, entries, { stayedS: new Map() }).body;
}

function postedOf(body: MessageBody, messageId: string): PostedMessage {
  const attachmentNames = (body.files ?? []).map((file) => file.name);
  return {
    messageId,
    content: body.content ?? "",
    cards: [],
    attachmentNames,
    componentIds: [],
    postedAtMs: 0,
  };
}

function itemsOf(entries: readonly LogEntry[]): EntryItem[] {
  return entries.map((one, index) => ({ seq: index + 1, kind: "entry", entry: one, seenAtMs: 0 }));
}

const atStart: OffsetRecord = { source: "s" as SourceId, list: "joinLogs", nextSeq: 1, sinceMs: 0 };

/** Posts what is left as a delivery does; returns the bodies in their order. */
function postRest(start: OffsetRecord, items: readonly EntryItem[]): readonly MessageBody[] {
  const bodies: MessageBody[] = [];
  let record = start;
  for (let messageId = 1_000; ; messageId++) {
    const left = items.filter(({ seq }) => seq >= record.nextSeq);
    if (record.frozen === undefined) {
      if (left.length === 0) return bodies;
      const plan = planBatch(feed, left, contextOf(record));
      if (plan.kind === "skip") record = skipped(record, plan.throughSeq, plan.met);
      else record = { ...record, frozen: { ...plan.batch, nonce: "n" } };
    } else {
      bodies.push(record.frozen.body);
      record = delivered(record, record.frozen, String(messageId));
    }
  }
}

function sorted(keys: readonly string[]): readonly string[] {
  return [...keys].sort();
}

describe("what a power cut leaves", () => {
  test("each entry stands once, whatever was posted in which batches, frozen or not, and whatever the order now", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 25 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 6 }),
        fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
        fc.boolean(),
        (entries, sizes, frozenSize, reversed) => {
          // What the life before posted after the state that the store has kept.
          const posted: PostedMessage[] = [];
          let from = 0;
          for (const [index, size] of sizes.entries()) {
            const part = entries.slice(from, from + size);
            if (part.length > 0) posted.push(postedOf(linesOf(part), String(index + 1)));
            from += size;
          }
          // The journal derives the same entries again, perhaps in another order where nothing was frozen.
          const again = reversed && frozenSize === undefined ? [...entries].reverse() : entries;
          const items = itemsOf(again);
          const first = again.slice(0, frozenSize ?? 0);
          const batch: FrozenBatch = {
            throughSeq: first.length + 1,
            entries: first.length,
            body: linesOf(first),
            atMs: 0,
            form: "lines",
            nonce: "n",
          };
          const record = first.length === 0 ? atStart : { ...atStart, frozen: batch };

          const rest = postRest(reconcile(record, posted, keysOf), items);
          const shown = [...posted, ...rest.map((body) => postedOf(body, "9"))];
          assert.deepEqual(
            sorted(shown.flatMap((message) => keysOf(message).keys)),
            sorted(keysOf(postedOf(linesOf(entries), "all")).keys),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("an answer to a batch", () => {
  const [ann, bob] = ["Ann", "Bob"].map(
    (name): LogEntry => ({ kind: "join", atS: 1_700_000_000, player: { name }, joined: true }),
  );
  assert.ok(ann !== undefined && bob !== undefined);
  const sent: FrozenBatch = {
    throughSeq: 3,
    entries: 2,
    body: linesOf([ann, bob]),
    atMs: 0,
    form: "lines",
    nonce: "n",
  };
  const answer = (body: MessageBody) => answeredWith(sent, postedOf(body, "1"), keysOf);
  const [annKey, bobKey] = keysOf(postedOf(sent.body, "1")).keys;

  for (const [what, body, expected] of [
    // Nobody asks for the keys of the very message.
    ["shows it", sent.body, { stands: "all", keys: [] }],
    [
      "shows it with a mark",
      feedRenderer.possiblyRepeated(sent.body),
      { stands: "all", keys: [annKey, bobKey] },
    ],
    ["shows a part of it", linesOf([bob]), { stands: "some", keys: [bobKey] }],
    ["shows nothing of it", { content: md`old` }, { stands: "none", keys: [] }],
  ] as const) {
    test(what, () => assert.deepEqual(answer(body), expected));
  }
});

test("a multiset of keys gives each out as often as it was put in", () => {
  const standing = new KeyMultiset(["a", "a", "b"]);
  assert.deepEqual(
    [standing.take(["c", "a"]), standing.take(["a"]), standing.take(["a"]), standing.take(["c"])],
    ["a", "a", undefined, undefined],
  );
  assert.deepEqual(standing.takeAll(["b", "b"]), ["b"]);
  assert.deepEqual(standing.keys, []);
});

test("what was met in the channel is met once, whether it was passed over or posted with others", () => {
  const record: OffsetRecord = {
    source: "s" as SourceId,
    nextSeq: 1,
    sinceMs: 0,
    standing: ["a", "a", "b"],
  };
  assert.deepEqual(skipped(record, 4, ["a"]), { ...record, nextSeq: 4, standing: ["a", "b"] });
  const frozen: FrozenBatch = {
    throughSeq: 5,
    entries: 1,
    body: {},
    atMs: 0,
    form: "lines",
    nonce: "n",
    met: ["b"],
  };
  const done = { ...record, nextSeq: 5, lastMessageId: "9", standing: ["a", "a"] };
  assert.deepEqual(delivered({ ...record, frozen }, frozen, "9"), done);
});
