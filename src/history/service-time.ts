import type { Snapshot } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";

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

  /** Seconds; undefined before an answer said it. */
  seconds(): number | undefined {
    return this.#aheadMs === undefined
      ? undefined
      : Math.floor((this.#aheadMs + this.#clock.monotonicMs()) / 1_000);
  }
}
