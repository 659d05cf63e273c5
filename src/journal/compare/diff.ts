import type { Fact } from "./fact.ts";
import { Calm, calmAfter, type Gap, gapBefore, gapOfCleared, isBegun, isFull, type Look } from "./gap.ts";
import {
  evicted,
  LATE_S,
  latest,
  merged,
  provesContinuity,
  type Retained,
  withoutFuture,
} from "./retained.ts";

export interface Diff<T> {
  /** New rows, oldest second first; within a second in the order of the window. */
  readonly fresh: readonly T[];
  /** Of each new row its place among equal ones of its second, from 0. */
  readonly ordinals: readonly number[];
  readonly gap?: Gap;
  readonly next: Retained;
  /** Whether `next` says anything that the state before did not: what has to be written. */
  readonly changed: boolean;
  /** Something else than the fresh rows changed the state: what an earlier version stored was mended. */
  readonly mended: boolean;
  /** The log is known up to this look, or what may be missing before it has been announced. */
  readonly whole: boolean;
}

/**
 * What is new in a window of a log: the multiset difference from what was retained. Old answers served again give
 * nothing, late rows come out once, equal rows of one second count separately. Pure.
 *
 * `window` is in the order of the log, oldest first, as far as that is known: it only decides ties in one second.
 * Without a state the window is a baseline: nothing comes out.
 */
export function diff<T>(stored: Retained | undefined, window: readonly Fact<T>[], look: Look): Diff<T> {
  if (stored === undefined)
    return {
      fresh: [],
      ordinals: [],
      next: baseline(window, look),
      changed: true,
      mended: false,
      whole: true,
    };
  // Without a row in the answer only our own clock would speak of the present, and it may be decades behind.
  const state =
    look.newestS === undefined ? stored : withoutFuture(stored, Math.max(look.newestS, look.takenAtS));

  const longest = Math.max(state.longest, window.length);
  const { fresh, sharedSeconds } = unseen(window, state);
  const shared = sharedSeconds.length > 0;
  const calm = calmAfter(state, shared, look);
  if (fresh.length === 0) return nothingNew(stored, { ...state, longest, calm }, { shared, look });

  fresh.sort((a, b) => a.fact.atS - b.fact.atS);
  const facts = fresh.map(({ fact }) => fact);
  const seconds = facts.map(({ atS }) => atS);
  const goesOn = shared && (!isFull(state, look) || provesContinuity(state, sharedSeconds));
  const gap = goesOn ? undefined : gapBefore(state, seconds, look);
  const reachedS = latest(state.reachedS, look.reachedS);
  const next = { ...evicted(merged(state, facts), longest), calm, reachedS };
  const values = fresh.map(({ fact }) => fact.value);
  const ordinals = fresh.map(({ ordinal }) => ordinal);
  const mended = state !== stored;
  return {
    fresh: values,
    ordinals,
    next,
    changed: true,
    mended,
    whole: true,
    ...(gap === undefined ? {} : { gap }),
  };
}

function nothingNew<T>(
  stored: Retained,
  next: Retained,
  { shared, look }: { readonly shared: boolean; readonly look: Look },
): Diff<T> {
  const gap = gapOfCleared(next, look);
  if (gap !== undefined) {
    const begun = { ...next, calm: Calm.anew };
    return { fresh: [], ordinals: [], gap, next: begun, changed: true, mended: false, whole: true };
  }
  const whole = shared || next.seconds.length === 0 || isBegun(next.calm);
  const changed = next.longest !== stored.longest || next.calm !== stored.calm;
  return { fresh: [], ordinals: [], next: changed ? next : stored, changed, mended: false, whole };
}

/** The facts beyond what was counted before, and of each that was known its second. */
function unseen<T>(window: readonly Fact<T>[], state: Retained) {
  const { seconds, hashes, counts, floorS = Number.NEGATIVE_INFINITY } = state;
  const left = new Map<number, number>();
  let oldestS = Number.POSITIVE_INFINITY;
  for (const { hash, atS } of window) {
    left.set(hash, 0);
    if (atS < oldestS) oldestS = atS;
  }
  // Several windows are retained, sorted by second, which is part of an identity: back to the oldest row is enough. To
  // look up what is retained costs less than to enter it into a map.
  for (let index = hashes.length - 1; index >= 0 && (seconds[index] ?? 0) >= oldestS; index--) {
    const hash = hashes[index] ?? 0;
    if (left.has(hash)) left.set(hash, counts[index] ?? 0);
  }
  const fresh: { readonly fact: Fact<T>; readonly ordinal: number }[] = [];
  const sharedSeconds: number[] = [];
  for (const [at, fact] of window.entries()) {
    const known = left.get(fact.hash) ?? 0;
    if (known > 0) {
      left.set(fact.hash, known - 1);
      sharedSeconds.push(fact.atS);
    } else if (fact.atS > floorS) fresh.push({ fact, ordinal: equalBefore(window, at) });
  }
  return { fresh, sharedSeconds };
}

/** How many equal rows stand before one. Few rows are new, so they are counted, not entered into a map with all others. */
function equalBefore(window: readonly Fact<unknown>[], at: number): number {
  let equal = 0;
  for (let index = 0; index < at; index++) if (window[index]?.hash === window[at]?.hash) equal += 1;
  return equal;
}

/**
 * First sight of a list. What is older than its oldest row was there before us, and only shows when the window grows
 * or an old answer is served again: the floor keeps it from being posted. What may still be on its way must not fall
 * below the floor, so a young window puts it a little before the service's present.
 */
function baseline<T>(window: readonly Fact<T>[], { hasPlayers, reachedS }: Look): Retained {
  const empty: Retained = {
    longest: window.length,
    calm: hasPlayers ? Calm.none : Calm.once,
    reachedS,
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
