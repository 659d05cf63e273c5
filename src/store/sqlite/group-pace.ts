/** The longest that a group waits for more, because each commit writes a page at least. No first answer waits for it. */
const MOST_MS = 50;
const LEAST_MS = 2;

/**
 * How long a group of writes waits for more: not at all while they come one by one, and longer for as long as that brings
 * several together.
 */
export class GroupPace {
  waitMs = 0;

  /** A group has begun. */
  note(size: number): void {
    const longer = Math.min(MOST_MS, Math.max(LEAST_MS, 4 * this.waitMs));
    const shorter = this.waitMs <= LEAST_MS ? 0 : this.waitMs / 2;
    this.waitMs = size > 1 ? longer : shorter;
  }
}
