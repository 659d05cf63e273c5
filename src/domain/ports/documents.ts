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

/**
 * One table of the store: lists of rows by number, which only grow at their end and are dropped from their front. Rows are
 * written with `write`. Calls reject as those of `Documents` do.
 */
export interface Rows<T> {
  /** The rows of a list from a number on, in order, at most `limit`. */
  read(list: string, from: number, limit: number): Promise<readonly (readonly [seq: number, row: T])[]>;
  /** All rows of all lists; each list's in order. For tools. */
  entries(): AsyncIterable<readonly [list: string, seq: number, row: T]>;
}

/** What becomes of one list of rows. */
export type RowsChange<N extends string = string, V = unknown> = {
  readonly table: N;
  readonly list: string;
} & (
  | {
      /** Greater than that of any row before it. */
      readonly seq: number;
      readonly row: V;
      /** Rows from this number on go: a write before this one may have failed and be there all the same. */
      readonly from: number;
    }
  | {
      /** Rows below this number go; Infinity: all. */
      readonly below: number;
    }
);

/** What becomes of one document: it has this value from now on, or it goes. */
export type Change<N extends string = string, V = unknown> = {
  readonly namespace: N;
  readonly key: string;
} & ({ readonly value: V } | { readonly deleted: true });

/**
 * Writes several documents and rows, of any namespaces and tables, all or none of them, whatever ends the process meanwhile. Where one of
 * them survives a power cut, all do. Rejects with a StoreError when nothing of it was written.
 */
export type WriteTogether<C extends Change | RowsChange = Change | RowsChange> = (
  changes: readonly C[],
) => Promise<void>;
