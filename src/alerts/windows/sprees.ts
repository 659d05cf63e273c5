/**
 * Sliding windows: a number of rows within a time, by subject. A spree begins with the row that completes the number, takes
 * in those that stood in the window with it, and goes on until none has come for as long as the window. Rows may come
 * late and out of turn, each once. Pure but for the state that it is given.
 */

export interface SpreeLimit {
  readonly count: number;
  readonly withinS: number;
}

export interface Dated {
  readonly atS: number;
}

/** What is going on about one subject. */
export interface Spree<Row extends Dated> {
  /** Rows that may still become one, by their second. */
  rows: Row[];
  /** The one that goes on; over, when the next row comes later than `lastS` and the window. */
  open?: { readonly firedAtS: number; lastS: number };
}

export type Step<Row> =
  | { readonly kind: "none" }
  /** `rows`: of the new spree, oldest first. */
  | { readonly kind: "began"; readonly firedAtS: number; readonly rows: readonly Row[] }
  | { readonly kind: "more"; readonly firedAtS: number; readonly row: Row };

const NONE = { kind: "none" } as const;
/** How long late rows are waited for. */
export const LATE_S = 60;

/** Takes one more row of a subject. */
export function takeRow<Row extends Dated>(spree: Spree<Row>, row: Row, limit: SpreeLimit): Step<Row> {
  const { open } = spree;
  const { atS } = row;
  if (open !== undefined && atS <= open.lastS + limit.withinS && atS >= open.firedAtS - limit.withinS) {
    open.lastS = Math.max(open.lastS, atS);
    return { kind: "more", firedAtS: open.firedAtS, row };
  }
  if (open !== undefined && atS > open.lastS) delete spree.open;
  const at = insert(spree.rows, row);
  const start = fullWindow(spree.rows, at, limit);
  if (start === undefined) {
    dropOld(spree, limit);
    return NONE;
  }
  return begin(spree, start, limit);
}

function begin<Row extends Dated>(spree: Spree<Row>, start: number, limit: SpreeLimit): Step<Row> {
  const { rows } = spree;
  const firedAtS = rows[start + limit.count - 1]?.atS ?? 0;
  let end = start + limit.count;
  let lastS = firedAtS;
  for (; end < rows.length; end += 1) {
    const atS = rows[end]?.atS ?? 0;
    if (atS - lastS > limit.withinS) break;
    lastS = atS;
  }
  const told = rows.splice(start, end - start);
  // Where a late row made it, others stand behind it already: then it is over.
  if (spree.open === undefined && start === rows.length) spree.open = { firedAtS, lastS };
  dropOld(spree, limit);
  return { kind: "began", firedAtS, rows: told };
}

function dropOld<Row extends Dated>(spree: Spree<Row>, { withinS }: SpreeLimit): void {
  const { rows } = spree;
  const newestS = newestOf(spree);
  const kept = rows.findIndex(({ atS }) => atS >= newestS - withinS - LATE_S);
  if (kept !== 0) rows.splice(0, kept === -1 ? rows.length : kept);
}

/** Whether nothing that may still come could belong to it. */
export function isOver<Row extends Dated>(
  spree: Spree<Row>,
  { withinS }: SpreeLimit,
  floorS: number,
): boolean {
  return newestOf(spree) + withinS < floorS;
}

/** Whether it is of a time to come, by a clock that was ahead: what happens now would be too old for it. */
export function isAhead<Row extends Dated>(spree: Spree<Row>, latestS: number): boolean {
  return newestOf(spree) > latestS;
}

function newestOf<Row extends Dated>({ rows, open }: Spree<Row>): number {
  return Math.max(open?.lastS ?? 0, rows.at(-1)?.atS ?? 0);
}

/** Puts the row behind those of its second; answers its place. */
function insert<Row extends Dated>(rows: Row[], row: Row): number {
  let at = rows.length;
  while (at > 0 && (rows[at - 1]?.atS ?? 0) > row.atS) at -= 1;
  if (at === rows.length) rows.push(row);
  else rows.splice(at, 0, row);
  return at;
}

/** The first of the full windows that hold the row at that place. */
function fullWindow<Row extends Dated>(
  rows: readonly Row[],
  at: number,
  limit: SpreeLimit,
): number | undefined {
  for (let start = Math.max(0, at - limit.count + 1); start <= at; start += 1) {
    const [first, last] = [rows[start], rows[start + limit.count - 1]];
    if (first === undefined || last === undefined) return undefined;
    if (last.atS - first.atS <= limit.withinS) return start;
  }
  return undefined;
}
