import type { Feed } from "../../domain/guild.ts";
import type { LogEntry } from "../../domain/model.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { JournalItem } from "../journal/journal-port.ts";
import type { FrozenBatch } from "../journal/offsets.ts";
import { passes, type TeamOf } from "./filter.ts";

/** Where a feed may go next from what stands first in its journal. Pure; delivery writes and sends it. */
export type BatchPlan =
  /** Nothing of it is for this feed. */
  | { readonly kind: "skip"; readonly throughSeq: number }
  /** `full`: more would not fit, so there is no point in waiting for more. */
  | { readonly kind: "post"; readonly batch: FrozenBatch; readonly full: boolean };

export interface BatchContext {
  readonly teamOf: TeamOf;
  readonly serverName: string | undefined;
  readonly nowMs: number;
  readonly renderer: FeedRenderer;
}

/** One message's worth of the items of a log feed, which must not be empty. A gap is a message of its own. */
export function planBatch(feed: Feed, items: readonly JournalItem[], context: BatchContext): BatchPlan {
  const [first] = items;
  if (first === undefined) throw new RangeError("a batch needs items");
  if (first.kind === "gap") {
    const body = context.renderer.gap(feed.kind, first.fromS, first.toS);
    return { kind: "post", full: true, batch: frozen(first.seq + 1, 0, body, context, "notice") };
  }
  const { entries, stayedS, seqs, endSeq, stopped } = chosen(feed, items, context.teamOf);
  if (entries.length === 0) return { kind: "skip", throughSeq: endSeq };
  const { serverName } = context;
  const { body, taken } = context.renderer.lines(feed, entries, {
    stayedS,
    ...(serverName === undefined ? {} : { serverName }),
  });
  const all = taken >= entries.length;
  // Up to the first entry that did not fit: what was filtered out in between is dealt with as well.
  const throughSeq = all ? endSeq : (seqs[taken] ?? endSeq);
  return {
    kind: "post",
    full: !all || stopped,
    batch: frozen(throughSeq, Math.min(taken, entries.length), body, context, "lines"),
  };
}

/** Everything of a backlog in one message with a file. The items must hold no gap: that is a notice of its own. */
export function planDigest(
  feed: Feed,
  items: readonly JournalItem[],
  why: "backlog" | "refused",
  context: BatchContext,
): BatchPlan {
  const entries = entriesOf(feed, items, context.teamOf);
  const throughSeq = (items.at(-1)?.seq ?? 0) + 1;
  if (entries.length === 0) return { kind: "skip", throughSeq };
  const body = context.renderer.digest(feed, entries, why);
  return { kind: "post", full: true, batch: frozen(throughSeq, entries.length, body, context, "digest") };
}

/** The entries among the items that this feed shows. */
export function entriesOf(feed: Feed, items: readonly JournalItem[], teamOf: TeamOf): LogEntry[] {
  return items.flatMap((item) =>
    item.kind === "entry" && passes(feed.filter, item.entry, teamOf) ? [item.entry] : [],
  );
}

function chosen(feed: Feed, items: readonly JournalItem[], teamOf: TeamOf) {
  const entries: LogEntry[] = [];
  const seqs: number[] = [];
  const stayedS = new Map<number, number>();
  let endSeq = items[0]?.seq ?? 0;
  let stopped = false;
  for (const item of items) {
    if (item.kind === "gap") {
      stopped = true;
      break;
    }
    endSeq = item.seq + 1;
    if (item.kind === "answer" || !passes(feed.filter, item.entry, teamOf)) continue;
    if (item.stayedS !== undefined) stayedS.set(entries.length, item.stayedS);
    entries.push(item.entry);
    seqs.push(item.seq);
  }
  return { entries, seqs, stayedS, endSeq, stopped };
}

function frozen(
  throughSeq: number,
  entries: number,
  body: FrozenBatch["body"],
  context: BatchContext,
  form: FrozenBatch["form"],
): FrozenBatch {
  return { throughSeq, entries, body, atMs: context.nowMs, form };
}
