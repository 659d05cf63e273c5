import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { feedRenderer } from "../../../src/discord/render/feed.ts";
import type { LogEntry, SourceId } from "../../../src/domain/model.ts";
import type { DigestMark } from "../../../src/domain/ports/feed-renderer.ts";
import type { EntryItem } from "../../../src/domain/ports/journal.ts";
import { heldByDigest } from "../../../src/feeds/delivery/digest-match.ts";
import { withoutHeld } from "../../../src/feeds/delivery/reconcile.ts";
import { joinFeed as feed } from "../../support/join-feed.ts";

const { digestHash, entryKeys } = feedRenderer;

function entryAt(second: number, name = `P${second}`): LogEntry {
  return { kind: "join", atS: 1_700_000_000 + second, player: { name }, joined: true };
}

function itemsOf(entries: readonly LogEntry[]): readonly EntryItem[] {
  return entries.map((entry, index) => ({ seq: index + 1, kind: "entry", entry, seenAtMs: 0 }));
}

function markOf(entries: readonly LogEntry[]): DigestMark {
  const attachmentNames = (feedRenderer.digest(feed, entries, "backlog").files ?? []).map(({ name }) => name);
  const [mark] = feedRenderer.keysOf({ content: "", cards: [], attachmentNames, componentIds: [] }).digests;
  assert.ok(mark !== undefined);
  return mark;
}

function seqsOf(items: readonly EntryItem[], mark: DigestMark): readonly number[] | undefined {
  return heldByDigest(items, mark, digestHash)?.map(({ seq }) => seq);
}

describe("the entries that a digest in the channel holds", () => {
  const nine = itemsOf(Array.from({ length: 9 }, (_, second) => entryAt(second)));
  const mark = markOf(nine.slice(0, 5).map(({ entry }) => entry));

  test("are those of its seconds where all of them wait, and none where one is gone", () => {
    assert.deepEqual(seqsOf(nine, mark), [1, 2, 3, 4, 5]);
    assert.equal(seqsOf(nine.slice(1), mark), undefined);
    assert.equal(seqsOf(nine.slice(0, 4), mark), undefined);
  });

  test("are told from up to four rows that came late, wherever those lie among them", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 300 }), { minLength: 2, maxLength: 150 }),
        fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 6 }),
        (seconds, places) => {
          const shown = [...seconds].sort((a, b) => a - b).map((second) => entryAt(second));
          const own = new Set(shown);
          const [first, last] = [shown[0]?.atS ?? 0, shown.at(-1)?.atS ?? 0];
          const all = [...shown];
          for (const [index, place] of places.entries()) {
            const late = entryAt(0, `Late${index}`);
            const atS = first + (place % (last - first + 1));
            all.splice(Math.max(0, all.length - 1 - (place % 50)), 0, { ...late, atS });
          }
          const items = itemsOf(all);
          const held = heldByDigest(items, markOf(shown), digestHash);
          if (places.length > 4) assert.equal(held, undefined);
          else assert.deepEqual(new Set(held?.map(({ entry }) => entry)), own);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("are dealt with as far as they stand first and no notice lies between; the others are left out when they come", () => {
    const record = { source: "s" as SourceId, list: "joinLogs", nextSeq: 1, sinceMs: 0 } as const;
    const without = (...seqs: number[]) => nine.filter(({ seq }) => seqs.includes(seq));
    const keyOf = (seq: number) => without(seq).flatMap(({ entry }) => entryKeys(entry))[0];
    const after = (held: readonly EntryItem[], gapSeq?: number) => {
      const { nextSeq, standing } = withoutHeld(record, held, { entries: nine, gapSeq }, entryKeys);
      return { nextSeq, standing };
    };
    assert.deepEqual(after(without(1, 2)), { nextSeq: 3, standing: undefined });
    assert.deepEqual(after(without(1, 3)), { nextSeq: 2, standing: [keyOf(3)] });
    assert.deepEqual(after(without(1, 2), 0.5), { nextSeq: 1, standing: [keyOf(1), keyOf(2)] });
    assert.deepEqual(after([...nine]), { nextSeq: 10, standing: undefined });
  });
});
