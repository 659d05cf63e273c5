/**
 * Which rows were counted already. An answer of the service shows most of the rows of the one before, sometimes an old
 * answer is served again, and two equal rows of one second are two: so rows are a multiset, and below a floor nothing is
 * new. Pure but for the state that it is given.
 */

export interface SeenRows {
  /** Rows at or below this second were counted, or are none of ours. */
  floorS: number;
  /** By second and identity: how often a row was seen in one answer. */
  readonly seconds: Map<number, ReadonlyMap<string, number>>;
}

/** More than any log shows in the time that rows may be late. */
const MOST_KEPT = 2_000;

/** Nothing was seen yet, and everything after that second is new. */
export function seenUpTo(floorS: number): SeenRows {
  return { floorS, seconds: new Map() };
}

/**
 * The floor after an answer: rows may still come that are older than the newest one by less than `lateS`. `presentS`
 * keeps a row that is dated ahead from hiding those that follow it.
 */
export function floorAfter(
  { floorS }: SeenRows,
  {
    newestS,
    presentS,
    lateS,
  }: { readonly newestS: number; readonly presentS: number; readonly lateS: number },
): number {
  return Math.max(floorS, Math.min(newestS, presentS) - lateS);
}

/**
 * The rows that were not seen before, oldest first; from now on they are seen. Rows are known by what `identityOf` says,
 * their second and their place among equal ones. Where there are new ones, the floor is to be raised to `floorS` next:
 * what lies below it is not noted any more.
 */
export function takeUnseen<T extends { readonly atS: number }>(
  seen: SeenRows,
  shown: readonly T[],
  { identityOf, floorS }: { readonly identityOf: (row: T) => string; readonly floorS: number },
): T[] {
  const fresh: T[] = [];
  const above = shown.filter(({ atS }) => atS > seen.floorS);
  for (const [atS, rows] of Map.groupBy(above, (row) => row.atS)) {
    const before = seen.seconds.get(atS);
    if (before === undefined && atS <= floorS) {
      fresh.push(...rows);
      continue;
    }
    const counts = new Map<string, number>();
    for (const row of rows) {
      const identity = identityOf(row);
      const nth = (counts.get(identity) ?? 0) + 1;
      counts.set(identity, nth);
      if (nth > (before?.get(identity) ?? 0)) fresh.push(row);
    }
    for (const [identity, count] of before ?? []) {
      counts.set(identity, Math.max(count, counts.get(identity) ?? 0));
    }
    seen.seconds.set(atS, counts);
  }
  return fresh.sort((a, b) => a.atS - b.atS);
}

/** Forgets what lies at or below that second; more of it where too much is remembered. */
export function raiseFloor(seen: SeenRows, toS: number): void {
  const floorS = Math.max(toS, overfullS(seen));
  if (floorS === seen.floorS) return;
  seen.floorS = floorS;
  for (const atS of seen.seconds.keys()) if (atS <= floorS) seen.seconds.delete(atS);
}

/** The newest second whose rows are more than is kept, together with all newer ones. */
function overfullS({ seconds }: SeenRows): number {
  let size = 0;
  for (const rows of seconds.values()) size += rows.size;
  if (size <= MOST_KEPT) return Number.NEGATIVE_INFINITY;
  const oldestFirst = [...seconds].sort(([a], [b]) => a - b);
  const at = oldestFirst.findIndex(([, rows]) => {
    size -= rows.size;
    return size <= MOST_KEPT;
  });
  return oldestFirst[at]?.[0] ?? Number.NEGATIVE_INFINITY;
}
