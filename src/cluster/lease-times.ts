/** A lease ends this long after its last renewal. */
export const LEASE_MS = 9_000;
/** Work stops this long before the lease could end, so that what was just begun arrives before another begins. */
export const MARGIN_MS = 2_000;
/** A machine that slept: its monotonic clock stood still, the wall did not. */
const SLEPT_MS = 3_000;

/** Two clocks read at one moment. */
export interface Reading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/**
 * How long a lease is surely held, by this machine's own clocks: counted from before the last renewal that succeeded
 * was sent, since Redis counts from later. Pure.
 */
export class LeaseValidity {
  #sent: Reading;

  constructor(sent: Reading) {
    this.#sent = sent;
  }

  /** A renewal succeeded that was sent then. */
  renewed(sent: Reading): void {
    this.#sent = sent;
  }

  /** Whether something may be begun now. */
  mayWork(now: Reading): boolean {
    return this.#leftMs(now) > MARGIN_MS && !this.hasSlept(now);
  }

  /** Whether another may hold it by now. */
  isOver(now: Reading): boolean {
    return this.#leftMs(now) <= 0;
  }

  /** The wall ran ahead of the monotonic clock since the last renewal: the machine slept, or its clock was set. */
  hasSlept({ wallMs, monotonicMs }: Reading): boolean {
    return wallMs - this.#sent.wallMs - (monotonicMs - this.#sent.monotonicMs) >= SLEPT_MS;
  }

  #leftMs({ monotonicMs }: Reading): number {
    return this.#sent.monotonicMs + LEASE_MS - monotonicMs;
  }
}
