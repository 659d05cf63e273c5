import type { SourceId } from "../../src/domain/model.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import {
  type JournalChange,
  type JournalChunk,
  type JournalRow,
  parseJournalChunk,
  parseJournalHead,
  parseJournalRow,
  type StoredHead,
} from "../../src/journal/journal-records.ts";
import { seededRandom } from "./clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { MemoryRows, RowTexts } from "./memory-rows.ts";

/** Texts of what is stored of journals; they outlive a process. */
export interface JournalTexts {
  readonly heads: Map<string, string>;
  readonly chunks: Map<string, string>;
  readonly rows: RowTexts;
}

export function journalTexts(): JournalTexts {
  return { heads: new Map(), chunks: new Map(), rows: new RowTexts() };
}

/** The store of journals, in memory. `heads.failure` and `heads.refuseWrites` hold for all that is written together. */
export class MemoryJournalStore {
  readonly heads: MemoryDocuments<StoredHead>;
  readonly chunks: MemoryDocuments<JournalChunk>;
  readonly rows: MemoryRows<JournalRow>;
  /** Writes of several changes. */
  writes = 0;
  /** Set to make every write of several reject though it is done, as where the answer is lost, until it is unset. */
  lostAnswer: Error | undefined;

  onWrite: (changes: readonly JournalChange[]) => void = () => undefined;

  constructor(texts = journalTexts()) {
    this.heads = new MemoryDocuments(parseJournalHead, texts.heads);
    this.chunks = new MemoryDocuments(parseJournalChunk, texts.chunks);
    this.rows = new MemoryRows(parseJournalRow, texts.rows);
  }

  readonly write = async (changes: readonly JournalChange[]): Promise<void> => {
    await this.heads.beforeWrite();
    this.writes += 1;
    this.onWrite(changes);
    for (const change of changes) {
      if ("table" in change) this.rows.apply(change);
      else if (change.namespace === "journal-heads")
        this.heads.put(change.key, "value" in change ? change.value : undefined);
      else this.chunks.put(change.key, "value" in change ? change.value : undefined);
    }
    if (this.lostAnswer !== undefined) throw this.lostAnswer;
  };
}

export interface MemoryJournalParts {
  readonly clock: Clock;
  readonly random?: Random;
  /** What outlives the process. */
  readonly texts?: JournalTexts;
  /** @default one over `texts` */
  readonly store?: MemoryJournalStore;
  /** @default throws */
  warn?(message: string, error: unknown): void;
  /** @default one journal a server */
  followedOf?(source: SourceId): readonly SourceId[];
}

/** A journal of every server, in memory. */
export function memoryJournal({
  clock,
  random = seededRandom(5),
  texts,
  store = new MemoryJournalStore(texts),
  followedOf = (source) => [source],
  warn = (message, error) => {
    throw new Error(message, { cause: error });
  },
}: MemoryJournalParts): JournalWing {
  const { heads, chunks, rows, write } = store;
  const journal = createJournal({
    heads,
    chunks,
    rows,
    write,
    followedOf,
    clock,
    random,
    warn,
  });
  journal.trimFromNow();
  return journal;
}
