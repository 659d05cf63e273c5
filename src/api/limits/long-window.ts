import type { Eagerness } from "./kept-tokens.ts";

/** Windows up to this long are spent at once; longer ones are spread, so that their rest is not waited for blindly. */
const SHORT_WINDOW_MS = 5_000;
/** The part of a limit that is kept for people. */
const RESERVE = 0.2;
/** What people leave to polls of the rest. */
const POLL_SHARE = 0.3;
/** The reserve goes to the polls so long before the reset. */
const RELIEF_MS = 2_000;
/** Of a limit of so many one request is kept until then, for what must be asked at once. */
const ONE_KEPT_OF = 10;

/** What a bucket knows of its present window. Times are monotonic. */
export interface WindowLeft {
  readonly limit: number;
  /** How many may start, at least one. */
  readonly free: number;
  readonly inFlight: number;
  /** Where the window ends at the earliest, and as it was stated; undefined while no answer has told. */
  readonly end: { readonly soonestMs: number; readonly statedMs: number } | undefined;
  /** How long windows are. */
  readonly longestMs: number;
}

/**
 * Spreads a window of more than a few seconds: polls go at an even pace, people at once from a reserve and from what polls
 * can spare. What is left goes shortly before the end, and the last one after it, where it opens the next window.
 */
export class LongWindow {
  #isLong = false;
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastPollMs = Number.NEGATIVE_INFINITY;
  /** Started in the present window. */
  #polls = 0;
  #people = 0;

  /** Whether windows of this bucket are spread. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /** An answer showed a new window, of which `leastMs` is surely left. `isWhole`: its request opened that window. */
  onWindow(nowMs: number, leastMs: number, isWhole: boolean): void {
    if (isWhole || leastMs > SHORT_WINDOW_MS) this.#isLong = leastMs > SHORT_WINDOW_MS;
    this.#begin(nowMs);
  }

  /** The latest moment has passed at which the window can have ended. */
  onOver(nowMs: number): void {
    this.#begin(nowMs);
  }

  onStarted(nowMs: number, eagerness: Eagerness): void {
    if (eagerness === "eager") this.#people += 1;
    else {
      this.#polls += 1;
      this.#lastPollMs = nowMs;
    }
  }

  /** When a request may start; `nowMs` or earlier: at once; Infinity: after an answer. */
  readyAtMs(window: WindowLeft, nowMs: number, eagerness: Eagerness): number {
    const { limit, free, inFlight, end, longestMs } = window;
    if (end === undefined) {
      // The first poll of a window tells when it ends; where its answer does not, they go on at the pace of the last.
      if (eagerness === "eager") return nowMs;
      return inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastPollMs + longestMs / limit;
    }
    const reliefMs = end.statedMs - RELIEF_MS;
    const isRelieved = nowMs >= reliefMs;
    const reserve = Math.floor(RESERVE * limit);
    const kept = limit >= ONE_KEPT_OF ? 1 : 0;
    if (eagerness === "eager") {
      const forPolls = Math.max(0, Math.floor(POLL_SHARE * (limit - reserve)) - this.#polls);
      return isRelieved || free > forPolls + kept ? nowMs : reliefMs;
    }
    const forPeople = isRelieved ? 0 : Math.max(0, reserve - this.#people) + kept;
    if (free <= forPeople) return reliefMs;
    // The last one goes where the next window has probably begun.
    if (isRelieved && free === 1) return end.statedMs;
    const fromMs = Math.max(this.#beganMs, this.#lastPollMs);
    const untilMs = isRelieved ? Math.max(nowMs, end.soonestMs) : reliefMs;
    return fromMs + (untilMs - fromMs) / (free - forPeople + (isRelieved ? 0 : 1));
  }

  #begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#polls = 0;
    this.#people = 0;
  }
}
