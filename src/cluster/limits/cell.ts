import type { SourceId } from "../../domain/model.ts";

/** What Redis shows in one step. */
export interface CellRead {
  /** By Redis's clock. */
  readonly nowMs: number;
  /** The state that the processes share; empty: none yet. */
  readonly text: string;
  /** The stored halt and when it ends by Redis's clock; `ends` as Redis wrote it. */
  readonly halt: { readonly document: unknown; readonly ends: string; readonly endsMs: number } | undefined;
  /** The record of the key that was asked for. */
  readonly rejected: unknown;
}

/** What is to be written, if nothing changed since it was read. */
export interface CellWrite {
  readonly from: CellRead;
  readonly text: string;
}

/** One state that several processes change, each change in one step. Calls reject while Redis cannot be used. */
export interface Cell {
  /** Writes if neither the state nor the halt changed, and reads what stands there then. */
  exchange(
    write: CellWrite | undefined,
    source?: SourceId,
  ): Promise<CellRead & { readonly isWritten: boolean }>;
  /** Which of these keys are not known to be bad. */
  notRejected(sources: readonly SourceId[]): Promise<readonly SourceId[]>;
  /** Removes the halt with that end, if it is still the one. */
  clearHalt(ends: string): Promise<void>;
}
