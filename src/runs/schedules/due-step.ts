import type { Schedule } from "../../domain/schedule.ts";
import { nextTime } from "./next-time.ts";

/** What to do about a schedule at a moment. Pure. */

/** A due time that is noticed later than this is left out, never run in a burst. */
const LATEST_START_MS = 60_000;
/** A claim that lies further ahead was made by a clock that has been put right since. */
const WRONG_CLOCK_MS = 26 * 60 * 60_000;

export type DueStep =
  | { readonly kind: "wait"; readonly untilMs: number }
  /** What is settled lies so far ahead that no right clock wrote it: nothing after `claimMs` is settled. */
  | { readonly kind: "put-back"; readonly claimMs: number }
  /** It was due and is left out; the due times up to `claimMs` are settled by that. */
  | {
      readonly kind: "missed";
      readonly dueAtMs: number;
      readonly claimMs: number;
      readonly result: "skipped" | "unknown";
      readonly why: string;
    }
  | { readonly kind: "run"; readonly dueAtMs: number };

export interface DueMoment {
  readonly zone: string;
  readonly nowMs: number;
  /** When this process began to look, by the wall clock of now. */
  readonly beganMs: number;
  /** The same by the wall clock of then. */
  readonly beganThenMs: number;
  /** The store may be an older copy: what was due since may have run. */
  readonly isStoreInDoubt: boolean;
}

/** The step for the first due time that is not settled. */
export function dueStep(
  schedule: Pick<Schedule, "rule" | "anchorMs" | "claimedMs">,
  { zone, nowMs, beganMs, beganThenMs, isStoreInDoubt }: DueMoment,
): DueStep {
  if (schedule.claimedMs > nowMs + WRONG_CLOCK_MS) return { kind: "put-back", claimMs: nowMs };
  const dueAtMs = nextTime(schedule, zone, schedule.claimedMs);
  if (dueAtMs > nowMs) return { kind: "wait", untilMs: dueAtMs };
  const oldestMs = Math.max(beganMs, nowMs - LATEST_START_MS);
  if (dueAtMs > oldestMs) return { kind: "run", dueAtMs };
  const missed = { kind: "missed", dueAtMs, claimMs: oldestMs, result: "skipped" } as const;
  if (dueAtMs > beganMs) return { ...missed, why: "Marshal noticed it too late." };
  if (dueAtMs > beganThenMs)
    return { ...missed, why: "Marshal's clock was set forward past that time, or its machine slept." };
  if (!isStoreInDoubt) return { ...missed, why: "Marshal was not running then." };
  return { ...missed, result: "unknown", why: "The database was restored from an older copy." };
}
