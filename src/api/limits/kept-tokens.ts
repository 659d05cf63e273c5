import type { ServerClock } from "./server-clock.ts";
import { LEAST_LIMIT, type WindowEdge } from "./window-edge.ts";

/** Who asks: automatic polls leave the last tokens of a window for finding its end; people do not wait long for it. */
export type Eagerness = "eager" | "patient";

/** How long people wait so that the end of a window can be learned, which makes every later wait shorter. */
const EAGER_PATIENCE_MS = 1_000;
/** The most tokens of a window that are kept for finding its end while little is known of it. */
const MOST_KEPT = 8;
/** The same once the end is nearly known. */
const KEPT_WHEN_CLOSE = 2;
/** How many more are kept while windows still run out before their end is seen. */
const MOST_SPARE = 4;

/** What a bucket knows of its present window when a request wants one of its last tokens. */
export interface LastTokens {
  readonly limit: number;
  readonly free: number;
  /** The stated reset, epoch milliseconds of the service. */
  readonly resetMs: number;
  readonly lastStartMs: number;
  /** Resets of one window differ between answers. */
  readonly wobbles: boolean;
}

/**
 * The last tokens of each window while its end is being learned. They are worth most where the end is in doubt: sent
 * there, each either still spends from this window or opens the next one and says so, long before the late edge, and
 * never at the risk of a refusal. Times are monotonic.
 */
export class KeptTokens {
  readonly #clock: ServerClock;
  readonly #edge: WindowEdge;
  /** Tokens kept beside the usual ones, because those went before the window's end. */
  #spare = 0;
  /** Whether a request found nothing left of the present window. */
  #ranOut = false;
  /** Whether a request had to wait in the present window, and in the one before. */
  #isWaitedFor = false;
  #isScarce = false;

  constructor(clock: ServerClock, edge: WindowEdge) {
    this.#clock = clock;
    this.#edge = edge;
  }

  /** Of a window of which nothing is known yet. */
  mostOf(limit: number | undefined): number {
    return limit === undefined ? 0 : kept(limit, MOST_KEPT);
  }

  /** A request found nothing left. */
  onNothingLeft(): void {
    this.#ranOut = true;
    this.#isWaitedFor = true;
  }

  /** `isSeen`: an answer showed the next window; else the latest moment has passed at which the window can have ended. */
  onWindowOver(isSeen: boolean): void {
    if (isSeen) this.#spare = Math.max(0, this.#spare - 1);
    else if (this.#ranOut) this.#spare = Math.min(MOST_SPARE, this.#spare + 2);
    this.#isScarce = this.#isWaitedFor;
    this.#isWaitedFor = false;
    this.#ranOut = false;
  }

  /** When a request may take one of the tokens that are left; `nowMs` or earlier: at once. */
  readyAtMs(tokens: LastTokens, nowMs: number, eagerness: Eagerness): number {
    const { free, resetMs } = tokens;
    if (free > MOST_KEPT || this.#edge.isLearned(resetMs)) return nowMs;
    const probeMs = this.#probeAtMs(tokens, nowMs);
    if (probeMs > nowMs) this.#isWaitedFor = true;
    if (eagerness === "patient" || probeMs <= nowMs + EAGER_PATIENCE_MS) return probeMs;
    // Where windows run out, people wait for their ends: two tokens that show where those lie shorten all such waits.
    return this.#isScarce && free <= KEPT_WHEN_CLOSE ? probeMs : nowMs;
  }

  #probeAtMs(tokens: LastTokens, nowMs: number): number {
    const { limit, free, resetMs } = tokens;
    const likely = this.#edge.likely(resetMs);
    const isClose = likely.highMs - likely.lowMs <= this.#edge.closeMs;
    if (free > kept(limit, isClose ? KEPT_WHEN_CLOSE + this.#spare : MOST_KEPT)) return nowMs;
    const rttMs = this.#clock.rttMs;
    const arriveMs = this.#arriveMs(tokens, { ...likely, isClose });
    return Math.min(arriveMs - rttMs / 2, this.#edge.latestMs(resetMs));
  }

  /** When the next of these tokens is to reach the service, where the window ends between `lowMs` and `highMs`. */
  #arriveMs(
    { free, lastStartMs, wobbles }: LastTokens,
    end: { readonly lowMs: number; readonly highMs: number; readonly isClose: boolean },
  ): number {
    const { lowMs, highMs, isClose } = end;
    const rttMs = this.#clock.rttMs;
    const marginMs = rttMs / 16;
    const beyondMs = highMs + marginMs;
    const lastArrivalMs = lastStartMs + rttMs / 2;
    // The end is later than it seemed: each further token goes twice as far, until one meets the next window.
    if (lastArrivalMs > highMs)
      return lastArrivalMs + Math.max(rttMs, this.#edge.closeMs, lastArrivalMs - highMs);
    // One on either side of the end shows it closely.
    if (isClose) return free > 1 && lastArrivalMs < lowMs - this.#edge.closeMs ? lowMs - marginMs : beyondMs;
    const fromMs = Math.max(lowMs, lastArrivalMs);
    // Where stated resets are no help the first goes to the near end: were each window opened by the first, nobody would
    // find out that it ended long before.
    if (wobbles && free > 2 && lastArrivalMs < lowMs - rttMs) return fromMs;
    // Far apart while little is known; one is left for an end that is later than it seems.
    return fromMs + (beyondMs - fromMs) / (free > 3 && this.#spare > 0 ? free - 1 : free);
  }
}

function kept(limit: number, most: number): number {
  return limit < LEAST_LIMIT ? 0 : Math.min(most, Math.floor(limit / 2));
}
