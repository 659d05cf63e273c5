/** When one request was written and its answer read, monotonic milliseconds. */
export interface Observation {
  readonly sentMs: number;
  readonly readMs: number;
}

/** How far the resets that several nodes behind one address tell of one window lie from the true one. */
export const WOBBLE_MS = 1_000;
/** How far the service's clock may be from ours while no answer carried a `Date`. */
const UNKNOWN_MS = 1_000;
/** A `Date` may come from a second-long cache and clocks drift: bounds are this much wider than they could be. */
const SLACK_MS = 20;
const DRIFT_PER_MS = 1e-4;

/**
 * How far the service's clock is ahead of our monotonic one, as an interval. A step of our wall clock changes nothing. `Date` has whole seconds, so each answer gives bounds a
 * second wide; many answers intersect to about a round trip. Clocks that step make bounds that contradict: then the
 * newest answer alone counts.
 */
export class ServerClock {
  #low: number;
  #high: number;
  #known = false;
  #seenMs = 0;
  /** Smoothed round trip, milliseconds. */
  #rttMs = 100;
  #rttKnown = false;

  /** `aheadMs`: wall time less monotonic time, believed until an answer carries a `Date`. */
  constructor(aheadMs: number) {
    this.#low = aheadMs - UNKNOWN_MS;
    this.#high = aheadMs + UNKNOWN_MS;
  }

  /** Takes in one answer. `dateMs` is its `Date` header, where it had one. */
  learn(sighting: Observation, dateMs: number | undefined): void {
    const rtt = Math.max(0, sighting.readMs - sighting.sentMs);
    this.#rttMs = this.#rttKnown ? this.#rttMs * 0.9 + rtt * 0.1 : rtt;
    this.#rttKnown = true;
    if (dateMs === undefined) return;
    const low = dateMs - sighting.readMs - SLACK_MS;
    const high = dateMs + 1_000 - sighting.sentMs + SLACK_MS;
    const drift = this.#known ? Math.max(0, sighting.readMs - this.#seenMs) * DRIFT_PER_MS : 0;
    const nextLow = Math.max(low, this.#low - drift);
    const nextHigh = Math.min(high, this.#high + drift);
    const fits = this.#known && nextLow <= nextHigh;
    this.#low = fits ? nextLow : low;
    this.#high = fits ? nextHigh : high;
    this.#known = true;
    this.#seenMs = sighting.readMs;
  }

  /** The earliest moment, on our clock, that the service's clock may show `serverMs`. */
  earliest(serverMs: number): number {
    return serverMs - this.#high;
  }

  /** The latest moment, on our clock, at which the service's clock shows `serverMs`. */
  latest(serverMs: number): number {
    return serverMs - this.#low;
  }

  /** The earliest that the service's clock can show at this moment of ours. */
  serverMs(nowMs: number): number {
    return nowMs + this.#low;
  }

  /** The likeliest moment. */
  middle(serverMs: number): number {
    return serverMs - (this.#low + this.#high) / 2;
  }

  get rttMs(): number {
    return this.#rttMs;
  }
}
