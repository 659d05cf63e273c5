import type { LogList, Snapshot } from "../domain/model.ts";
import type { EntryItem, JournalItem } from "../domain/ports/journal.ts";
import { diff } from "./compare/diff.ts";
import { PackedRetained } from "./compare/encoded-window.ts";
import type { Look } from "./compare/gap.ts";
import { Identities } from "./compare/identity.ts";
import { evicted, latestCredibleS, merged } from "./compare/retained.ts";
import { factOf, factsOf, type Said } from "./compare/window-facts.ts";
import { itemsOf, type JournalHead, type JournalRow } from "./journal-records.ts";
import { KillStreaks, VisitDurations } from "./visits-and-streaks.ts";

/** Items that are held in memory. */
const MOST_IN_MEMORY = 256;

export interface Advance {
  readonly head: JournalHead;
  readonly added: readonly JournalItem[];
  /** `replayed` makes the same of the added items: the head need not be written with them. */
  readonly isPlain: boolean;
  /** Rows that came to those which were known: none where nothing was known or there is a gap. */
  readonly grownBy: number;
}

/** A journal that nothing has been written into. */
export function emptyHead(lineage: string, nextSeq: number): JournalHead {
  return { lineage, nextSeq, tail: [], tailFrom: nextSeq, joined: [] };
}

/** What it knew is void, because nobody looked for long: its next window is a baseline. What waits to be read stays. */
export function withoutRetained({
  retained: _,
  streaks: __,
  looked: ___,
  ...head
}: JournalHead): JournalHead {
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
  readonly look: Omit<Look, "hasPlayers" | "rows" | "takenAtS" | "presentS">;
}

/** What a snapshot makes of a journal, without doing it; below `neededSeq` items leave the memory. Pure. */
export function nextHead({ head, list, snapshot, neededSeq, look }: Taking): Step {
  const facts = factsOf(snapshot, list, head.lineage);
  if (facts === undefined) return { whole: false };
  const hasPlayers = snapshot.status.currentPlayers > 0;
  const rows = snapshot.lists[list]?.length ?? 0;
  const takenAtS = Math.floor(snapshot.takenAtMs / 1_000);
  const { serviceAtMs } = snapshot;
  const presentS = serviceAtMs === undefined ? undefined : Math.floor(serviceAtMs / 1_000);
  const result = diff(head.retained?.unpacked(), facts, { ...look, hasPlayers, rows, takenAtS, presentS });
  if (!result.changed) return { whole: result.whole };

  const joined = credible(head.joined, look.newestS, takenAtS);
  const stays = new VisitDurations(joined);
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

  const fullest = look.fullest > 0 ? { fullest: look.fullest } : {};
  const next = { ...withPast(head, past), retained: PackedRetained.of(result.next), ...fullest };
  const isKnown = head.retained !== undefined && result.gap === undefined;
  const advance = {
    head: remembered(next, added, neededSeq),
    added,
    isPlain: isKnown && added.length > 0 && !result.mended && joined.length === head.joined.length,
    grownBy: isKnown ? result.fresh.filter(({ kind }) => kind === "entry").length : 0,
  };
  return { advance, whole: result.whole };
}

/** What a stored row makes of the journal before it: the same as the answer that brought it. Pure. */
export function replayed(head: JournalHead, seq: number, row: JournalRow): JournalHead {
  const items = itemsOf(seq, row).filter((item) => item.seq >= head.nextSeq);
  const past = { stays: new VisitDurations(head.joined), streaks: new KillStreaks(head.streaks) };
  const identities = new Identities(head.lineage);
  const facts = items.flatMap((item) => factOf(item, identities) ?? []);
  for (const { value } of facts) if (value.kind === "entry") note(value, past);
  const known = head.retained?.unpacked();
  const { longest = known?.longest ?? 0, calm = known?.calm ?? 0, reachedS, fullest } = row.state ?? {};
  const next = { ...withPast(head, past), ...(fullest === undefined ? {} : { fullest }) };
  const retained =
    known === undefined
      ? {}
      : { retained: PackedRetained.of({ ...evicted(merged(known, facts), longest), calm, reachedS }) };
  return remembered({ ...next, ...retained, nextSeq: seq + 1 }, items, 0);
}

/** With the newest of the items as far as they are needed; what leaves the memory is read from the store. */
export function remembered(head: JournalHead, added: readonly JournalItem[], neededSeq: number): JournalHead {
  const nextSeq = (added.at(-1)?.seq ?? head.nextSeq - 1) + 1;
  const { tail, tailFrom } = trimmed({ ...head, nextSeq, tail: [...head.tail, ...added] }, neededSeq);
  const newest = tail.slice(-MOST_IN_MEMORY);
  const from = newest.length < tail.length ? (newest[0]?.seq ?? nextSeq) : tailFrom;
  return { ...head, nextSeq, tail: newest, tailFrom: from };
}

/** Lets go from memory what nobody needs. */
export function trimmed(head: JournalHead, neededSeq: number): JournalHead {
  const first = head.tail[0];
  if (first === undefined || first.seq >= neededSeq) return head;
  const tail = head.tail.filter((item) => item.seq >= neededSeq);
  return { ...head, tail, tailFrom: Math.min(neededSeq, head.nextSeq) };
}

function withPast(head: JournalHead, { stays, streaks }: Past): JournalHead {
  const { streaks: _, ...rest } = head;
  const killing = streaks.entries();
  return { ...rest, joined: stays.entries(), ...(killing.length === 0 ? {} : { streaks: killing }) };
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
