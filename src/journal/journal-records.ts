import { z } from "zod";
import { CHANGES, type ChangeKind, type JournalList } from "../domain/changes.ts";
import type { Change, RowsChange } from "../domain/ports/documents.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { PackedRetained } from "./compare/encoded-window.ts";
import { emergencyCall, type StateRow } from "./compare/states.ts";
import type { StoredStreak } from "./visits-and-streaks.ts";

/** What a journal knows of its log, derived from all of its items so far: the next answer is compared with it. */
export interface JournalState {
  /** Random. Salts the identities, and tells whether two sources have the same journal after a key was replaced. */
  readonly lineage: string;
  /** Absent until the first window: that one is the baseline. */
  readonly retained?: PackedRetained;
  readonly nextSeq: number;
  /** The longest that a log of this kind had been seen on any server when this was written: it drops rows beyond that. */
  readonly fullest?: number;
  /** Of a state: what the last look showed, and when that was, where something of it was written. */
  readonly looked?: { readonly lookS: number; readonly rows: readonly StateRow[] };
  /** joinLogs only: who joined when, for "how long they stayed". */
  readonly joined: readonly (readonly [who: string, atS: number])[];
  /** killLogs only: who is killing one after the other. */
  readonly streaks?: readonly StoredStreak[];
}

/** A journal in memory. */
export interface JournalHead extends JournalState {
  /** The newest items, as far as somebody needs them. */
  readonly tail: readonly JournalItem[];
  /** From this number on all items are in `tail`; those before it are read from the store. */
  readonly tailFrom: number;
}

/** By follower: the first number that it has not dealt with. */
export type Marks = Readonly<Record<string, number>>;

/**
 * A journal as it was at some number. It is written anew after some dozens of items; what came since stands in the rows from
 * `nextSeq` on, and is derived from them.
 */
export interface StoredHead extends JournalState {
  /** As far as they were known when this was written; later rows know better. */
  readonly marks?: Marks | undefined;
  /** The release before kept the items themselves here and in documents of their own. */
  readonly chunks?: readonly ChunkRef[];
  readonly tail?: readonly JournalItem[];
}

/** Items in a document of their own, as the release before kept them. */
interface ChunkRef {
  readonly id: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface JournalChunk {
  readonly items: readonly JournalItem[];
}

type Unnumbered<T> = T extends unknown ? Omit<T, "seq" | "seenAtMs"> : never;

/** What of a journal's state cannot be derived from the items of an answer. */
export interface RowState {
  readonly longest: number;
  readonly calm: number;
  readonly reachedS?: number | undefined;
  readonly fullest?: number | undefined;
}

/** Items of one answer, in order; the last has the number of the row. */
export interface JournalRow {
  readonly items: readonly Unnumbered<JournalItem>[];
  readonly seenAtMs: number;
  /** The first number that it speaks of, where that is not its first item's: numbers were left out. */
  readonly from?: number;
  /** Absent where the head that was written with it knows. */
  readonly state?: RowState;
  readonly marks?: Marks;
}

/** What is written of journals, together. */
export type JournalChange =
  | Change<"journal-heads", StoredHead>
  | Change<"journal-chunks", JournalChunk>
  | RowsChange<"journal-rows", JournalRow>;

const count = z.number().int().nonnegative();
const person = z.object({ name: z.string(), id: z.number().exactOptional() });

const modCall = z.object({
  kind: z.literal("modCall"),
  atS: z.number(),
  caller: person,
  moderator: person.exactOptional(),
});

const entry = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("join"), atS: z.number(), player: person, joined: z.boolean() }),
  z.object({ kind: z.literal("kill"), atS: z.number(), killer: person, killed: person }),
  z.object({ kind: z.literal("command"), atS: z.number(), player: person, text: z.string() }),
  modCall,
]);

const changeEntry = z.object({
  kind: z.literal("change"),
  what: z.enum(Object.keys(CHANGES) as [ChangeKind, ...ChangeKind[]]),
  atS: z.number(),
  fromS: z.number(),
  player: person,
  values: z.array(z.string()),
});

const callEntry = z.object({
  kind: z.literal("call"),
  step: z.enum(["began", "changed", "ended"]),
  atS: z.number(),
  fromS: z.number(),
  call: emergencyCall,
  people: z.array(person),
});

const entryItem = z.object({
  kind: z.literal("entry"),
  entry,
  ordinal: count.exactOptional(),
  stayedS: z.number().exactOptional(),
  streak: z.object({ nth: count, withinS: z.number() }).exactOptional(),
});
const answerItem = z.object({ kind: z.literal("answer"), entry: modCall.extend({ moderator: person }) });
const gapItem = z.object({
  kind: z.literal("gap"),
  fromS: z.number().exactOptional(),
  toS: z.number(),
  isOfStart: z.boolean().exactOptional(),
  isRestart: z.literal(true).exactOptional(),
});
const changeItem = z.object({ kind: z.literal("change"), entry: changeEntry });
const callItem = z.object({ kind: z.literal("call"), entry: callEntry });

const numbered = { seq: count, seenAtMs: z.number() };
const item = z.discriminatedUnion("kind", [
  entryItem.extend(numbered),
  answerItem.extend(numbered),
  gapItem.extend(numbered),
  changeItem.extend(numbered),
  callItem.extend(numbered),
]);

const retained = z
  .object({
    floorS: z.number().exactOptional(),
    longest: count,
    calm: count,
    reachedS: z.number().exactOptional(),
    rows: z.base64(),
  })
  .transform((stored) => PackedRetained.stored(stored));

const marks = z.record(z.string(), count);

const head = z.object({
  lineage: z.string().min(1),
  retained: retained.exactOptional(),
  nextSeq: count,
  fullest: count.exactOptional(),
  marks: marks.exactOptional(),
  looked: z
    .object({
      lookS: z.number(),
      rows: z.array(z.object({ key: z.string(), same: z.string(), told: z.string() })),
    })
    .exactOptional(),
  joined: z.array(z.tuple([z.string(), z.number()])),
  streaks: z.array(z.tuple([z.string(), z.number(), z.number(), count])).exactOptional(),
  chunks: z.array(z.object({ id: count, firstSeq: count, lastSeq: count })).exactOptional(),
  tail: z.array(item).exactOptional(),
});

const chunk = z.object({ items: z.array(item) });

const row = z.object({
  items: z.array(z.discriminatedUnion("kind", [entryItem, answerItem, gapItem, changeItem, callItem])),
  seenAtMs: z.number(),
  from: count.exactOptional(),
  state: z
    .object({
      longest: count,
      calm: count,
      reachedS: z.number().exactOptional(),
      fullest: count.exactOptional(),
    })
    .exactOptional(),
  marks: marks.exactOptional(),
});

/** For `Documents<StoredHead>`: throws on any other shape. */
export function parseJournalHead(value: unknown): StoredHead {
  return head.parse(value);
}

/** For `Documents<JournalChunk>`: throws on any other shape. */
export function parseJournalChunk(value: unknown): JournalChunk {
  return chunk.parse(value);
}

/** For `Rows<JournalRow>`: throws on any other shape. */
export function parseJournalRow(value: unknown): JournalRow {
  return row.parse(value);
}

/** The items of a row that has this number. */
export function itemsOf(seq: number, { items, seenAtMs }: JournalRow): readonly JournalItem[] {
  const firstSeq = seq - items.length + 1;
  return items.map((one, at) => ({ ...one, seq: firstSeq + at, seenAtMs }));
}

/** The key of a head, and the list of its rows. A source is hex, so the colon cannot be part of it. */
export function headKey(source: string, list: JournalList): string {
  return `${source}:${list}`;
}

export function chunkKey(head: string, id: number): string {
  return `${head}:${id}`;
}
