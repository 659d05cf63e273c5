/** The longest that a group waits for more, because each commit writes a page of its own. */
const MOST_MS = 20;
/** The same for what may go ahead. */
const MOST_AHEAD_MS = 10;
const LEAST_MS = 2;

/**
 * How long a group of writes waits for more: not at all while they come one by one, and longer for as long as that brings
 * several together.
 */
export class GroupPace {
  #waitMs = 0;

  waitMs(isAhead: boolean): number {
    return Math.min(this.#waitMs, isAhead ? MOST_AHEAD_MS : MOST_MS);
  }

  /** A group has begun. */
  note(size: number): void {
    const longer = Math.min(MOST_MS, Math.max(LEAST_MS, 4 * this.#waitMs));
    const shorter = this.#waitMs <= LEAST_MS ? 0 : this.#waitMs / 2;
    this.#waitMs = size > 1 ? longer : shorter;
  }
}
