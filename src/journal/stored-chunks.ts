import type { Documents } from "../domain/ports/documents.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { type ChunkRef, chunkKey, type JournalChunk, type JournalHead } from "./journal-records.ts";
import type { Open } from "./open-journal.ts";

export interface StoredChunksParts {
  readonly chunks: Documents<JournalChunk>;
  warn(message: string, error: unknown): void;
}

/** The sealed chunks of journals in the store. */
export class StoredChunks {
  readonly #parts: StoredChunksParts;
  /** Not in the store any more, and logged. */
  readonly #lost = new WeakSet<ChunkRef>();

  constructor(parts: StoredChunksParts) {
    this.#parts = parts;
  }

  async write(open: Open, sealed: readonly (readonly [id: number, chunk: JournalChunk])[]): Promise<void> {
    for (const [id, chunk] of sealed) await this.#parts.chunks.set(chunkKey(open.key, id), chunk);
  }

  /**
   * Undefined where the store has lost it, as a Redis that restarts under a running bot may: what was written just
   * before is gone, and a chunk is written once. Its entries become a gap.
   */
  async read(open: Open, ref: ChunkRef): Promise<readonly JournalItem[] | undefined> {
    const chunk = await this.#parts.chunks.get(chunkKey(open.key, ref.id));
    if (chunk === undefined && open.head?.chunks.includes(ref) && !this.#lost.has(ref)) {
      this.#lost.add(ref);
      const what = new Error(`chunk ${ref.id} of journal ${open.list} is not in the store`);
      this.#parts.warn("entries that waited to be posted are lost; their channels are told", what);
    }
    return chunk?.items;
  }

  /** The chunks of a head, for another journal that goes on with them. Rejects when the store fails. */
  async copy(from: Open, head: JournalHead, to: Open): Promise<void> {
    for (const ref of head.chunks) {
      const items = await this.read(from, ref);
      if (items !== undefined) await this.#parts.chunks.set(chunkKey(to.key, ref.id), { items });
    }
  }

  /** All that a head names. Rejects when the store fails. */
  async delete(open: Open, head: JournalHead): Promise<void> {
    for (const ref of head.chunks) await this.#parts.chunks.delete(chunkKey(open.key, ref.id));
  }

  /** What cannot be deleted now waits for the next poll: the entries themselves are safe, so nothing has failed. */
  async sweep(open: Open): Promise<void> {
    for (const id of open.garbage) {
      try {
        await this.#parts.chunks.delete(chunkKey(open.key, id));
      } catch {
        return;
      }
      open.garbage = open.garbage.filter((other) => other !== id);
    }
  }
}
