import type { Fact } from "./fact.ts";

/**
 * What is remembered of a log: identities with the highest count seen of each, as three columns sorted by second
 * (columns of numbers: a list costs about 7 KB, as objects several times that).
 */
export interface Retained {
  /** The newest evicted second: rows at or below it are never posted. */
  readonly floorS?: number | undefined;
  /** The longest window ever seen, in rows. */
  readonly longest: number;
  /** How sure it is that a log which begins anew takes nothing along that we have not seen: see `Calm`. */
  readonly calm: number;
  /** A second that the service had reached when rows were taken last; a row ahead of its time does not tell it. */
  readonly reachedS?: number | undefined;
  readonly seconds: readonly number[];
  readonly hashes: readonly number[];
  readonly counts: readonly number[];
}

const KEPT_AT_LEAST = 300;
const KEPT_WINDOWS = 3;
/** A row may show this long after its second and still be new. */
export const LATE_S = 60;
/** How wrong the time may be by which a remembered second is called absurd: clocks of hosts are wrong by hours. */
const ABSURD_AHEAD_S = 24 * 3_600;

/** The latest second that may be remembered; `presentS`: the newest time that the answer at hand vouches for. */
export function latestCredibleS(presentS: number): number {
  return presentS + ABSURD_AHEAD_S;
}

export function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** The newest second of a row that is remembered and not later than `presentS`, where there is one. */
export function newestUntil({ seconds }: Pick<Retained, "seconds">, presentS: number): number | undefined {
  for (let index = seconds.length - 1; index >= 0; index--) {
    const atS = seconds[index];
    if (atS !== undefined && atS <= presentS) return atS;
  }
  return undefined;
}

/**
 * The state without rows and a floor from the far future. Earlier versions stored such rows: with one of them the
 * newest second is years ahead and no gap is ever noticed, and below such a floor nothing is ever posted.
 * `presentS`: the newest time that the answer at hand vouches for. Answers the same state where all is well.
 */
export function withoutFuture(state: Retained, presentS: number): Retained {
  const latestS = latestCredibleS(presentS);
  const { floorS, seconds, hashes, counts } = state;
  if ((seconds.at(-1) ?? 0) <= latestS && (floorS ?? 0) <= latestS) return state;
  const firstAbsurd = seconds.findIndex((atS) => atS > latestS);
  const end = firstAbsurd < 0 ? seconds.length : firstAbsurd;
  const { floorS: _, ...rest } = state;
  // Whatever lay below the true floor is long gone from the log; what came since must not be posted twice.
  const mended = floorS === undefined || floorS <= latestS ? floorS : (seconds[end - 1] ?? presentS - LATE_S);
  return {
    ...rest,
    ...(mended === undefined ? {} : { floorS: mended }),
    seconds: seconds.slice(0, end),
    hashes: hashes.slice(0, end),
    counts: counts.slice(0, end),
  };
}

/** The columns with the fresh facts in; both are sorted by second. */
export function merged<T>(state: Retained, fresh: readonly Fact<T>[]): Retained {
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
  const knownHashes = new Set<number>();
  for (const hash of state.hashes) if (added.has(hash)) knownHashes.add(hash);
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
export function evicted(state: Retained, longest: number): Retained {
  const { floorS } = state;
  const kept = Math.max(KEPT_AT_LEAST, KEPT_WINDOWS * longest);
  let cut = Math.max(0, state.seconds.length - kept);
  while (cut > 0 && state.seconds[cut - 1] === state.seconds[cut]) cut -= 1;
  const newFloorS =
    cut > 0 ? Math.max(floorS ?? Number.NEGATIVE_INFINITY, state.seconds[cut - 1] ?? 0) : floorS;
  return {
    longest,
    calm: state.calm,
    reachedS: state.reachedS,
    seconds: state.seconds.slice(cut),
    hashes: state.hashes.slice(cut),
    counts: state.counts.slice(cut),
    ...(newFloorS === undefined ? {} : { floorS: newFloorS }),
  };
}

/**
 * Do the rows that a window shares with what is known prove that it goes on from there? A second of which every known
 * row still stands does. One of which some are gone does not: the row that looks known may be an equal one that came
 * later, after others that nobody has seen. `sharedSeconds`: of each shared row its second. Pure.
 */
export function provesContinuity({ seconds, counts }: Retained, sharedSeconds: readonly number[]): boolean {
  const goneIn = new Map<number, number>();
  for (const atS of sharedSeconds) goneIn.set(atS, (goneIn.get(atS) ?? 0) - 1);
  for (let index = 0; index < seconds.length; index++) {
    const atS = seconds[index] ?? 0;
    const gone = goneIn.get(atS);
    if (gone !== undefined) goneIn.set(atS, gone + (counts[index] ?? 0));
  }
  for (const gone of goneIn.values()) if (gone <= 0) return true;
  return false;
}
