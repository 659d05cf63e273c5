import { z } from "zod";
import type { LogList } from "../domain/model.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { PackedRetained } from "./compare/encoded-window.ts";
import type { StoredStreak } from "./kill-streaks.ts";

/** Sealed items in a document of their own; the head names them. Ids are never used twice within a journal. */
export interface ChunkRef {
  readonly id: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/**
 * A journal as it is stored: all of it but the sealed chunks, in one document, so that one write per poll is the
 * commit point of a poll (counts, sequence and new entries together).
 */
export interface JournalHead {
  /** Random. Salts the identities, and tells whether two sources have the same journal after a key was replaced. */
  readonly lineage: string;
  /** Absent until the first window: that one is the baseline. */
  readonly retained?: PackedRetained;
  readonly nextSeq: number;
  readonly chunks: readonly ChunkRef[];
  readonly nextChunk: number;
  /** Items after the last chunk. */
  readonly tail: readonly JournalItem[];
  /** The longest that a log of this kind had been seen on any server when this was written: it drops rows beyond that. */
  readonly fullest?: number;
  /** By follower: the first number that it has not dealt with, as far as that was known when this was written. */
  readonly marks?: Readonly<Record<string, number>>;
  /** joinLogs only: who joined when, for "how long they stayed". */
  readonly joined: readonly (readonly [who: string, atS: number])[];
  /** killLogs only: who is killing one after the other. */
  readonly streaks?: readonly StoredStreak[];
}

export interface JournalChunk {
  readonly items: readonly JournalItem[];
}

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

const item = z.discriminatedUnion("kind", [
  z.object({
    seq: count,
    kind: z.literal("entry"),
    entry,
    ordinal: count.exactOptional(),
    stayedS: z.number().exactOptional(),
    streak: z.object({ nth: count, withinS: z.number() }).exactOptional(),
    seenAtMs: z.number(),
  }),
  z.object({
    seq: count,
    kind: z.literal("answer"),
    entry: modCall.extend({ moderator: person }),
    seenAtMs: z.number(),
  }),
  z.object({
    seq: count,
    kind: z.literal("gap"),
    fromS: z.number().exactOptional(),
    toS: z.number(),
    seenAtMs: z.number(),
  }),
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

const head = z.object({
  lineage: z.string().min(1),
  retained: retained.exactOptional(),
  nextSeq: count,
  chunks: z.array(z.object({ id: count, firstSeq: count, lastSeq: count })),
  nextChunk: count,
  tail: z.array(item),
  fullest: count.exactOptional(),
  marks: z.record(z.string(), count).exactOptional(),
  joined: z.array(z.tuple([z.string(), z.number()])),
  streaks: z.array(z.tuple([z.string(), z.number(), z.number(), count])).exactOptional(),
});

const chunk = z.object({ items: z.array(item) });

/** For `Documents<JournalHead>`: throws on any other shape. */
export function parseJournalHead(value: unknown): JournalHead {
  return head.parse(value);
}

/** For `Documents<JournalChunk>`: throws on any other shape. */
export function parseJournalChunk(value: unknown): JournalChunk {
  return chunk.parse(value);
}

/** The key of a head. A source is hex, so the colon cannot be part of it. */
export function headKey(source: string, list: LogList): string {
  return `${source}:${list}`;
}

export function chunkKey(head: string, id: number): string {
  return `${head}:${id}`;
}
