import type { CallFigures } from "../../domain/stats.ts";

/** How soon moderator calls were answered: known only as well as the server was looked at. Pure. */

/** An answer that lies somewhere in a longer time does not show how soon it came. */
const MOST_UNSURE_S = 300;

export interface CallRow {
  readonly at_s: number;
  readonly moderator: number | null;
  readonly answered_s: number | null;
  readonly open_s: number | null;
}

/** Seconds from the call to its answer, the middle of what is possible; undefined: not known well enough. */
export function answerTimeS({ at_s: atS, answered_s: seenS, open_s: openS }: CallRow): number | undefined {
  if (seenS === null) return undefined;
  const earliestS = Math.max(atS, openS ?? atS);
  const latestS = Math.max(seenS, earliestS);
  if (latestS - earliestS > MOST_UNSURE_S) return undefined;
  return (earliestS + latestS) / 2 - atS;
}

export function callFigures(calls: readonly CallRow[]): CallFigures {
  const answered = calls.filter(({ moderator }) => moderator !== null);
  const times = answered.map(answerTimeS).filter((time) => time !== undefined);
  const middle = median(times);
  return {
    calls: calls.length,
    answered: answered.length,
    timed: times.length,
    ...(middle === undefined ? {} : { medianAnswerS: middle }),
  };
}

/** Of an even number of values the mean of the two in the middle; undefined: there are none. */
function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}
