import { setTimeout as delay } from "node:timers/promises";
import { isLocked } from "./sqlite-errors.ts";

/** How long a statement waits for another program that has the file locked. */
const LOCK_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 100;

export interface StatementQueueOptions {
  /** How long one statement waits for a lock. @default 5_000 */
  readonly waitMs?: number | undefined;
  /** @default timers of this machine */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

/**
 * Runs the statements of one store file in the order of asking. While another program has the file locked they wait
 * without blocking the process, as sqlite's own busy timeout would do. No statement overtakes another, so of two
 * writes of one key the later one stands.
 */
export class StatementQueue {
  readonly #waitMs: number;
  readonly #sleep: (ms: number) => Promise<void>;
  /** The end of the queue; absent while nothing waits. */
  #queue: Promise<void> | undefined;
  /** Total time slept for locks. Waits are limited by it instead of a clock, so that tests need no real time. */
  #sleptMs = 0;

  constructor({ waitMs = LOCK_WAIT_MS, sleep = (ms) => delay(ms) }: StatementQueueOptions = {}) {
    this.#waitMs = waitMs;
    this.#sleep = sleep;
  }

  /** Runs the statement now, or after those that wait. Rejects with sqlite's error, "busy" after the wait. */
  async run<T>(work: () => T): Promise<T> {
    if (this.#queue === undefined) {
      try {
        return work();
      } catch (error) {
        if (!isLocked(error) || this.#waitMs <= 0) throw error;
      }
    }
    const untilMs = this.#sleptMs + this.#waitMs;
    const turn = (this.#queue ?? Promise.resolve()).then(() => this.#retry(work, untilMs));
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#queue = ended;
    void ended.then(() => {
      if (this.#queue === ended) this.#queue = undefined;
    });
    return await turn;
  }

  async #retry<T>(work: () => T, untilMs: number): Promise<T> {
    for (let nextMs = FIRST_RETRY_MS; ; nextMs = Math.min(2 * nextMs, LONGEST_RETRY_MS)) {
      try {
        return work();
      } catch (error) {
        if (!isLocked(error) || this.#sleptMs >= untilMs) throw error;
      }
      await this.#sleep(nextMs);
      this.#sleptMs += nextMs;
    }
  }
}
