import type { Durability, RowsTextChange, TextChange, Turn } from "../keyv-documents.ts";

/** What a store file is asked: plain data, so that it crosses to a thread. */
export type FileRequest =
  | {
      readonly kind: "read";
      readonly namespace: string;
      readonly keys: readonly string[];
      readonly nowMs: number;
    }
  /** Rows of a namespace after a key, in order; fewer than `PAGE_ROWS` at its end. */
  | { readonly kind: "page"; readonly namespace: string; readonly after: string; readonly nowMs: number }
  | { readonly kind: "namespaces" }
  /** Rows of one list from a number on, in order. */
  | {
      readonly kind: "rows";
      readonly table: string;
      readonly list: string;
      readonly from: number;
      readonly limit: number;
    }
  /** Rows of a table after one of them, list by list; fewer than `PAGE_ROWS` at its end. */
  | {
      readonly kind: "rows-page";
      readonly table: string;
      readonly after: readonly [list: string, seq: number];
    }
  | { readonly kind: "tables" }
  /** Whether the file can be written, and is still the one that was opened. */
  | { readonly kind: "probe" }
  | FileWrite;

/** All or none of these changes. */
export interface FileWrite {
  readonly kind: "write";
  readonly changes: readonly (RowChange | RowsTextChange)[];
  readonly durability: Durability;
  readonly turn: Turn;
}

export interface RowChange extends TextChange {
  /** Epoch milliseconds. @default never */
  readonly expires?: number | undefined;
}

/** What is answered to each kind of request. */
export interface FileAnswers {
  /** A text for each key. */
  readonly read: readonly (string | undefined)[];
  readonly page: readonly (readonly [key: string, text: string])[];
  readonly namespaces: readonly string[];
  readonly rows: readonly (readonly [seq: number, text: string])[];
  readonly "rows-page": readonly (readonly [list: string, seq: number, text: string])[];
  readonly tables: readonly string[];
  readonly probe: undefined;
  /** For each change whether it changed anything. */
  readonly write: readonly boolean[];
}

export type FileAnswer<R extends FileRequest = FileRequest> = FileAnswers[R["kind"]];

/** Rows that are read at once while a namespace is listed. */
export const PAGE_ROWS = 200;

/** How a request ended. */
export type FileOutcome =
  | { readonly kind: "answer"; readonly value: FileAnswer }
  | { readonly kind: "refused"; readonly error: unknown };

/** One store file, wherever it is worked on. */
export interface StoreLine {
  /**
   * Asks; what is asked earlier is done earlier, and writes go together to the disk. Rejects with sqlite's error, or with a
   * StoreError where the line has ended or too much waits.
   */
  ask<R extends FileRequest>(request: R): Promise<FileAnswer<R>>;
  /** Does what was asked for, then closes the file. Asking rejects from now on. */
  close(): Promise<void>;
  /** Resolves with the reason, in words, when the line ends without being asked to. */
  readonly lost: Promise<string>;
}
