import type { LogList, Snapshot } from "../../domain/model.ts";
import { diff } from "../diff/diff.ts";
import { PackedRetained } from "../diff/encoded-window.ts";
import type { Look } from "../diff/gap.ts";
import { latestCredibleS } from "../diff/retained.ts";
import { factsOf, type Said } from "../diff/window-facts.ts";
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

export interface Step {
  /** What is to be written; undefined when nothing is. */
  readonly advance?: Advance;
  /** The log is known up to this answer, or what may be missing before it stands in the journal. */
  readonly whole: boolean;
}

/** One answer for one journal. `neededSeq` is the lowest sequence number that some feed still needs. */
export interface Taking {
  readonly head: JournalHead;
  readonly list: LogList;
  readonly snapshot: Snapshot;
  readonly neededSeq: number;
  readonly firstFreeChunk: number;
  readonly look: Omit<Look, "hasPlayers" | "rows" | "takenAtS">;
}

/** What a snapshot makes of a journal, without doing it; below `neededSeq` things are dropped. Pure. */
export function advance({ head, list, snapshot, neededSeq, firstFreeChunk, look }: Taking): Step {
  const facts = factsOf(snapshot, list, head.lineage);
  if (facts === undefined) return { whole: false };
  const hasPlayers = snapshot.status.currentPlayers > 0;
  const rows = snapshot.lists[list]?.length ?? 0;
  const takenAtS = Math.floor(snapshot.takenAtMs / 1_000);
  const result = diff(head.retained?.unpacked(), facts, { ...look, hasPlayers, rows, takenAtS });
  if (!result.changed) return { whole: result.whole };

  const stays = new VisitDurations(credible(head.joined, look.newestS, takenAtS));
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
  const written = { ...sealed(next, tail, neededSeq, firstFreeChunk), added: added.length, grownBy };
  return { advance: written, whole: result.whole };
}

/** Without joins from the far future, which earlier versions kept: no later join of that player would count. */
function credible(joined: JournalHead["joined"], newestS: number | undefined, takenAtS: number) {
  if (newestS === undefined) return joined;
  const latestS = latestCredibleS(Math.max(newestS, takenAtS));
  return joined.filter(([, atS]) => atS <= latestS);
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
