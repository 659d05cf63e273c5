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
 * Where the machine is busy a timer of 10 ms comes after 30, and reads so far apart leave a third of the limit unused: what
 * is behind by no more than this is caught up.
 */
const MOST_BEHIND_MS = 50;
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
  /** The latest read that left, dated as if the timers had been punctual. */
  #lastSentMs = Number.NEGATIVE_INFINITY;
  /** By how much the latest read started too late. */
  #behindMs = 0;

  constructor(clock: Clock, rate: Pick<ReadRate, "pollsPerS" | "countPoll">) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** What a further read waits for, besides `underWay` others; undefined: it may start. */
  waitBefore(underWay: number): Wait | undefined {
    const isFull = underWay - this.#atGate.size >= MOST_READS_IN_FLIGHT;
    if (isFull || this.#atGate.size >= MOST_READS_HELD_BACK) return WHEN_WOKEN;

    const latestMs = [...this.#atGate.values()].at(-1);
    const mayStartMs = latestMs === undefined ? this.#lastSentMs + this.#spacingMs : latestMs + HELD_BACK_MS;
    const waitMs = mayStartMs - this.#clock.monotonicMs();
    return waitMs > 0 ? { kind: "wait", waitMs } : undefined;
  }

  get #spacingMs(): number {
    return Math.min(READ_SPACING_MS, (SPACING_SHARE_OF_PACE * 1_000) / this.#rate.pollsPerS);
  }

  onStarted(source: SourceId): void {
    const nowMs = this.#clock.monotonicMs();
    const lateMs = nowMs - (this.#lastSentMs + this.#spacingMs);
    this.#behindMs = Number.isFinite(lateMs) ? Math.max(0, Math.min(MOST_BEHIND_MS, lateMs)) : 0;
    this.#atGate.set(source, nowMs);
  }

  /** It has left the gate. */
  onSent(source: SourceId): void {
    this.#lastSentMs = this.#clock.monotonicMs() - this.#behindMs;
    this.#rate.countPoll();
    this.#atGate.delete(source);
  }

  /** It ended, whether it had left the gate or not. */
  onEnded(source: SourceId): void {
    this.#atGate.delete(source);
  }
}
