import type { Clock, Random } from "./ports/clock.ts";

const firstMs = 1_000;
const longestMs = 60_000;

/** Waits between attempts: 1 s, doubled up to 60 s, each shortened by chance so that a host's feeds do not act as one. */
export class BackOff {
  readonly #clock: Clock;
  readonly #random: Random;
  #nextMs = firstMs;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Resolves when the next attempt may be made; `atLeastMs`: what the other side asked for. Rejects on abort. */
  async wait(signal: AbortSignal, atLeastMs = 0): Promise<void> {
    const delayMs = Math.ceil(Math.max(atLeastMs, this.#nextMs * (0.5 + this.#random.next() / 2)));
    this.#nextMs = Math.min(longestMs, this.#nextMs * 2);
    await this.#clock.sleep(delayMs, signal);
  }

  reset(): void {
    this.#nextMs = firstMs;
  }
}
