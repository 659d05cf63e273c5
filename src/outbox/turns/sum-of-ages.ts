/** Of the entries of one feed so many count, */
const COUNTED_OF_FEED = 30;
/** of those of all feeds of one guild so many, the oldest first. */
const COUNTED_OF_GUILD = 60;

/** Entries that wait for one channel: when they arrived, oldest first. */
export type Arrivals = readonly number[];

/** How many entries of a feed count, and the sum of their arrivals: so their ages are summed at any time at no cost. */
export interface CountedAges {
  readonly count: number;
  readonly sumMs: number;
}

/**
 * The sum of the ages of what waits for a feed. Served by the greatest sum, a feed of rate r is emptied each T with
 * r T^2 / 2 at its turn; equal sums make T go with 1 / sqrt(r), which gives the least mean delay, with no rate known.
 */
export function sumOfAges({ count, sumMs }: CountedAges, nowMs: number): number {
  return count * nowMs - sumMs;
}

/** What counts of the feeds of one guild: without a bound many fast feeds of one guild take every turn. */
export function countedOfGuild(feeds: readonly Arrivals[]): readonly CountedAges[] {
  const heads = feeds.map((feed) => feed.slice(0, COUNTED_OF_FEED));
  const total = heads.reduce((sum, { length }) => sum + length, 0);
  if (total <= COUNTED_OF_GUILD) return heads.map(summed);

  const oldest = heads
    .flatMap((head, at) => head.map((arrivedMs) => ({ at, arrivedMs })))
    .sort((a, b) => a.arrivedMs - b.arrivedMs)
    .slice(0, COUNTED_OF_GUILD);
  const counts = heads.map(() => 0);
  for (const { at } of oldest) counts[at] = (counts[at] ?? 0) + 1;
  return heads.map((head, at) => summed(head.slice(0, counts[at])));
}

function summed(arrivedMs: Arrivals): CountedAges {
  return { count: arrivedMs.length, sumMs: arrivedMs.reduce((sum, ms) => sum + ms, 0) };
}
