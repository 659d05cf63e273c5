import type { JournalItem } from "../domain/ports/journal.ts";

/** So many looks a follower may fail on one event alone before it is tried whether others go well. */
const MOST_FAILURES = 5;
/** So many times in a row others must go well and the event fail: a database that comes and goes fails now and then. */
const PROOFS = 5;

/** What a follower does not get done. */
export interface Trial {
  /** The first event that it has not dealt with. */
  readonly seq: number;
  /** Looks on which it failed on that one alone. */
  readonly failures: number;
  /** So many it gets at once: after a second failure one, and twice as many for each time that goes well. */
  readonly most: number;
  /** When the look of the latest failure was taken: one counts once. */
  readonly lookMs: number | undefined;
  /** The one after it went well meanwhile: if it fails once more, it hangs on this event. */
  readonly isNextWell: boolean;
  /** How often in a row the next one went well and this one failed after it. */
  readonly proofs: number;
}

/** What a follower gets of what is unread. */
export interface Handed {
  readonly items: readonly JournalItem[];
  /** It is the one after the event in question, which comes again whatever becomes of it. */
  readonly isProbe: boolean;
  readonly isAll: boolean;
}

/**
 * Who fails again and again gets one event alone; who fails on that five times gets the next one, and where that goes well,
 * the one before again. An event that fails five times so, with the next one going well each time before, is set aside. Where
 * the next one fails too it is the follower, or what it writes to, and nothing is given up.
 */
export function handedOut(trial: Trial | undefined, items: readonly JournalItem[]): Handed {
  const [first, second] = items;
  if (trial === undefined || first?.seq !== trial.seq) return { items, isProbe: false, isAll: true };
  const isProbe = trial.failures >= MOST_FAILURES && !trial.isNextWell;
  if (isProbe && second !== undefined) return { items: [second], isProbe: true, isAll: false };
  return { items: items.slice(0, trial.most), isProbe: false, isAll: trial.most >= items.length };
}

/** The trial after a failure on what was handed out; "set aside": the event in question is given up. */
export function failedOn(
  trial: Trial | undefined,
  { items, isProbe }: Handed,
  lookMs: number,
): Trial | "set aside" | undefined {
  if (trial?.lookMs === lookMs) return trial;
  if (trial !== undefined && isProbe) return { ...trial, lookMs, failures: MOST_FAILURES - 1, proofs: 0 };
  const [first] = items;
  if (first === undefined) return trial;
  const before = trial?.seq === first.seq ? trial : undefined;
  if (before?.isNextWell === true) {
    const proofs = before.proofs + 1;
    return proofs >= PROOFS ? "set aside" : { ...before, lookMs, isNextWell: false, proofs };
  }
  const failures = items.length === 1 ? (before?.failures ?? 0) + 1 : 0;
  const most = before === undefined ? Number.POSITIVE_INFINITY : 1;
  return { seq: first.seq, failures, most, lookMs, isNextWell: false, proofs: before?.proofs ?? 0 };
}

/** The trial after what was handed out went well; undefined: it is over. `nextSeq`: of the event after it. */
export function wentWell(trial: Trial | undefined, handed: Handed, nextSeq: number): Trial | undefined {
  if (trial === undefined || handed.isAll) return undefined;
  if (handed.isProbe) return { ...trial, isNextWell: true };
  return {
    seq: nextSeq,
    failures: 0,
    most: 2 * trial.most,
    lookMs: undefined,
    isNextWell: false,
    proofs: 0,
  };
}
