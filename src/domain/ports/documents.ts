/**
 * One namespace of the store. Values are checked with zod on reading; a value of an unreadable shape is a defect.
 * Calls reject when the store fails; they never answer as if nothing were there.
 */
export interface Documents<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): AsyncIterable<readonly [key: string, value: T]>;
}

/** What becomes of one document: it has this value from now on, or it goes. */
export type Change<N extends string = string, V = unknown> = {
  readonly namespace: N;
  readonly key: string;
} & ({ readonly value: V } | { readonly deleted: true });

/**
 * Writes several documents, of any namespaces, all or none of them, whatever ends the process meanwhile. Where one of
 * them survives a power cut, all do. Rejects with a StoreError when nothing of it was written.
 */
export type WriteTogether<C extends Change = Change> = (changes: readonly C[]) => Promise<void>;
