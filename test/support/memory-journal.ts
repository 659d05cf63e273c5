import type { SourceId } from "../../src/domain/model.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import { parseJournalChunk, parseJournalHead } from "../../src/journal/journal-records.ts";
import { seededRandom } from "./clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";

export interface MemoryJournalParts {
  readonly clock: Clock;
  readonly random?: Random;
  /** What outlives the process. */
  readonly texts?: Map<string, string>;
  /** @default one journal a server */
  followedOf?(source: SourceId): readonly SourceId[];
}

/** A journal of every server, in memory. */
export function memoryJournal({
  clock,
  random = seededRandom(5),
  texts = new Map(),
  followedOf = (source) => [source],
}: MemoryJournalParts): JournalWing {
  const journal = createJournal({
    heads: new MemoryDocuments(parseJournalHead, texts),
    chunks: new MemoryDocuments(parseJournalChunk, texts),
    followedOf,
    clock,
    random,
    warn(message, error) {
      throw new Error(message, { cause: error });
    },
  });
  journal.trimFromNow();
  return journal;
}
