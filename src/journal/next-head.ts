import type { LogList, Snapshot } from "../domain/model.ts";
import type { EntryItem, JournalItem } from "../domain/ports/journal.ts";
import { diff } from "./compare/diff.ts";
import { PackedRetained } from "./compare/encoded-window.ts";
import type { Look } from "./compare/gap.ts";
import { latestCredibleS } from "./compare/retained.ts";
import { factsOf, type Said } from "./compare/window-facts.ts";
import type { JournalChunk, JournalHead } from "./journal-records.ts";
import { KillStreaks } from "./kill-streaks.ts";
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

/** What it knew is void, because nobody looked for long: its next window is a baseline. What waits to be read stays. */
export function withoutRetained({ retained: _, streaks: __, ...head }: JournalHead): JournalHead {
  return { ...head, joined: [] };
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
export function nextHead({ head, list, snapshot, neededSeq, firstFreeChunk, look }: Taking): Step {
  const facts = factsOf(snapshot, list, head.lineage);
  if (facts === undefined) return { whole: false };
  const hasPlayers = snapshot.status.currentPlayers > 0;
  const rows = snapshot.lists[list]?.length ?? 0;
  const takenAtS = Math.floor(snapshot.takenAtMs / 1_000);
  const result = diff(head.retained?.unpacked(), facts, { ...look, hasPlayers, rows, takenAtS });
  if (!result.changed) return { whole: result.whole };

  const stays = new VisitDurations(credible(head.joined, look.newestS, takenAtS));
  const streaks = new KillStreaks(head.streaks);
  const added: JournalItem[] = [];
  const seenAtMs = snapshot.takenAtMs;
  if (result.gap !== undefined) {
    stays.forget();
    streaks.forget();
    added.push({ seq: head.nextSeq, kind: "gap", ...result.gap, seenAtMs });
  }
  const past = { stays, streaks };
  for (const [at, said] of result.fresh.entries()) {
    const ordinal = result.ordinals[at] ?? 0;
    added.push(itemOf(said, { ordinal, seq: head.nextSeq + added.length, seenAtMs }, past));
  }
  if (head.retained === undefined) for (const fact of facts) note(fact.value, past);

  const nextSeq = head.nextSeq + added.length;
  const tail = [...head.tail.filter((item) => item.seq >= neededSeq), ...added];
  const retained = PackedRetained.of(result.next);
  const fullest = look.fullest > 0 ? { fullest: look.fullest } : {};
  const killing = streaks.entries();
  const { streaks: _, ...rest } = head;
  const next = {
    ...rest,
    retained,
    nextSeq,
    ...fullest,
    joined: stays.entries(),
    ...(killing.length === 0 ? {} : { streaks: killing }),
  };
  const grownBy = result.gap === undefined ? result.fresh.filter(({ kind }) => kind === "entry").length : 0;
  const written = { ...sealed(next, tail, { neededSeq, firstFreeChunk }), added: added.length, grownBy };
  return { advance: written, whole: result.whole };
}

/** Without joins from the far future, which earlier versions kept: no later join of that player would count. */
function credible(joined: JournalHead["joined"], newestS: number | undefined, takenAtS: number) {
  if (newestS === undefined) return joined;
  const latestS = latestCredibleS(Math.max(newestS, takenAtS));
  return joined.filter(([, atS]) => atS <= latestS);
}

/** What came before an entry, as far as it says something of it. */
interface Past {
  readonly stays: VisitDurations;
  readonly streaks: KillStreaks;
}

function itemOf(
  said: Said,
  { seq, seenAtMs, ordinal }: Required<Pick<EntryItem, "seq" | "seenAtMs" | "ordinal">>,
  past: Past,
): JournalItem {
  if (said.kind === "answer") return { seq, kind: "answer", entry: said.entry, seenAtMs };
  const place = ordinal === 0 ? {} : { ordinal };
  return { seq, kind: "entry", entry: said.entry, ...place, seenAtMs, ...note(said, past) };
}

function note({ entry }: Said, { stays, streaks }: Past): Pick<EntryItem, "stayedS" | "streak"> {
  if (entry.kind === "kill") {
    const streak = streaks.note(entry);
    return streak === undefined ? {} : { streak };
  }
  const stayedS = entry.kind === "join" ? stays.note(entry) : undefined;
  return stayedS === undefined ? {} : { stayedS };
}

function sealed(
  head: JournalHead,
  items: readonly JournalItem[],
  { neededSeq, firstFreeChunk }: Pick<Taking, "neededSeq" | "firstFreeChunk">,
) {
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
