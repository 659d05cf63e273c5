import type { FeedEntry } from "../../domain/changes.ts";
import type { Feed } from "../../domain/guild.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { ChangeItem, EntryItem, GapItem, JournalItem } from "../../domain/ports/journal.ts";
import { passes, type TeamOf } from "./filter.ts";
import { KeyMultiset } from "./key-multiset.ts";

/** What is posted as a line. */
export type LineItem = EntryItem | ChangeItem;

export interface OwedContext {
  readonly teamOf: TeamOf;
  readonly renderer: FeedRenderer;
  /** Keys of entries that stand in the channel already: they are left out. */
  readonly standing: readonly string[];
}

/** The entries among the items that this feed shows and that do not stand in its channel yet, with their numbers. */
export function pendingEntries(
  feed: Feed,
  items: readonly JournalItem[],
  context: OwedContext,
): readonly LineItem[] {
  return chosen(feed, items, context).shown;
}

/** The first of the items that is to be posted and does not stand in the channel yet. */
export function firstOwed(
  feed: Feed,
  items: readonly JournalItem[],
  context: OwedContext,
): JournalItem | undefined {
  const { shown, stopped } = chosen(feed, items, context);
  if (shown[0] !== undefined || !stopped) return shown[0];
  const at = items.findIndex(({ kind }) => kind === "gap");
  const gap = items[at];
  if (gap?.kind !== "gap" || toldGap(feed, { gap, next: items[at + 1] }, context).length === 0) return gap;
  return firstOwed(feed, items.slice(at + 1), context);
}

/** A gap, and what follows it in the journal. */
export interface GapInPlace {
  readonly gap: GapItem;
  readonly next: JournalItem | undefined;
}

/**
 * The keys of a notice in the channel that tells this gap. After a power cut the same gap may end later, in a later
 * answer: it is told all the same where the first entry after it was posted then too.
 */
export function toldGap(
  { kind }: Feed,
  { gap: { fromS, toS }, next }: GapInPlace,
  { renderer, standing: keys }: OwedContext,
): readonly string[] {
  const standing = new KeyMultiset(keys);
  const [exact, beginning] = renderer.gapKeys(kind, fromS, toS);
  if (standing.take([exact]) !== undefined) return [exact, beginning];
  const isLine = next?.kind === "entry" || next?.kind === "change";
  const follows = isLine && standing.take(renderer.entryKeys(next.entry)) !== undefined;
  return follows && standing.take([beginning]) !== undefined ? [beginning] : [];
}

/** What this feed shows of the items up to a gap (`stopped`), and what of it stands in the channel already. */
export function chosen(
  feed: Feed,
  items: readonly JournalItem[],
  { teamOf, renderer, standing: keys }: OwedContext,
) {
  const standing = new KeyMultiset(keys);
  const keysOf = (entry: FeedEntry) => (keys.length === 0 ? [] : renderer.entryKeys(entry));
  const shown: LineItem[] = [];
  const left: { readonly seq: number; readonly key: string }[] = [];
  let endSeq = items[0]?.seq ?? 0;
  let stopped = false;
  for (const item of items) {
    if (item.kind === "gap") {
      stopped = true;
      break;
    }
    endSeq = item.seq + 1;
    if (item.kind === "answer" || item.kind === "call" || !passes(feed.filter, item.entry, teamOf)) continue;
    const key = standing.take(keysOf(item.entry));
    if (key === undefined) shown.push(item);
    else left.push({ seq: item.seq, key });
  }
  return { shown, left, endSeq, stopped };
}
