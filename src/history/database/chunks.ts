/** Rows of one statement: databases bound the number of values. */
const ROWS_AT_ONCE = 100;

/** Rows in parts of which each fits into one statement. */
export function chunks<T>(rows: readonly T[]): readonly T[][] {
  const count = Math.ceil(rows.length / ROWS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_AT_ONCE, (at + 1) * ROWS_AT_ONCE));
}
