/** After so many good tries everybody does the same at will. */
const TRIES = 6;
/** A try of which nothing was heard for so long is forgotten. */
const LOST_MS = 10_000;
/** Tries that are closer together may all have met the same end of a window, so that they count as one. */
const APART_MS = 1_000;

/**
 * Something that may draw a refusal and that all counters of the service have in common. One at a time tries it, so that a
 * thousand servers learn from one refusal instead of one each. Times are monotonic.
 */
export class Trial {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #good = 0;
  /** When the last good one that counted was begun. */
  #countedMs = Number.NEGATIVE_INFINITY;

  /** Whether a counter may try it now. */
  isOpen(nowMs: number): boolean {
    return this.#good >= TRIES || nowMs - this.#sinceMs > LOST_MS;
  }

  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** `outcome`: "good" where it was not refused. */
  end(outcome: "good" | "bad" | "unknown"): void {
    const sinceMs = this.#sinceMs;
    this.#sinceMs = Number.NEGATIVE_INFINITY;
    if (outcome !== "good" || sinceMs - this.#countedMs < APART_MS) return;
    this.#good += 1;
    this.#countedMs = sinceMs;
  }
}
