import type { LogList, SourceId } from "../../domain/model.ts";
import { LATE_S } from "../diff/retained.ts";
import type { JournalItem } from "./journal-port.ts";
import { headKey, type JournalHead } from "./journal-records.ts";

/**
 * One open journal, as it is held in memory. `head` is what the store holds (but for items trimmed since), never
 * ahead of it.
 */
export interface Open {
  readonly source: SourceId;
  readonly list: LogList;
  readonly key: string;
  head: JournalHead | undefined;
  /** By feed: the lowest sequence number that it still needs. */
  readonly feeds: Map<string, number>;
  /** Chunk ids taken by writes that may have failed: such a document may be there, so its id is not used again. */
  freeChunk: number;
  /** The latest answer that was kept. Not stored, so that a poll without news costs no write. */
  last: { readonly lookId: number; readonly monotonicMs: number } | undefined;
  /** The newest row of the latest answer, kept or not. `hash`: of its identity, which as text is ten times that. */
  mark: { readonly atS: number; readonly hash: number; readonly lookId: number } | undefined;
  /** The newest second that it ever showed; undefined until it is known. */
  newestS: number | undefined;
  /** A second that the service had reached when the log was last seen whole. */
  wholeS: number | undefined;
  /** The latest answer that was surely new showed it empty. */
  isEmpty: boolean;
  /** How many rows it showed. */
  rows: number;
  /** Chunks that nobody names any more and that the store has not deleted yet. */
  garbage: readonly number[];
  /** Work on one journal never interleaves; `queued` counts what is in the chain. */
  chain: Promise<unknown>;
  queued: number;
}

export function opened(source: SourceId, list: LogList): Open {
  return {
    source,
    list,
    key: headKey(source, list),
    head: undefined,
    feeds: new Map(),
    freeChunk: 0,
    last: undefined,
    mark: undefined,
    newestS: undefined,
    wholeS: undefined,
    isEmpty: false,
    rows: 0,
    garbage: [],
    chain: Promise.resolve(),
    queued: 0,
  };
}

/** Entries that a feed asks for and that are no longer kept become a gap: silence would be a loss. */
export function trimmedAway(
  head: JournalHead,
  fromSeq: number,
  first: JournalItem | undefined,
): readonly JournalItem[] {
  const firstSeq = first?.seq ?? head.nextSeq;
  return fromSeq >= firstSeq ? [] : [lostUntil(head, firstSeq - 1, first)];
}

/** Read items, in order; `lost`: the last number of a chunk that the store has lost, where it stood. */
export type Found = JournalItem | { readonly kind: "lost"; readonly seq: number };

/** The items, with one gap for each stretch that the store has lost. */
export function withGaps(head: JournalHead, found: readonly Found[]): readonly JournalItem[] {
  return found.flatMap((one, at): readonly JournalItem[] => {
    if (one.kind !== "lost") return [one];
    const next = found[at + 1];
    if (next?.kind === "lost") return [];
    return [lostUntil(head, one.seq, next)];
  });
}

/** What came before `next`, up to the number `seq`, is lost. */
function lostUntil(head: JournalHead, seq: number, next: JournalItem | undefined): JournalItem {
  const newestS = head.retained?.seconds.at(-1) ?? 0;
  const nextS = next === undefined ? newestS : next.kind === "gap" ? next.toS : next.entry.atS;
  // What was before it came earlier and may be dated later: it may have come late itself.
  const toS = Math.max(nextS, Math.min(nextS + LATE_S, newestS));
  return { seq, kind: "gap", toS, seenAtMs: next?.seenAtMs ?? newestS * 1_000 };
}

/** The lowest sequence number that some feed has not dealt with; the head where all have, or where there is none. */
export function neededSeq(open: Open): number {
  let lowest = open.head?.nextSeq ?? 0;
  for (const seq of open.feeds.values()) lowest = Math.min(lowest, seq);
  return lowest;
}

/** Lets delivered items go from memory at once; the store follows with the next poll that changes something. */
export function trimmed(head: JournalHead, needed: number): JournalHead {
  const first = head.tail[0];
  return first === undefined || first.seq >= needed
    ? head
    : { ...head, tail: head.tail.filter((item) => item.seq >= needed) };
}
