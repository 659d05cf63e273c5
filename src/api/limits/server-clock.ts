import { Trial } from "./trial.ts";

/** When one request was written and its answer read, monotonic milliseconds. */
export interface Observation {
  readonly sentMs: number;
  readonly readMs: number;
}

/** A span of time, monotonic milliseconds. */
export interface Span {
  readonly lowMs: number;
  readonly highMs: number;
}

/** How far from the true reset of a window the several nodes behind one address may state it. */
export const WOBBLE_MS = 1_000;
/** This many windows must have ended well before their stated reset until rounding up is believed of every bucket. */
const WINDOWS_ROUNDED_UP = 3;
/** How far the service's clock may be from ours while no answer carried a `Date`. */
const UNKNOWN_MS = 1_000;
/** A `Date` may come from a second-long cache and clocks drift: bounds are this much wider than they could be. */
const SLACK_MS = 20;
const DRIFT_PER_MS = 1e-4;
/** A `Date` that is further off than this comes from a clock that was set, or from a node with a clock of its own. */
const OTHER_CLOCK_MS = 2_000;
/** Per answer, so that a longer round trip is noticed. */
const LEAST_GROWS = 1.002;

/**
 * How far the service's clock is ahead of our monotonic one, as an interval. A step of our wall clock changes nothing.
 * `Date` has whole seconds, so each answer gives bounds a second wide; many answers intersect to about a round trip.
 * Bounds that contradict by a little leave the newest answer alone. Where the service's clock was set, its times are read
 * as if it had not been: `Date` and reset move together, so what is left of a window does not change.
 */
export class ServerClock {
  #low: number;
  #high: number;
  #known = false;
  #seenMs = 0;
  /** What is added to the times that the service states, in whole seconds, since its clock was set. */
  #setByMs = 0;
  /** The same by the latest answer, where that is another: believed when it is met twice in a row. */
  #otherByMs: number | undefined;
  #timesSet = 0;
  /** Smoothed round trip, milliseconds. */
  #rttMs = 100;
  #rttKnown = false;
  /** The shortest recent round trip: a longer one has waited somewhere, on the way or here. */
  #leastRttMs = Number.POSITIVE_INFINITY;
  #roundedUp = 0;
  #roundsDown = false;
  #isByClock = false;
  #wobbles = false;
  readonly endsAsStated = new Trial();
  readonly beginsWithRequest = new Trial();

  /** `aheadMs`: wall time less monotonic time, believed until an answer carries a `Date`. */
  constructor(aheadMs: number) {
    this.#low = aheadMs - UNKNOWN_MS;
    this.#high = aheadMs + UNKNOWN_MS;
  }

  /** How often the service's clock was set: stated times from before and after differ by part of a second. */
  get timesSet(): number {
    return this.#timesSet;
  }

  /**
   * Takes in one answer. `dateMs` is its `Date` header, where it had one. Gives what is to be added to the times that this
   * answer states, so that they can be compared with those of other answers.
   */
  learn(observation: Observation, dateMs: number | undefined): number {
    const rtt = Math.max(0, observation.readMs - observation.sentMs);
    this.#rttMs = this.#rttKnown ? this.#rttMs * 0.9 + rtt * 0.1 : rtt;
    this.#rttKnown = true;
    this.#leastRttMs = Math.min(rtt, this.#leastRttMs * LEAST_GROWS);
    if (dateMs === undefined) return this.#setByMs;
    const byMs = this.#byMs(observation, dateMs);
    if (byMs !== this.#setByMs && !this.#believes(byMs)) return byMs;
    this.#otherByMs = undefined;
    const low = dateMs + this.#setByMs - observation.readMs - SLACK_MS;
    const high = dateMs + this.#setByMs + 1_000 - observation.sentMs + SLACK_MS;
    const drift = this.#known ? Math.max(0, observation.readMs - this.#seenMs) * DRIFT_PER_MS : 0;
    const nextLow = Math.max(low, this.#low - drift);
    const nextHigh = Math.min(high, this.#high + drift);
    const fits = this.#known && nextLow <= nextHigh;
    this.#low = fits ? nextLow : low;
    this.#high = fits ? nextHigh : high;
    this.#known = true;
    this.#seenMs = observation.readMs;
    return this.#setByMs;
  }

  /** The service's present by its other answers, where this `Date` alone is far from theirs. `setByMs`: as `learn` gave it. */
  asOthers(dateMs: number, setByMs: number): number {
    return dateMs + setByMs - this.#setByMs;
  }

  /** What is to be added to the times of an answer with this `Date`. */
  #byMs({ sentMs, readMs }: Observation, dateMs: number): number {
    const lateMs = this.#low - (dateMs + this.#setByMs + 1_000 - sentMs);
    const earlyMs = dateMs + this.#setByMs - readMs - this.#high;
    if (!this.#known || Math.max(lateMs, earlyMs) <= OTHER_CLOCK_MS) return this.#setByMs;
    const offMs = (this.#low + this.#high) / 2 - (dateMs + 500 - (sentMs + readMs) / 2);
    return Math.round(offMs / 1_000) * 1_000;
  }

  #believes(byMs: number): boolean {
    const isMetAgain = this.#otherByMs !== undefined && Math.abs(byMs - this.#otherByMs) <= 1_000;
    this.#otherByMs = byMs;
    if (!isMetAgain) return false;
    this.#setByMs = byMs;
    this.#timesSet += 1;
    return true;
  }

  /** A window went on when it was surely over: where no answer carries a `Date`, our clock is that far ahead or further. */
  noteBehind(): void {
    if (this.#known) return;
    [this.#low, this.#high] = [2 * this.#low - this.#high, this.#low];
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

  /** Whether stated resets are rounded up to whole seconds, as windows of several lengths have shown. */
  get roundsUp(): boolean {
    return !this.#wobbles && !this.#roundsDown && this.#roundedUp >= WINDOWS_ROUNDED_UP;
  }

  /** Whether a window was seen to go on after its stated reset. */
  get roundsDown(): boolean {
    return this.#roundsDown;
  }

  /** Whether a window lasted longer than those that begin with a request. */
  get isByClock(): boolean {
    return this.#isByClock;
  }

  /** Whether stated resets were seen a second off. */
  get wobbles(): boolean {
    return this.#wobbles;
  }

  /** A window ended so long before its stated reset that this was neither cut off nor rounded to the nearest second. */
  noteRoundedUp(): void {
    this.#roundedUp += 1;
  }

  /** What was learned of rounding came from a mixture of counters, or proved wrong. */
  forgetRounding(): void {
    this.#roundedUp = 0;
  }

  /** A window went on after its stated reset. */
  noteRoundedDown(): void {
    this.#roundsDown = true;
  }

  /** A window that had been opened by a request of ours lasted longer than earlier ones. */
  noteByClock(): void {
    this.#isByClock = true;
  }

  noteWobble(): void {
    this.#wobbles = true;
  }

  get rttMs(): number {
    return this.#rttMs;
  }

  /**
   * When that request reached the service: in the middle of its round trip, give or take what the trip took longer than
   * usual. What is written at the later of the two arrives by half a round trip later still.
   */
  arrival({ sentMs, readMs }: Observation): Span {
    const middleMs = (sentMs + readMs) / 2;
    const offMs = Math.max(0, (readMs - sentMs) / 2 - this.#leastRttMs);
    return { lowMs: middleMs - offMs, highMs: middleMs + offMs };
  }
}
