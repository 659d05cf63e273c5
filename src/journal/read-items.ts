import type { JournalItem } from "../domain/ports/journal.ts";
import { LATE_S } from "./compare/retained.ts";
import type { ChunkRef, JournalHead } from "./journal-records.ts";
import type { Open } from "./open-journal.ts";

interface Wanted {
  readonly fromSeq: number;
  readonly limit: number;
  readonly nowMs: number;
  /** Undefined where the store has lost it. */
  readonly readChunk: (ref: ChunkRef) => Promise<readonly JournalItem[] | undefined> | undefined;
}

/** The items of a journal from a number on, in order. What is lost or trimmed away is a gap. Rejects with the store. */
export async function readItems(
  open: Open | undefined,
  { fromSeq, limit, nowMs, readChunk }: Wanted,
): Promise<readonly JournalItem[]> {
  // One look at the head before the first await: a poll that lands meanwhile belongs to the next read.
  const head = open?.head;
  if (open === undefined || head === undefined) return [];
  const found: Found[] = [];
  for (const ref of head.chunks) {
    if (ref.lastSeq < fromSeq || found.length >= limit) continue;
    const items = await readChunk(ref);
    // The feed was detached while it read, and its items went with it.
    if (items === undefined && !open.head?.chunks.includes(ref)) return [];
    if (items === undefined) found.push({ kind: "lost", seq: ref.lastSeq });
    else found.push(...items.filter((item) => item.seq >= fromSeq));
  }
  for (const item of head.tail) if (item.seq >= fromSeq) found.push(item);
  const journal = { head, nowMs };
  const items = withGaps(journal, found);
  // One gap for all: a lost chunk at the front tells what was trimmed before it, too.
  const before = found[0]?.kind === "lost" ? [] : trimmedAway(journal, fromSeq, items[0]);
  return [...before, ...items].slice(0, limit);
}

/** A journal as it was when somebody read it. */
interface ReadJournal {
  readonly head: JournalHead;
  /** When what it has lost was noticed, epoch milliseconds. */
  readonly nowMs: number;
}

/** Entries that a feed asks for and that are no longer kept become a gap: silence would be a loss. */
function trimmedAway(
  journal: ReadJournal,
  fromSeq: number,
  first: JournalItem | undefined,
): readonly JournalItem[] {
  const firstSeq = first?.seq ?? journal.head.nextSeq;
  return fromSeq >= firstSeq ? [] : [lostUntil(journal, firstSeq - 1, first)];
}

/** Read items, in order; `lost`: the last number of a chunk that the store has lost, where it stood. */
type Found = JournalItem | { readonly kind: "lost"; readonly seq: number };

/** The items, with one gap for each stretch that the store has lost. */
function withGaps(journal: ReadJournal, found: readonly Found[]): readonly JournalItem[] {
  return found.flatMap((one, at): readonly JournalItem[] => {
    if (one.kind !== "lost") return [one];
    const next = found[at + 1];
    if (next?.kind === "lost") return [];
    return [lostUntil(journal, one.seq, next)];
  });
}

/** What came before `next`, up to the number `seq`, is lost. */
function lostUntil({ head, nowMs }: ReadJournal, seq: number, next: JournalItem | undefined): JournalItem {
  const newestS = head.retained?.seconds.at(-1) ?? Math.floor(nowMs / 1_000);
  const nextS = next === undefined ? newestS : next.kind === "gap" ? next.toS : next.entry.atS;
  // What was before it came earlier and may be dated later: it may have come late itself.
  const toS = Math.max(nextS, Math.min(nextS + LATE_S, newestS));
  return { seq, kind: "gap", toS, seenAtMs: next?.seenAtMs ?? nowMs };
}
