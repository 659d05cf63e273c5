import type { Clock, Random } from "./ports/clock.ts";

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Waits between attempts: 1 s, doubled up to 60 s, each shortened at random so that feeds do not retry in step. */
export class BackOff {
  readonly #clock: Clock;
  readonly #random: Random;
  #nextMs = FIRST_MS;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Resolves when the next attempt may be made, at the earliest after `atLeastMs`. Rejects on abort. */
  async wait(signal: AbortSignal, atLeastMs = 0): Promise<void> {
    await this.#clock.sleep(Math.max(Math.ceil(atLeastMs), this.next()), signal);
  }

  /** How long to wait before the next attempt, milliseconds; the one after it waits longer. */
  next(): number {
    const delayMs = Math.ceil(this.#nextMs * (0.5 + this.#random.next() / 2));
    this.#nextMs = Math.min(LONGEST_MS, this.#nextMs * 2);
    return delayMs;
  }

  reset(): void {
    this.#nextMs = FIRST_MS;
  }
}
