import type { Snapshot } from "./model.ts";
import type { Clock } from "./ports/clock.ts";

/** Answers state the time in whole seconds, and are held up for less on their way. */
const LONGEST_STEP_MS = 120_000;

/**
 * The present by the service's clock, from its last answer on by monotonic time: steps of our clock change nothing. An
 * answer that is dated minutes off the one before counts once a second one says the same: a single one is wrong.
 */
export class ServiceTime {
  readonly #clock: Clock;
  #aheadMs: number | undefined;
  /** By the last answer, also where it does not count. */
  #lastAheadMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ serviceAtMs }: Snapshot): void {
    if (serviceAtMs === undefined) return;
    const aheadMs = serviceAtMs - this.#clock.monotonicMs();
    const isLike = (beforeMs = aheadMs) => Math.abs(aheadMs - beforeMs) <= LONGEST_STEP_MS;
    if (isLike(this.#aheadMs) || isLike(this.#lastAheadMs)) this.#aheadMs = aheadMs;
    this.#lastAheadMs = aheadMs;
  }

  /** Epoch milliseconds; undefined before an answer said it. */
  ms(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#aheadMs + this.#clock.monotonicMs();
  }

  /** The same in whole seconds. */
  seconds(): number | undefined {
    const ms = this.ms();
    return ms === undefined ? undefined : Math.floor(ms / 1_000);
  }
}
