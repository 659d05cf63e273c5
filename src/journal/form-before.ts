import type { Documents } from "../domain/ports/documents.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { chunkKey, type JournalChunk, type JournalState, type StoredHead } from "./journal-records.ts";

/** A journal of the release before, which kept its items in its head and in chunks. */
export interface FormBefore {
  readonly state: JournalState;
  /** All that is left of it, in order; numbers are missing where the store has lost a chunk. */
  readonly items: readonly JournalItem[];
  /** What its head named. */
  readonly chunkKeys: readonly string[];
}

/** Reads one. Rejects when the store fails. */
export async function itemsBefore(
  key: string,
  { chunks: refs = [], tail = [], marks: _, ...state }: StoredHead,
  chunks: Pick<Documents<JournalChunk>, "get">,
): Promise<FormBefore> {
  const items: JournalItem[] = [];
  for (const { id } of refs) items.push(...((await chunks.get(chunkKey(key, id)))?.items ?? []));
  return { state, items: [...items, ...tail], chunkKeys: refs.map(({ id }) => chunkKey(key, id)) };
}
