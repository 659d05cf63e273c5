import type { ServerClock, Sighting } from "./server-clock.ts";

/** A span of time, epoch milliseconds on our clock. */
export interface Span {
  readonly lowMs: number;
  readonly highMs: number;
}

/**
 * A quantity that may or may not be constant (a window's length; the distance of its end from the told reset), as the
 * interval that everything seen fits in. It only ever decides where to *probe*, never what is safe, so it may be bold.
 */
class Constant {
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  /** Contradictions, fading: the model with fewer is believed. */
  misses = 0;

  get known(): boolean {
    return Number.isFinite(this.#low) && Number.isFinite(this.#high);
  }

  from(anchorMs: number): Span {
    return { lowMs: anchorMs + this.#low, highMs: anchorMs + this.#high };
  }

  see(low: number, high: number, noiseMs: number): void {
    const nextLow = Math.max(this.#low, low - noiseMs);
    const nextHigh = Math.min(this.#high, high + noiseMs);
    this.misses *= 0.8;
    if (nextLow <= nextHigh) {
      this.#low = nextLow;
      this.#high = nextHigh;
      return;
    }
    this.misses += 1;
    // A slip of jitter moves the interval to the near end of what was seen; a wrong model starts anew.
    if (this.misses > 2.5) [this.#low, this.#high] = [low - noiseMs, high + noiseMs];
    else if (low > this.#high) [this.#low, this.#high] = [this.#high, low + 2 * noiseMs];
    else [this.#low, this.#high] = [high - 2 * noiseMs, this.#low];
  }
}

/**
 * Where the end of a bucket's present window lies. The told reset has whole seconds and nobody says how they were
 * rounded: `latestMs` is the edge after which a new window is certain (design 4: release at the late edge until seen
 * resets narrow it); `likely` is where it probably is, which is where a probe is worth most.
 */
export class WindowEdge {
  readonly #clock: ServerClock;
  readonly #length = new Constant();
  readonly #offset = new Constant();
  /** Proven by a window that ended half a second or more before its told reset: neither cut off nor rounded to nearest. */
  #roundsUp = false;
  /** Arrival of the request that opened the present window, where that was seen. */
  #openedMs: number | undefined;
  /** Latest arrival seen in the present window. */
  #lastInsideMs = Number.NEGATIVE_INFINITY;

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** After this moment a request meets a new window. */
  latestMs(resetMs: number): number {
    return this.#clock.latest(resetMs + (this.#roundsUp ? 0 : 1_000));
  }

  /** Where the window probably ends, never outside what is certain. */
  likely(resetMs: number): Span {
    const certain = {
      lowMs: Math.max(this.#clock.earliest(resetMs - 1_000), this.#lastInsideMs),
      highMs: this.latestMs(resetMs),
    };
    const guesses: Span[] = [];
    const byLength = this.#openedMs !== undefined && this.#length.known;
    if (byLength && this.#openedMs !== undefined) guesses.push(this.#length.from(this.#openedMs));
    if (this.#offset.known) guesses.push(this.#offset.from(this.#clock.middle(resetMs)));
    const first = guesses[0];
    const second = guesses[1];
    if (first === undefined) return certain;
    const preferSecond =
      second !== undefined &&
      (this.#offset.misses < this.#length.misses - 0.2 ||
        (Math.abs(this.#offset.misses - this.#length.misses) <= 0.2 && width(second) < width(first)));
    const guess = preferSecond && second !== undefined ? second : first;
    const lowMs = Math.max(certain.lowMs, guess.lowMs);
    const highMs = Math.min(certain.highMs, guess.highMs);
    return lowMs <= highMs ? { lowMs, highMs } : certain;
  }

  /** A request was answered inside the present window. */
  inside(sighting: Sighting): void {
    this.#lastInsideMs = Math.max(this.#lastInsideMs, arrival(sighting));
  }

  /** The first answer of a new window. `opened`: its request was the first of that window. */
  renewed(oldResetMs: number, sighting: Sighting, opened: boolean): void {
    const atMs = arrival(sighting);
    if (sighting.readMs <= this.#clock.earliest(oldResetMs - 500)) this.#roundsUp = true;
    if (Number.isFinite(this.#lastInsideMs) && this.#lastInsideMs <= atMs) {
      const noiseMs = this.#clock.rttMs / 8;
      const anchorMs = this.#clock.middle(oldResetMs);
      this.#offset.see(this.#lastInsideMs - anchorMs, atMs - anchorMs, noiseMs);
      if (this.#openedMs !== undefined)
        this.#length.see(this.#lastInsideMs - this.#openedMs, atMs - this.#openedMs, noiseMs);
    }
    this.#openedMs = opened ? atMs : undefined;
    this.#lastInsideMs = atMs;
  }

  /** The window that begins is the first that was ever seen, or nothing is known of the one before. */
  begin(sighting: Sighting, opened: boolean): void {
    this.#openedMs = opened ? arrival(sighting) : undefined;
    this.#lastInsideMs = arrival(sighting);
  }
}

function arrival(sighting: Sighting): number {
  return (sighting.sentMs + sighting.readMs) / 2;
}

function width(span: Span): number {
  return span.highMs - span.lowMs;
}
