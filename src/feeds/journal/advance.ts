import type { LogList, Snapshot } from "../../domain/model.ts";
import { diff, type Look } from "../diff/diff.ts";
import { PackedRetained } from "../diff/encoded-window.ts";
import { factsOf, logLists, type Said } from "../diff/window-facts.ts";
import type { JournalItem } from "./journal-port.ts";
import type { JournalChunk, JournalHead } from "./journal-records.ts";
import { VisitDurations } from "./visit-durations.ts";

/** Items of one sealed chunk. A head is rewritten with every poll that brings something: its tail stays short. */
const CHUNK_ITEMS = 256;

export interface Advance {
  readonly head: JournalHead;
  /** New chunks, to be written before the head that names them. */
  readonly sealed: readonly (readonly [id: number, chunk: JournalChunk])[];
  /** Chunks that nobody needs any more, to be deleted after the head that no longer names them. */
  readonly droppedChunks: readonly number[];
  readonly added: number;
  /** Rows that came to those which were known: none where nothing was known or there is a gap. */
  readonly grownBy: number;
}

/** A journal that nothing has been written into. */
export function emptyHead(lineage: string, nextSeq: number): JournalHead {
  return { lineage, nextSeq, chunks: [], nextChunk: 0, tail: [], joined: [] };
}

/**
 * What a snapshot makes of a journal, without doing it: undefined when there is nothing to write. `neededSeq` is
 * the lowest sequence number that some feed still needs; below it things are dropped. Pure.
 */
export function advance(
  head: JournalHead,
  list: LogList,
  snapshot: Snapshot,
  neededSeq: number,
  firstFreeChunk: number,
  look: Pick<Look, "recent" | "continuous" | "fullest">,
): Advance | undefined {
  const facts = factsOf(snapshot, list, head.lineage);
  if (facts === undefined) return undefined;
  const hasPlayers = snapshot.status.currentPlayers > 0;
  const rows = snapshot.lists[list]?.length ?? 0;
  const reachedS = head.retained === undefined ? reachedBy(snapshot) : undefined;
  const result = diff(head.retained?.unpacked(), facts, { ...look, hasPlayers, rows, reachedS });
  if (!result.changed) return undefined;
  const stays = new VisitDurations(head.joined);
  const added: JournalItem[] = [];
  const seenAtMs = snapshot.takenAtMs;
  if (result.gap !== undefined) {
    stays.forget();
    added.push({ seq: head.nextSeq, kind: "gap", ...result.gap, seenAtMs });
  }
  for (const said of result.fresh) added.push(itemOf(said, head.nextSeq + added.length, seenAtMs, stays));
  if (head.retained === undefined) for (const fact of facts) noteStay(fact.value, stays);
  const nextSeq = head.nextSeq + added.length;
  const tail = [...head.tail.filter((item) => item.seq >= neededSeq), ...added];
  const retained = PackedRetained.of(result.next);
  const fullest = look.fullest > 0 ? { fullest: look.fullest } : {};
  const next = { ...head, retained, nextSeq, ...fullest, joined: stays.entries() };
  const grownBy = result.gap === undefined ? result.fresh.filter(({ kind }) => kind === "entry").length : 0;
  return { ...sealed(next, tail, neededSeq, firstFreeChunk), added: added.length, grownBy };
}

/**
 * The newest second in any log: the service had reached it. A row with a senseless time of its own must not tell
 * otherwise, so our clock is the bound; one that is behind makes the second earlier, which harms nothing.
 */
function reachedBy({ lists, takenAtMs }: Snapshot): number | undefined {
  let newestS = Number.NEGATIVE_INFINITY;
  for (const list of logLists) for (const { atS } of lists[list] ?? []) newestS = Math.max(newestS, atS);
  return Number.isFinite(newestS) ? Math.floor(Math.min(newestS, takenAtMs / 1_000)) : undefined;
}

function itemOf(said: Said, seq: number, seenAtMs: number, stays: VisitDurations): JournalItem {
  if (said.kind === "answer") return { seq, kind: "answer", entry: said.entry, seenAtMs };
  const stayedS = noteStay(said, stays);
  const item = { seq, kind: "entry", entry: said.entry, seenAtMs } as const;
  return stayedS === undefined ? item : { ...item, stayedS };
}

function noteStay(said: Said, stays: VisitDurations): number | undefined {
  return said.entry.kind === "join" ? stays.note(said.entry) : undefined;
}

function sealed(head: JournalHead, items: readonly JournalItem[], neededSeq: number, firstFreeChunk: number) {
  const made: [number, JournalChunk][] = [];
  const chunks = head.chunks.filter((chunk) => chunk.lastSeq >= neededSeq);
  const droppedChunks = head.chunks.filter((chunk) => chunk.lastSeq < neededSeq).map((chunk) => chunk.id);
  let tail = items;
  let nextChunk = Math.max(head.nextChunk, firstFreeChunk);
  while (tail.length > CHUNK_ITEMS) {
    const part = tail.slice(0, CHUNK_ITEMS);
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) break;
    made.push([nextChunk, { items: part }]);
    chunks.push({ id: nextChunk, firstSeq: first.seq, lastSeq: last.seq });
    nextChunk += 1;
    tail = tail.slice(CHUNK_ITEMS);
  }
  return { head: { ...head, chunks, nextChunk, tail }, sealed: made, droppedChunks };
}
