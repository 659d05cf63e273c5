import type { LogEntry } from "../../domain/model.ts";
import type { LogRows } from "./recorded-answer.ts";

/**
 * The rows of a window that the one before did not have. They are compared by reference: a row whose text was in the
 * answer before is the same object, and one that is not costs a second look in the database, no more. Of each second
 * with a new row all rows come along, so that equal ones can be counted. Pure.
 */
export function freshRows<T extends LogEntry>(
  window: readonly T[],
  before: readonly T[] | undefined,
): LogRows<T> | undefined {
  if (window.length === 0) return undefined;
  const known = new Map<T, number>();
  for (const row of before ?? []) known.set(row, (known.get(row) ?? 0) + 1);

  const seconds = new Set<number>();
  let isUnshared = true;
  let oldestS = Number.POSITIVE_INFINITY;
  let newestS = Number.NEGATIVE_INFINITY;
  for (const row of window) {
    oldestS = Math.min(oldestS, row.atS);
    newestS = Math.max(newestS, row.atS);
    const left = known.get(row) ?? 0;
    if (left === 0) seconds.add(row.atS);
    else isUnshared = false;
    known.set(row, left - 1);
  }

  if (seconds.size === 0) return undefined;
  const rows = window.filter(({ atS }) => seconds.has(atS));
  return { rows, isUnshared, oldestS, newestS, length: window.length };
}
