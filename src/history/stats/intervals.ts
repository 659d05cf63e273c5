/** Times with a beginning and an end, epoch seconds; the end does not belong to them. Pure. */
export interface Interval {
  readonly fromS: number;
  readonly toS: number;
}

/** The part of it that lies in the other; undefined: none. */
export function within({ fromS, toS }: Interval, other: Interval): Interval | undefined {
  const cut = { fromS: Math.max(fromS, other.fromS), toS: Math.min(toS, other.toS) };
  return cut.fromS < cut.toS ? cut : undefined;
}

/** Seconds that lie in both; the intervals in the order of their time and without overlap. */
export function sharedS(one: Interval, intervals: readonly Interval[]): number {
  let sumS = 0;
  for (let at = firstAfter(intervals, one.fromS, ({ toS }) => toS); at < intervals.length; at += 1) {
    const other = intervals[at];
    if (other === undefined || other.fromS >= one.toS) break;
    sumS += Math.max(0, Math.min(one.toS, other.toS) - Math.max(one.fromS, other.fromS));
  }
  return sumS;
}

/** The first place whose time is after `atS`, in a list that is sorted by that time. */
export function firstAfter<T>(sorted: readonly T[], atS: number, timeOf: (one: T) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle];
    if (one !== undefined && timeOf(one) <= atS) low = middle + 1;
    else high = middle;
  }
  return low;
}
