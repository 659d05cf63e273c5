/** One row as the diff sees it: its second, its identity (hashed) and what shall come out when it is new. */
export interface Fact<T> {
  readonly atS: number;
  readonly hash: number;
  readonly value: T;
}

/**
 * What is remembered of a log: identities with the highest count seen of each, as three columns sorted by second
 * (columns of numbers: a list costs about 7 KB, as objects several times that; design 9, footprint).
 */
export interface Retained {
  /** The newest evicted second: rows at or below it are never posted. */
  readonly floorS?: number | undefined;
  /** The longest window ever seen, in rows. */
  readonly longest: number;
  /**
   * How sure it is that a log which begins anew takes nothing along that we have not seen. 0: not at all. 1, 2: so
   * many polls in a row saw no players, the first of them with rows that we knew; one is not enough, since an old
   * answer may be served again. 3: after that the new log was seen while nothing stood in it yet.
   */
  readonly calm: number;
  readonly seconds: readonly number[];
  readonly hashes: readonly number[];
  readonly counts: readonly number[];
}

export interface Gap {
  /** Absent where the log had never shown a row before. */
  readonly fromS?: number;
  readonly toS: number;
}

/** What else an answer says about its windows. */
export interface Look {
  readonly hasPlayers: boolean;
  /** The answer before it is not old: a server can hardly have started twice in between. */
  readonly recent: boolean;
  /** Some log of the server still shows a row of the answer before it: it has not started anew in between. */
  readonly continuous: boolean;
  /** Rows of this window: a mod call with its answer is two facts, but one row. */
  readonly rows: number;
  /** How long such a log gets before it drops rows, as far as any server has shown it; 0 when none has. */
  readonly fullest: number;
  /** A second that the service's clock has surely reached, where that is known; for the first sight of a list. */
  readonly reachedS: number | undefined;
}

export interface Diff<T> {
  /** New rows, oldest second first; within a second in the order of the window. */
  readonly fresh: readonly T[];
  readonly gap?: Gap;
  readonly next: Retained;
  /** Whether `next` says anything that the state before did not: what has to be written. */
  readonly changed: boolean;
}

const KEPT_AT_LEAST = 300;
const KEPT_WINDOWS = 3;
const ENOUGH_EMPTY_POLLS = 2;
const SEEN_ANEW = 3;
/** A log with fewer rows has not dropped any. */
const SHORTEST_FULL = 20;
/** A row may show this long after its second and still be new. */
const LATE_S = 60;

/**
 * What is new in a window of a log (design 5, Diff): the multiset difference from what was retained. Old answers
 * served again give nothing, late rows come out once, equal rows of one second count separately. Pure.
 *
 * `window` is in the order of the log, oldest first, as far as that is known: it only decides ties in one second.
 * Without a state the window is a baseline: nothing comes out.
 */
export function diff<T>(state: Retained | undefined, window: readonly Fact<T>[], look: Look): Diff<T> {
  if (state === undefined) return { fresh: [], next: baseline(window, look), changed: true };
  const longest = Math.max(state.longest, window.length);
  const seen = new Map<number, number>();
  for (const [index, hash] of state.hashes.entries()) seen.set(hash, state.counts[index] ?? 0);
  const { fresh, shared } = unseen(window, seen, state.floorS ?? Number.NEGATIVE_INFINITY);
  const calm = calmAfter(state, window.length, shared, look);
  if (fresh.length === 0) {
    const changed = longest !== state.longest || calm !== state.calm;
    return { fresh: [], next: changed ? { ...state, longest, calm } : state, changed };
  }
  fresh.sort((a, b) => a.atS - b.atS);
  const gap = shared ? undefined : gapBefore(state, fresh, look);
  const next = { ...evicted(merged(state, fresh), longest, state.floorS), calm };
  const values = fresh.map((fact) => fact.value);
  return { fresh: values, next, changed: true, ...(gap === undefined ? {} : { gap }) };
}

/** The facts beyond what was counted before, and whether any fact was known at all. */
function unseen<T>(window: readonly Fact<T>[], seen: ReadonlyMap<number, number>, floorS: number) {
  const here = new Map<number, number>();
  const fresh: Fact<T>[] = [];
  let shared = false;
  for (const fact of window) {
    const count = (here.get(fact.hash) ?? 0) + 1;
    here.set(fact.hash, count);
    const known = seen.get(fact.hash);
    if (known !== undefined) shared = true;
    if (count > (known ?? 0) && fact.atS > floorS) fresh.push(fact);
  }
  return { fresh, shared };
}

function calmAfter({ calm }: Retained, rows: number, shared: boolean, look: Look): number {
  // An empty log that has begun anew stays as good as seen for as long as it surely is the same one.
  if (calm === SEEN_ANEW) return rows === 0 && look.continuous ? SEEN_ANEW : 0;
  const wasIntact = calm > 0 && look.recent;
  if (!look.hasPlayers) return shared || wasIntact ? Math.min(ENOUGH_EMPTY_POLLS, calm + 1) : 0;
  // Players are back; the log may begin anew once more at any time, unless a later answer shows that it has not.
  return rows === 0 && wasIntact && calm === ENOUGH_EMPTY_POLLS ? SEEN_ANEW : 0;
}

/**
 * Nothing in common with what we knew, though newer rows are there: entries may have fallen out in between.
 * Silent where the server was empty and its log is shorter than it has been: that is the log of a server that
 * started again, and nothing has fallen out of it. A log as long as ever may have lost rows even then, and after a
 * long time without an answer a whole evening may have come and gone.
 */
function gapBefore<T>(
  state: Retained,
  fresh: readonly Fact<T>[],
  { rows, recent, continuous, fullest }: Look,
): Gap | undefined {
  const newest = fresh.at(-1);
  if (newest === undefined) return undefined;
  const fromS = state.seconds.at(-1);
  if (fromS === undefined) {
    // Nothing to overlap with: only a log as long as logs get may have dropped its beginning. As long as nobody has
    // seen how long that is, any long one may have, if we have not looked for a while.
    const isFull = fullest >= SHORTEST_FULL ? rows >= fullest : rows >= SHORTEST_FULL && !recent;
    return isFull ? { toS: fresh[0]?.atS ?? newest.atS } : undefined;
  }
  if (newest.atS < fromS) return undefined;
  const isWhole = rows < Math.max(state.longest, fullest, SHORTEST_FULL);
  const isCalm = state.calm === SEEN_ANEW ? continuous : recent && state.calm === ENOUGH_EMPTY_POLLS;
  if (isCalm && isWhole) return undefined;
  const first = fresh.find((fact) => fact.atS >= fromS) ?? newest;
  return { fromS, toS: first.atS };
}

/**
 * First sight of a list. What is older than its oldest row was there before us, and only shows when the window grows
 * or an old answer is served again: the floor keeps it from being posted. What may still be on its way must not fall
 * below the floor, so a young window puts it a little before the service's present.
 */
function baseline<T>(window: readonly Fact<T>[], { hasPlayers, reachedS }: Look): Retained {
  const empty: Retained = {
    longest: window.length,
    calm: hasPlayers ? 0 : 1,
    seconds: [],
    hashes: [],
    counts: [],
  };
  const facts = [...window].sort((a, b) => a.atS - b.atS);
  const oldestS = facts[0]?.atS ?? Number.POSITIVE_INFINITY;
  const presentS = reachedS ?? facts.at(-1)?.atS ?? Number.POSITIVE_INFINITY;
  const floorS = Math.min(oldestS, presentS - LATE_S);
  return { ...merged(empty, facts), ...(Number.isFinite(floorS) ? { floorS } : {}) };
}

/** The columns with the fresh facts in; both are sorted by second. */
function merged<T>(state: Retained, fresh: readonly Fact<T>[]): Retained {
  const added = new Map<number, { atS: number; count: number }>();
  for (const { hash, atS } of fresh) {
    const known = added.get(hash);
    if (known === undefined) added.set(hash, { atS, count: 1 });
    else known.count += 1;
  }
  const seconds: number[] = [];
  const hashes: number[] = [];
  const counts: number[] = [];
  const put = (atS: number, hash: number, count: number) => {
    seconds.push(atS);
    hashes.push(hash);
    counts.push(count);
  };
  const knownHashes = new Set(state.hashes);
  const inserts = [...added].filter(([hash]) => !knownHashes.has(hash));
  let at = 0;
  for (const [index, atS] of state.seconds.entries()) {
    for (let next = inserts[at]; next !== undefined && next[1].atS < atS; next = inserts[++at]) {
      put(next[1].atS, next[0], next[1].count);
    }
    const hash = state.hashes[index] ?? 0;
    put(atS, hash, (state.counts[index] ?? 0) + (added.get(hash)?.count ?? 0));
  }
  for (const [hash, { atS, count }] of inserts.slice(at)) put(atS, hash, count);
  return { ...state, seconds, hashes, counts };
}

/**
 * Keeps the newest identities, whole seconds only. Three windows always hold the latest one, so "every identity of
 * the latest window" needs no rule of its own; a stray row from long ago is let go, and the floor stands above it.
 */
function evicted(state: Retained, longest: number, floorS: number | undefined): Retained {
  const kept = Math.max(KEPT_AT_LEAST, KEPT_WINDOWS * longest);
  let cut = Math.max(0, state.seconds.length - kept);
  while (cut > 0 && state.seconds[cut - 1] === state.seconds[cut]) cut -= 1;
  const newFloorS =
    cut > 0 ? Math.max(floorS ?? Number.NEGATIVE_INFINITY, state.seconds[cut - 1] ?? 0) : floorS;
  return {
    longest,
    calm: state.calm,
    seconds: state.seconds.slice(cut),
    hashes: state.hashes.slice(cut),
    counts: state.counts.slice(cut),
    ...(newFloorS === undefined ? {} : { floorS: newFloorS }),
  };
}
