import type { Lists, Snapshot } from "../../domain/model.ts";
import { PackedRows } from "../../domain/packed-rows.ts";

/** An answer that is to be stored. */
export interface WaitingAnswer extends Pick<Snapshot, "source" | "takenAtMs"> {
  /** When it was answered, by the service's clock. */
  readonly atS: number;
  attempts: number;
  /** What the history reads of it. */
  look(): Snapshot;
}

export function waiting(snapshot: Snapshot, atS: number): WaitingAnswer {
  const { source, takenAtMs } = snapshot;
  return { source, takenAtMs, atS, attempts: 0, look: () => snapshot };
}

/**
 * The same for one that waits for others. Its rows are packed: of thousands of servers some hundred answers wait for
 * seconds, which is longer than young objects live. V8 kept each as an old object, 7 MB a second, and marked the whole heap
 * for it every few seconds.
 */
export function waitingPacked(snapshot: Snapshot, atS: number): WaitingAnswer {
  const { source, takenAtMs } = snapshot;
  const { lists, ...bare } = snapshot;
  const packed = PackedRows.of({ atMs: takenAtMs, value: listsRead(lists) });
  return { source, takenAtMs, atS, attempts: 0, look: () => ({ ...bare, lists: packed.value }) };
}

/** Not staff, whose maps do not pack, and not vehicles: the history reads neither. */
function listsRead({ staff, vehicles, ...read }: Partial<Lists>): Partial<Lists> {
  return read;
}
