import type { ResetTracker } from "./reset-tracker.ts";
import { type Observation, type ServerClock, type Span, WOBBLE_MS } from "./server-clock.ts";
import { StatedEnd } from "./stated-end.ts";

/** Of a smaller limit no request can be spared for finding a window's end. */
export const LEAST_LIMIT = 4;
/** This many windows must agree closely before a learned edge is relied upon. */
const AGREEING_WINDOWS = 4;
const CLOSE_MS = 20;
/** The service states resets in whole seconds. */
const ROUNDING_MS = 1_000;
/** After a learned edge proved wrong, only what is certain counts for this many windows. */
const WINDOWS_OF_DISTRUST = 8;

/**
 * A quantity that may or may not be constant (a window's length; the distance of its end from the stated reset), as the
 * interval that everything seen fits in.
 */
class Constant {
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  /** Windows whose end was seen closely from both sides. */
  #closely = 0;
  /** Contradictions, fading: the model with fewer is believed. */
  misses = 0;

  get known(): boolean {
    return Number.isFinite(this.#low) && Number.isFinite(this.#high);
  }

  /** Windows that were seen closely fit it, and none did not. */
  isReliable(closeMs: number): boolean {
    return this.#high - this.#low <= closeMs && this.#closely >= AGREEING_WINDOWS && this.misses < 0.1;
  }

  /** By how many whole wobbles this must be moved to fit. */
  wobblesOff(low: number, high: number): number {
    const fits = (by: number) => low - by <= this.#high && high - by >= this.#low;
    return [0, WOBBLE_MS, -WOBBLE_MS].find(fits) ?? 0;
  }

  from(anchor: Span): Span {
    return { lowMs: anchor.lowMs + this.#low, highMs: anchor.highMs + this.#high };
  }

  /** `noiseMs`: how far what was seen may be off. `closeMs`: how near two edges must be to count as seen closely. */
  see([low, high]: readonly [number, number], noiseMs: number, closeMs: number): void {
    const nextLow = Math.max(this.#low, low - noiseMs);
    const nextHigh = Math.min(this.#high, high + noiseMs);
    this.misses *= 0.8;
    if (high - low <= 2 * closeMs) this.#closely += 1;
    if (nextLow <= nextHigh) {
      this.#low = nextLow;
      this.#high = nextHigh;
      return;
    }
    this.misses += 1;
    this.#closely = 0;
    // A slip of jitter moves the interval to the near end of what was seen; a wrong model starts anew.
    if (this.misses > 2.5) [this.#low, this.#high] = [low - noiseMs, high + noiseMs];
    else if (low > this.#high) [this.#low, this.#high] = [this.#high, low + 2 * noiseMs];
    else [this.#low, this.#high] = [high - 2 * noiseMs, this.#low];
  }
}

/**
 * Where the end of a bucket's present window lies. The stated reset has whole seconds and nothing says how they were
 * rounded: `latestMs` is the edge after which a new window is certain; `likely` is where it probably is, which is where
 * a probe is worth most; `releaseMs` is the late edge, narrowed once seen resets agree. A window may
 * begin with its first request or by the clock: the length and the offset are both learned, and where both would do, the
 * later end counts, so that neither being right by chance makes us early.
 */
export class WindowEdge {
  readonly #clock: ServerClock;
  #length = new Constant();
  #offset = new Constant();
  /** Proven by a window that ended half a second or more before its stated reset: neither cut off nor rounded to nearest. */
  #roundsUp = false;
  #roundsUpSeen = 0;
  readonly #resets: ResetTracker;
  readonly #statedEnd: StatedEnd;
  /** How much later than stated a window may end. */
  #slackMs = 0;
  /** Arrival of the request that opened the present window, where that was seen. */
  #opened: Span | undefined;
  /** Latest arrival seen in the present window. */
  #lastInsideMs = Number.NEGATIVE_INFINITY;
  #distrust = 0;
  /** Other processes of ours open windows, too. */
  #isShared = false;

  constructor(clock: ServerClock, resets: ResetTracker) {
    this.#clock = clock;
    this.#resets = resets;
    this.#statedEnd = new StatedEnd(clock);
  }

  /** From now on others open most windows: the moment of opening is only known by the answers before and after it. */
  beShared(): void {
    this.#isShared = true;
  }

  /** After this moment a request meets a new window. */
  latestMs(resetMs: number): number {
    return this.#clock.latest(resetMs + (this.#roundsUp ? 0 : ROUNDING_MS) + this.#slackMs);
  }

  /** Stated resets are known to be a second off now and then, so that alone they measure nothing closely. */
  wobbles(): void {
    if (this.#slackMs > 0) return;
    this.#slackMs = WOBBLE_MS;
    this.#clock.noteWobble();
    this.#roundsUp = false;
    this.#roundsUpSeen = 0;
    this.#length = new Constant();
    this.#offset = new Constant();
  }

  /** When the next window's first request may be written: its answer will say whether that was right. */
  releaseMs(resetMs: number, limit: number, nowMs: number): number {
    const latestMs = this.latestMs(resetMs);
    if (this.#isByStatedEnd(limit)) return Math.min(latestMs, this.#statedEnd.releaseMs(resetMs, nowMs));
    if (this.#distrust > 0) return latestMs;
    const learnedMs = this.#learnedMs(resetMs);
    // One request goes where the end is nearly sure; many only where it is certain.
    return learnedMs ?? (this.#resets.isSure ? latestMs - this.#slackMs : latestMs);
  }

  /** That request is written. */
  onReleased(resetMs: number | undefined, limit: number, nowMs: number): void {
    if (resetMs !== undefined && this.#isByStatedEnd(limit)) this.#statedEnd.onReleased(resetMs, nowMs);
  }

  onNotWritten(): void {
    this.#statedEnd.onNotWritten();
  }

  #isByStatedEnd(limit: number): boolean {
    return limit < LEAST_LIMIT && this.#slackMs === 0;
  }

  /** The end of the window by a measure that has proved right; undefined while there is none. */
  #learnedMs(resetMs: number): number | undefined {
    const latestMs = this.latestMs(resetMs);
    const byOffset = this.#offset.isReliable(this.closeMs);
    const byLength = this.#length.isReliable(this.closeMs);
    const offsetMs = byOffset ? this.#byOffset(resetMs).highMs : Number.NEGATIVE_INFINITY;
    // Resets that wobble are no measure where there is a better one.
    const laterMs = this.#slackMs === 0 ? offsetMs : Number.NEGATIVE_INFINITY;
    // Of a window that others opened only a span is known, and counting from its late end is late each time.
    if (byOffset && this.#slackMs === 0 && this.#isOpenedByOthers) return Math.min(latestMs, offsetMs);
    // An arrival is meant, and what is written then arrives half a round trip later: that is the margin.
    if (byLength)
      return this.#opened === undefined
        ? undefined
        : Math.min(latestMs, Math.max(laterMs, this.#length.from(this.#opened).highMs));
    // Windows that begin with a request have one length: only the others need the stated reset as their measure.
    return byOffset && this.#length.misses >= 0.5 ? Math.min(latestMs, offsetMs) : undefined;
  }

  get #isOpenedByOthers(): boolean {
    const opened = this.#opened;
    return opened !== undefined && this.#isShared && opened.highMs - opened.lowMs > this.closeMs;
  }

  /** How closely an end must be known to be relied upon. */
  get closeMs(): number {
    return Math.max(CLOSE_MS, 0.5 * this.#clock.rttMs);
  }

  /** Whether the ends of windows follow a measure that has proved right. */
  get isReliable(): boolean {
    const byLength = this.#length.isReliable(this.closeMs);
    return this.#distrust === 0 && (byLength || this.#offset.isReliable(this.closeMs));
  }

  /** Whether the end is known well enough to need no probing. */
  isLearned(resetMs: number): boolean {
    if (this.#distrust > 0) return false;
    return (this.#learnedMs(resetMs) ?? Number.POSITIVE_INFINITY) < this.latestMs(resetMs);
  }

  /** A window was not over when it was thought to be. */
  wasWrong(resetMs: number, sentMs: number): void {
    if (sentMs >= this.latestMs(resetMs)) this.#clock.noteBehind();
    this.#statedEnd.onWrong(resetMs, sentMs);
    this.#distrust = WINDOWS_OF_DISTRUST;
    this.#clock.forgetRounding();
  }

  /** Where the window probably ends, never outside what is certain. */
  likely(resetMs: number): Span {
    const certain = {
      lowMs: Math.max(this.#clock.earliest(resetMs - 1_000 - this.#slackMs), this.#lastInsideMs),
      highMs: this.latestMs(resetMs),
    };
    const byLength =
      this.#opened !== undefined && this.#length.known ? this.#length.from(this.#opened) : undefined;
    const byOffset = this.#offset.known ? this.#byOffset(resetMs) : undefined;
    const guess = this.#choose(byLength, byOffset);
    if (guess === undefined) return certain;
    const lowMs = Math.max(certain.lowMs, guess.lowMs);
    const highMs = Math.min(certain.highMs, guess.highMs);
    return lowMs <= highMs ? { lowMs, highMs } : certain;
  }

  /** Where the window ends by its stated reset; a second later where that is sooner than a window lasts. */
  #byOffset(resetMs: number): Span {
    const middleMs = this.#clock.middle(resetMs);
    const span = this.#offset.from({ lowMs: middleMs, highMs: middleMs });
    if (this.#slackMs === 0 || this.#opened === undefined || !this.#length.known) return span;
    const leastMs = this.#length.from(this.#opened).lowMs - this.closeMs;
    return span.highMs >= leastMs
      ? span
      : { lowMs: span.lowMs + this.#slackMs, highMs: span.highMs + this.#slackMs };
  }

  /** The guess of the model that was wrong less often; while neither was, whatever either says. */
  #choose(byLength: Span | undefined, byOffset: Span | undefined): Span | undefined {
    if (byLength === undefined || byOffset === undefined) return byLength ?? byOffset;
    const difference = this.#length.misses - this.#offset.misses;
    if (Math.abs(difference) > 0.2) return difference > 0 ? byOffset : byLength;
    return {
      lowMs: Math.min(byLength.lowMs, byOffset.lowMs),
      highMs: Math.max(byLength.highMs, byOffset.highMs),
    };
  }

  /** A request was answered inside the present window. `opened`: it was the first, though others were heard before. */
  inside(resetMs: number, observation: Observation, opened: boolean): void {
    if (this.#slackMs === 0 && observation.sentMs >= this.#clock.latest(resetMs))
      this.#clock.noteRoundedDown();
    const arrival = this.#clock.arrival(observation);
    this.#lastInsideMs = Math.max(this.#lastInsideMs, arrival.lowMs);
    if (opened) this.#opened = arrival;
  }

  /** The first answer of a new window. `opened`: the reset of that window, where its request was the first. */
  renewed(oldResetMs: number, observation: Observation, opened: number | undefined): void {
    const arrival = this.#clock.arrival(observation);
    this.#distrust = Math.max(0, this.#distrust - 1);
    this.#learnRounding(oldResetMs, observation);
    if (Number.isFinite(this.#lastInsideMs) && this.#lastInsideMs <= arrival.highMs) {
      const noiseMs = this.#clock.rttMs / 8;
      const anchorMs = this.#clock.middle(oldResetMs);
      const [low, high] = [this.#lastInsideMs - anchorMs, arrival.highMs - anchorMs];
      const offMs = this.#slackMs === 0 ? 0 : this.#offset.wobblesOff(low, high);
      this.#offset.see([low - offMs, high - offMs], noiseMs, this.closeMs);
      if (this.#opened !== undefined) {
        const leastMs = this.#lastInsideMs - this.#opened.highMs;
        const mostMs = arrival.highMs - this.#opened.lowMs;
        this.#length.see([leastMs, mostMs], noiseMs, this.closeMs);
      }
    }
    this.#open(arrival, opened);
    if (opened === undefined) this.#opened = this.#openedByOthers(arrival);
    this.#lastInsideMs = arrival.lowMs;
  }

  /** The window was opened after the last request that the one before answered, and before this one arrived. */
  #openedByOthers({ highMs }: Span): Span | undefined {
    const lowMs = this.#lastInsideMs;
    return this.#isShared && Number.isFinite(lowMs) && lowMs <= highMs ? { lowMs, highMs } : undefined;
  }

  #open(arrival: Span, resetMs: number | undefined): void {
    this.#opened = resetMs === undefined ? undefined : arrival;
    if (resetMs === undefined) this.#statedEnd.onOther();
    else this.#statedEnd.onOpened(arrival, resetMs);
  }

  #learnRounding(oldResetMs: number, { readMs }: Observation): void {
    if (!this.#resets.wasSure || readMs > this.#clock.earliest(oldResetMs - ROUNDING_MS / 2)) return;
    this.#roundsUpSeen += 1;
    this.#clock.noteRoundedUp();
    // Where resets wobble, even the likeliest can be wrong once.
    if (this.#slackMs === 0 || this.#roundsUpSeen >= 2) this.#roundsUp = true;
  }

  /** The window that begins is the first one seen, or nothing is known of the one before. */
  begin(observation: Observation, opened: number | undefined): void {
    const arrival = this.#clock.arrival(observation);
    this.#open(arrival, opened);
    this.#lastInsideMs = arrival.lowMs;
  }
}
