import type { Rank, TakenBack } from "../../domain/rank.ts";

/** When so much is to be changed that somebody has to look at it first. Pure. */

const DAY_MS = 24 * 60 * 60_000;
const TEN_MINUTES_MS = 10 * 60_000;
const MOST_IN_TEN_MINUTES = 3;
const MOST_KEPT = 500;

/** Those of the last day. What is later than now happened before the clock was set back: it counts. */
export function ofLastDay(taken: readonly TakenBack[], nowMs: number): readonly TakenBack[] {
  return taken.filter(({ atMs }) => nowMs - atMs < DAY_MS).slice(-MOST_KEPT);
}

export type RankStep =
  | { readonly kind: "raise"; readonly playerId: number; readonly rank: Rank }
  | { readonly kind: "take"; readonly playerId: number; readonly rank: Rank; readonly isRise: boolean };

/** too-many: it would be the fourth within ten minutes. flips: the same rank of the same person changes a second time within a day. */
export type TooMuch = "too-many" | "flips";

/** Undefined: it may go on. A rank that makes room for a higher one is no removal. */
export function whyTooMuch(step: RankStep, taken: readonly TakenBack[], nowMs: number): TooMuch | undefined {
  const counted = taken.filter(({ isCounted }) => isCounted);
  const isFlip = ofLastDay(counted, nowMs).some(
    ({ playerId, rank }) => playerId === step.playerId && rank === step.rank,
  );
  if (step.kind === "raise") return isFlip ? "flips" : undefined;
  if (step.isRise) return undefined;
  if (isFlip) return "flips";
  const lately = counted.filter(({ atMs }) => nowMs - atMs < TEN_MINUTES_MS);
  return lately.length >= MOST_IN_TEN_MINUTES ? "too-many" : undefined;
}
