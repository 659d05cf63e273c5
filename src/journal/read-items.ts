import type { JournalItem } from "../domain/ports/journal.ts";
import { LATE_S } from "./compare/retained.ts";
import { itemsOf, type JournalHead } from "./journal-records.ts";
import type { Open } from "./open-journal.ts";
import type { StoredJournals } from "./stored-journals.ts";

interface Wanted {
  readonly fromSeq: number;
  readonly limit: number;
  readonly nowMs: number;
  readonly stored: Pick<StoredJournals, "read" | "warnLost">;
}

/** The items of a journal from a number on, in order. What is lost or dropped is a gap. Rejects with the store. */
export async function readItems(open: Open | undefined, wanted: Wanted): Promise<readonly JournalItem[]> {
  // One look at the head before the first await: a poll that lands meanwhile belongs to the next read.
  const head = open?.head;
  if (open === undefined || head === undefined) return [];
  const { fromSeq, limit } = wanted;
  const inMemory = head.tail.filter((item) => item.seq >= fromSeq);
  if (fromSeq >= head.tailFrom) return inMemory.slice(0, limit);

  const rows = await wanted.stored.read(open, fromSeq, limit);
  // Its last feed was detached while it read, and its items went with it.
  if (open.head === undefined) return [];
  const found: JournalItem[] = [];
  let nextSeq = fromSeq;
  const gapUntil = async (seq: number, next: JournalItem | undefined) => {
    // What came before all that is kept was let go when nobody needed it: who asks for it now was away.
    const [oldest] = nextSeq > fromSeq ? rows : await wanted.stored.read(open, 0, 1);
    if (oldest !== undefined && oldest.firstSeq < nextSeq) wanted.stored.warnLost(open, seq);
    found.push(lostUntil({ head, nowMs: wanted.nowMs }, seq, next));
  };
  for (const { firstSeq, seq, row } of rows) {
    const items = itemsOf(seq, row).filter((item) => item.seq >= nextSeq && item.seq < head.tailFrom);
    if (firstSeq >= head.tailFrom) break;
    if (firstSeq > nextSeq) await gapUntil(firstSeq - 1, items[0]);
    found.push(...items);
    nextSeq = seq + 1;
    if (found.length >= limit) return found.slice(0, limit);
  }
  if (nextSeq < head.tailFrom) await gapUntil(head.tailFrom - 1, inMemory[0]);
  return [...found, ...inMemory].slice(0, limit);
}

/** A journal as it was when somebody read it. */
interface ReadJournal {
  readonly head: JournalHead;
  /** When what it has lost was noticed, epoch milliseconds. */
  readonly nowMs: number;
}

/** What came before `next`, up to the number `seq`, is lost: silence would be a loss. */
function lostUntil({ head, nowMs }: ReadJournal, seq: number, next: JournalItem | undefined): JournalItem {
  const newestS = head.retained?.seconds.at(-1) ?? Math.floor(nowMs / 1_000);
  const nextS = next === undefined ? newestS : next.kind === "gap" ? next.toS : next.entry.atS;
  // What was before it came earlier and may be dated later: it may have come late itself.
  const toS = Math.max(nextS, Math.min(nextS + LATE_S, newestS));
  return { seq, kind: "gap", toS, seenAtMs: next?.seenAtMs ?? nowMs };
}
