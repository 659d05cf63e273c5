import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../src/domain/ports/clock.ts";

/**
 * The machine's time, `speed` times as fast: a command window of five seconds passes in one, and everything still
 * happens by itself. The bot and both emulators must be given the same one.
 */
export class FastClock implements Clock {
  readonly speed: number;
  readonly #realStartMs = performance.now();
  readonly #startMs = Date.now();

  constructor(speed: number) {
    this.speed = speed;
  }

  /** A property, so that it can be handed on as a function. */
  readonly nowMs = (): number =>
    this.#startMs + Math.floor((performance.now() - this.#realStartMs) * this.speed);

  monotonicMs(): number {
    return (performance.now() - this.#realStartMs) * this.speed;
  }

  after(delayMs: number, work: () => void): () => void {
    const timer = setTimeout(work, this.#real(delayMs)).unref();
    return () => clearTimeout(timer);
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    try {
      await delay(this.#real(delayMs), undefined, {
        ref: false,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  }

  /** Node fires up to a millisecond early, which would be `speed` milliseconds here; and it cannot count for ever. */
  #real(delayMs: number): number {
    return Math.min(2_147_483_647, Math.ceil(Math.max(0, delayMs) / this.speed) + 1);
  }
}
