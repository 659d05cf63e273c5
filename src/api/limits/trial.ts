/** After so many good tries everybody does the same at will. */
const TRIES = 6;
/** A try of which nothing was heard for so long is forgotten. */
const LOST_MS = 10_000;

/**
 * Something that may draw a refusal and that all counters of the service have in common. One at a time tries it, so that a
 * thousand servers learn from one refusal instead of one each. Times are monotonic.
 */
export class Trial {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #good = 0;

  /** Whether a counter may try it now. */
  isOpen(nowMs: number): boolean {
    return this.#good >= TRIES || nowMs - this.#sinceMs > LOST_MS;
  }

  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** `outcome`: "good" where it was not refused. */
  end(outcome: "good" | "bad" | "unknown"): void {
    this.#sinceMs = Number.NEGATIVE_INFINITY;
    if (outcome === "good") this.#good += 1;
  }
}
