import type { Snapshot } from "./model.ts";
import type { Clock } from "./ports/clock.ts";

/** The present by the service's clock, from its last answer on by monotonic time: steps of our clock change nothing. */
export class ServiceTime {
  readonly #clock: Clock;
  #aheadMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ serviceAtMs }: Snapshot): void {
    if (serviceAtMs !== undefined) this.#aheadMs = serviceAtMs - this.#clock.monotonicMs();
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
