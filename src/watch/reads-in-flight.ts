import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ReadRate } from "./read-rate.ts";

/**
 * Reads that may be under way at once. A window that opens lets a whole second of them go at once, and their answers
 * come back together; taking in this few does not delay people's commands noticeably.
 */
const MOST_READS_IN_FLIGHT = 16;
/**
 * Reads start this far apart, so that what a person asks is handled between two answers and not after a whole window's.
 * Never more than half of what the pace allows, so that a window can always be used to its end.
 */
const READ_SPACING_MS = 10;
const SPACING_SHARE_OF_PACE = 0.5;
/**
 * The next source is chosen when the one before has left the gate, so that the choice is as late as it can be. A read
 * that the gate holds back for longer than this (by its own server's limit) does not delay the others.
 */
const HELD_BACK_MS = 2_000;
const MOST_READS_HELD_BACK = 32;

/** Why nothing may be started now. */
export type Wait =
  | { readonly kind: "wait"; readonly waitMs: number }
  /** Nothing to wait for: another event comes first. */
  | { readonly kind: "when-woken" };

export const WHEN_WOKEN: Wait = { kind: "when-woken" };

/** How many reads may be under way, and how far apart they start. */
export class ReadsInFlight {
  readonly #clock: Clock;
  readonly #rate: Pick<ReadRate, "pollsPerS" | "countPoll">;
  /** Reads that wait at the gate, oldest first, since when. */
  readonly #atGate = new Map<SourceId, number>();
  #lastSentMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, rate: Pick<ReadRate, "pollsPerS" | "countPoll">) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** What a further read waits for, besides `underWay` others; undefined: it may start. */
  waitBefore(underWay: number): Wait | undefined {
    const isFull = underWay - this.#atGate.size >= MOST_READS_IN_FLIGHT;
    if (isFull || this.#atGate.size >= MOST_READS_HELD_BACK) return WHEN_WOKEN;

    const spacingMs = Math.min(READ_SPACING_MS, (SPACING_SHARE_OF_PACE * 1_000) / this.#rate.pollsPerS);
    const latestMs = [...this.#atGate.values()].at(-1);
    const mayStartMs = latestMs === undefined ? this.#lastSentMs + spacingMs : latestMs + HELD_BACK_MS;
    const waitMs = mayStartMs - this.#clock.monotonicMs();
    return waitMs > 0 ? { kind: "wait", waitMs } : undefined;
  }

  onStarted(source: SourceId): void {
    this.#atGate.set(source, this.#clock.monotonicMs());
  }

  /** It has left the gate. */
  onSent(source: SourceId): void {
    this.#lastSentMs = this.#clock.monotonicMs();
    this.#rate.countPoll();
    this.#atGate.delete(source);
  }

  /** It ended, whether it had left the gate or not. */
  onEnded(source: SourceId): void {
    this.#atGate.delete(source);
  }
}
