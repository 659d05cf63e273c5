import { setTimeout as delay } from "node:timers/promises";
import { isLocked } from "./sqlite-words.ts";

/** How long a statement waits for another program that has the file locked. */
const LOCK_WAIT_MS = 5_000;
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 100;

export interface SqliteTurnsOptions {
  /** @default 5_000 */
  readonly waitMs?: number;
  /** @default timers of this machine */
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * The statements of one store file in the order in which they were asked for. While another program has the file
 * locked they wait without holding up the rest of the process, as sqlite's own busy timeout would; none overtakes
 * another, so of two writes of one key the later one stands.
 */
export class SqliteTurns {
  readonly #waitMs: number;
  readonly #sleep: (ms: number) => Promise<void>;
  /** The end of the queue; absent while nothing waits. */
  #queue: Promise<void> | undefined;
  /** How long this has slept for locks, altogether: the clock by which waits are limited. */
  #sleptMs = 0;

  constructor({ waitMs = LOCK_WAIT_MS, sleep = (ms) => delay(ms) }: SqliteTurnsOptions = {}) {
    this.#waitMs = waitMs;
    this.#sleep = sleep;
  }

  /** Runs the statement now, or after those that wait. Rejects with sqlite's error, "busy" after the wait. */
  async take<T>(work: () => T): Promise<T> {
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
    for (let nextMs = FIRST_LOOK_MS; ; nextMs = Math.min(2 * nextMs, LONGEST_LOOK_MS)) {
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
