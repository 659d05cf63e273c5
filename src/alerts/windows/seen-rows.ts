/**
 * Which rows were counted already. An answer of the service shows most of the rows of the one before, sometimes an old
 * answer is served again, and two equal rows of one second are two: so rows are a multiset, and below a floor nothing is
 * new. Pure but for the state that it is given.
 */

/** A row and how often it was seen in one answer. */
interface Counted {
  readonly atS: number;
  count: number;
}

export interface SeenRows {
  /** Rows at or below this second were counted, or are none of ours. */
  floorS: number;
  readonly rows: Map<string, Counted>;
}

/** A row and what it is known by. */
export interface Identified<T> {
  readonly atS: number;
  readonly identity: string;
  readonly row: T;
}

/** More than any log shows in the time that rows may be late. */
const MOST_KEPT = 2_000;

/** Nothing was seen yet, and everything after that second is new. */
export function seenUpTo(floorS: number): SeenRows {
  return { floorS, rows: new Map() };
}

/**
 * The rows that were not seen before, oldest first; from now on they are seen. Rows are known by their identity, their
 * second and their place among equal ones.
 */
export function takeUnseen<T>(seen: SeenRows, shown: Iterable<Identified<T>>): Identified<T>[] {
  const here = new Map<string, number>();
  const fresh: Identified<T>[] = [];
  for (const one of shown) {
    if (one.atS <= seen.floorS) continue;
    const key = `${one.atS} ${one.identity}`;
    const nth = (here.get(key) ?? 0) + 1;
    here.set(key, nth);
    const known = seen.rows.get(key);
    if (known === undefined) seen.rows.set(key, { atS: one.atS, count: 1 });
    else if (nth > known.count) known.count = nth;
    else continue;
    fresh.push(one);
  }
  return fresh.sort((a, b) => a.atS - b.atS);
}

/**
 * Rows may still come that are older than the newest one by less than `lateS`; older ones are forgotten. `presentS`
 * keeps a row that is dated ahead from hiding those that follow it.
 */
export function raiseFloor(
  seen: SeenRows,
  {
    newestS,
    presentS,
    lateS,
  }: { readonly newestS: number; readonly presentS: number; readonly lateS: number },
): void {
  let floorS = Math.max(seen.floorS, Math.min(newestS, presentS) - lateS);
  if (seen.rows.size > MOST_KEPT) {
    const seconds = [...seen.rows.values()].map(({ atS }) => atS).sort((a, b) => b - a);
    floorS = Math.max(floorS, seconds[MOST_KEPT] ?? floorS);
  }
  if (floorS === seen.floorS) return;
  seen.floorS = floorS;
  for (const [key, { atS }] of seen.rows) if (atS <= floorS) seen.rows.delete(key);
}
