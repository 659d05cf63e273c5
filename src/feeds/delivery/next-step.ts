import { type FeedKind, feedKind } from "../../domain/feed-kinds.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import type { FrozenBatch, OffsetRecord } from "../positions/offsets.ts";

/** Fewer cannot fill a message: not worth rendering before the wait is over. */
const FEW_ITEMS = 12;
/** An entry that has waited longer makes the feed late, and the channel gets one notice. */
export const LATE_AFTER_MS = 300_000;
/** A batch leaves after this long without news, so that entries of polls in quick succession share a message. */
const QUIET_MS = 2_000;
/** The first entry of a batch waits no longer. */
const LONGEST_WAIT_MS = 5_000;

/** All that decides what a delivery does next. */
export interface Outlook {
  readonly kind: FeedKind;
  readonly record: OffsetRecord;
  /** Why Discord takes no more messages of this feed. */
  readonly parkWhy: string | undefined;
  /** The process before ended in order. */
  readonly endedInOrder: boolean;
  /** Messages may stand in the channel that the record does not know of. */
  readonly doubtful: boolean;
  /** What stands there can be told only once the server has been read again. */
  readonly awaitsPoll: boolean;
  /** The server has not been read since then, epoch milliseconds. */
  readonly pollLateSinceMs: number | undefined;
  /** The number that the journal's next item will get. */
  readonly head: number;
  /** What stands first in the journal, where it has been read. */
  readonly items: readonly JournalItem[] | undefined;
  /** How long the first and the last of these items have waited here. */
  readonly firstWaitedMs: number;
  readonly lastWaitedMs: number;
  /** The first of these items that the channel lacks, and how old it is, by when it was seen. */
  readonly owed: { readonly seenAtMs: number; readonly ageMs: number } | undefined;
}

export type Step =
  | { readonly kind: "park"; readonly why: string }
  /** Find out what stands in the channel, before anything is sent. */
  | { readonly kind: "read-back" }
  | { readonly kind: "deliver"; readonly batch: FrozenBatch }
  | { readonly kind: "say-late"; readonly sinceMs: number }
  /** Nothing to do until somebody wakes the delivery. `caughtUp`: everything is delivered. */
  | { readonly kind: "rest"; readonly caughtUp: boolean }
  /** Read what stands first in the journal, then ask again. */
  | { readonly kind: "look" }
  | { readonly kind: "acknowledge"; readonly nextSeq: number }
  | { readonly kind: "into-cards"; readonly items: readonly JournalItem[]; readonly nextSeq: number }
  | { readonly kind: "wait"; readonly forMs: number }
  /** Make a batch; where it does not fill a message, wait `forMs` first. */
  | { readonly kind: "batch"; readonly items: readonly JournalItem[]; readonly forMs: number };

/** What a delivery does next. Pure: the delivery performs it and asks again. */
export function nextStep(outlook: Outlook): Step {
  const { record, parkWhy, doubtful, awaitsPoll, pollLateSinceMs, head, items } = outlook;
  if (parkWhy !== undefined) return { kind: "park", why: parkWhy };

  const pending = record.list !== undefined && head > record.nextSeq;
  const isLate = pollLateSinceMs !== undefined && record.lateSinceMs === undefined;
  if (record.frozen === undefined && !pending && !isLate) return { kind: "rest", caughtUp: true };
  if (doubtful) return awaitsPoll ? { kind: "rest", caughtUp: false } : { kind: "read-back" };
  if (record.frozen !== undefined) return { kind: "deliver", batch: record.frozen };
  if (isLate) return { kind: "say-late", sinceMs: pollLateSinceMs };

  if (items === undefined) return { kind: "look" };
  return withItems(outlook, items);
}

function withItems(outlook: Outlook, items: readonly JournalItem[]): Step {
  const { kind, record, head, firstWaitedMs, lastWaitedMs, owed } = outlook;
  const [first] = items;
  // Gone from the store, which only a record of ours that was set back explains.
  if (first === undefined) return { kind: "acknowledge", nextSeq: head };
  if (owed !== undefined && owed.ageMs >= LATE_AFTER_MS && record.lateSinceMs === undefined) {
    return { kind: "say-late", sinceMs: owed.seenAtMs };
  }
  if (first.kind === "gap" && first.isOfStart === true && outlook.endedInOrder)
    return { kind: "acknowledge", nextSeq: first.seq + 1 };
  if (feedKind(kind).onCards === true && first.kind !== "gap") {
    const gapAt = items.findIndex((item) => item.kind === "gap");
    const calls = gapAt < 0 ? items : items.slice(0, gapAt);
    return { kind: "into-cards", items: calls, nextSeq: (calls.at(-1)?.seq ?? record.nextSeq - 1) + 1 };
  }
  const forMs = batchWaitMs(firstWaitedMs, lastWaitedMs);
  const few = items.length < FEW_ITEMS && first.kind !== "gap";
  return few && forMs > 0 ? { kind: "wait", forMs } : { kind: "batch", items, forMs };
}

/**
 * How long a batch that is not full yet still waits for more, in whole milliseconds; 0: it leaves now.
 * Rounded up, because a rest of less than one would be waited for again and again.
 */
function batchWaitMs(firstWaitedMs: number, lastWaitedMs: number): number {
  return Math.ceil(Math.max(0, Math.min(LONGEST_WAIT_MS - firstWaitedMs, QUIET_MS - lastWaitedMs)));
}
