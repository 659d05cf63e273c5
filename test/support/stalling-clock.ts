import type { Clock, Random } from "../../src/domain/ports/clock.ts";

const GAP_MS = 300;

/** The clock of a process that does nothing for a while now and then: timers fire late, and what has come is read late. */
export class StallingClock implements Clock {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #longestMs: number;
  /** Set when the process that has this clock was killed: nothing of it happens any more. */
  isDead = false;
  #stall = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

  constructor(clock: Clock, random: Random, longestMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#longestMs = longestMs;
    if (longestMs > 0) this.#next(clock.monotonicMs());
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, work: () => void): () => void {
    let cancel = this.#clock.after(delayMs, () => {
      if (this.isDead) return;
      const leftMs = this.#leftMs();
      if (leftMs > 0) cancel = this.after(leftMs, work);
      else work();
    });
    return () => cancel();
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    await this.#clock.sleep(delayMs, signal);
    await this.awake();
  }

  /** Resolves when the process does something again. */
  async awake(): Promise<void> {
    for (let leftMs = this.#leftMs(); leftMs > 0; leftMs = this.#leftMs()) await this.#clock.sleep(leftMs);
  }

  #leftMs(): number {
    const nowMs = this.#clock.monotonicMs();
    while (nowMs >= this.#stall.untilMs) this.#next(this.#stall.untilMs);
    return nowMs >= this.#stall.fromMs ? this.#stall.untilMs - nowMs : 0;
  }

  #next(afterMs: number): void {
    const fromMs = afterMs + 2 * GAP_MS * this.#random.next();
    this.#stall = { fromMs, untilMs: fromMs + this.#longestMs * this.#random.next() };
  }
}
