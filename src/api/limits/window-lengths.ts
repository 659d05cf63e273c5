import { WOBBLE_MS } from "./server-clock.ts";

/** A reset this far ahead is believed at once while no window was seen from its beginning to its end. */
const LONGEST_FIRST_WINDOW_MS = 120_000;

/** How long the windows of a bucket last at most, as far as seen. */
export class WindowLengths {
  /** The present window from the request that opened it to its reset; 0 where another opened it. */
  #presentMs = 0;
  /** The longest that an answer of the next window has followed. */
  #confirmedMs = 0;
  #longestMs: number;

  /** `leastMs`: what is taken for a window while none was seen. */
  constructor(leastMs: number) {
    this.#longestMs = leastMs;
  }

  /** The longest that an answer named: what to wait when headers stop coming. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** How far ahead a reset may lie and be believed at once. */
  get usualMs(): number {
    return this.#confirmedMs === 0 ? LONGEST_FIRST_WINDOW_MS : 2 * this.#confirmedMs + 2 * WOBBLE_MS;
  }

  /** A new window, which confirms the one before. `mostMs`: the most it can last; 0 where its beginning was not seen. */
  onWindow(mostMs: number): void {
    this.#confirmedMs = Math.max(this.#confirmedMs, this.#presentMs);
    this.#presentMs = mostMs;
    this.#longestMs = Math.max(this.#longestMs, mostMs);
  }
}
