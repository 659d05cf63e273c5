/**
 * Which rows were counted already. An answer of the service shows most of the rows of the one before, sometimes an old
 * answer is served again, and two equal rows of one second are two: so rows are a multiset, and below a floor nothing is
 * new. Pure but for the state that it is given.
 */

export interface SeenRows {
  /** Rows at or below this second were counted, or are none of ours. */
  floorS: number;
  /** By second, the identities of its rows, each as often as it was seen in one answer. */
  readonly seconds: Map<number, readonly string[]>;
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
  const rows = inOrderAfter(seen.floorS, shown);
  /** Those of the second at hand that were seen and that no row of this answer stands for yet. */
  let left: readonly string[] | undefined;
  for (const [at, row] of rows.entries()) {
    const { atS } = row;
    if (rows[at - 1]?.atS !== atS) left = seen.seconds.get(atS);
    if (atS <= floorS && !seen.seconds.has(atS)) {
      fresh.push(row);
      continue;
    }
    const identity = identityOf(row);
    const known = left?.indexOf(identity) ?? -1;
    if (known === -1) {
      fresh.push(row);
      seen.seconds.set(atS, withOne(seen.seconds.get(atS), identity));
    } else if (rows[at + 1]?.atS === atS) {
      left = left?.toSpliced(known, 1);
    }
  }
  return fresh;
}

function withOne(identities: readonly string[] | undefined, identity: string): readonly string[] {
  return identities === undefined ? [identity] : [...identities, identity];
}

/** The rows later than that second, oldest first; those of one second as they stood. */
function inOrderAfter<T extends { readonly atS: number }>(floorS: number, rows: readonly T[]): readonly T[] {
  const later = rows.filter(({ atS }) => atS > floorS);
  const isInOrder = later.every(({ atS }, at) => atS >= (later[at - 1]?.atS ?? atS));
  return isInOrder ? later : later.sort((a, b) => a.atS - b.atS);
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
  for (const rows of seconds.values()) size += rows.length;
  if (size <= MOST_KEPT) return Number.NEGATIVE_INFINITY;
  const oldestFirst = [...seconds].sort(([a], [b]) => a - b);
  const at = oldestFirst.findIndex(([, rows]) => {
    size -= rows.length;
    return size <= MOST_KEPT;
  });
  return oldestFirst[at]?.[0] ?? Number.NEGATIVE_INFINITY;
}
