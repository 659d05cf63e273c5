import type { SourceStats } from "./source-stats.ts";

/** The least rate assumed for an occupied server, entries a second. */
export const QUIET_ENTRIES_PER_S = 1 / 600;

/** The rate assumed at first: an empty server fills once in six hours. It counts like eighteen hours of watching. */
const PRIOR_FILLS = 3;
const PRIOR_EMPTY_S = 18 * 3_600;
/** Older polls count less: half after this many. */
const HALF_AFTER_POLLS = 3_000;
const KEPT_PER_POLL = 0.5 ** (1 / HALF_AFTER_POLLS);
/** The average over all servers counts like this much watching of one server. */
const AVERAGE_COUNTS_S = 300;

/** Learns from all servers together how often empty ones fill and how many entries they then bring. */
export class EmptyServerStats {
  #fills = 0;
  #emptyS = 0;
  #rows = 0;
  #occupiedS = 0;

  /** Takes in that one server was polled again after `sinceS`. */
  learn(before: SourceStats, after: SourceStats, sinceS: number): void {
    if (after.occupied) {
      // Weighed by time and not by poll, because busy servers are polled more often.
      this.#rows = this.#rows * KEPT_PER_POLL + after.weighedPerS * sinceS;
      this.#occupiedS = this.#occupiedS * KEPT_PER_POLL + sinceS;
    }
    if (before.occupied) return;
    this.#fills = this.#fills * KEPT_PER_POLL + (after.occupied ? 1 : 0);
    this.#emptyS = this.#emptyS * KEPT_PER_POLL + (after.occupied ? sinceS / 2 : sinceS);
  }

  /** How often an empty server fills, times a second. */
  get fillsPerS(): number {
    return (this.#fills + PRIOR_FILLS) / (this.#emptyS + PRIOR_EMPTY_S);
  }

  /** The rate expected of this empty server once it has filled, weighed entries a second. */
  rateOf({ weighedPerS, occupiedS }: SourceStats): number {
    const average = this.#occupiedS === 0 ? 0 : this.#rows / this.#occupiedS;
    const rows = weighedPerS * occupiedS + average * AVERAGE_COUNTS_S;
    return Math.max(QUIET_ENTRIES_PER_S, rows / (occupiedS + AVERAGE_COUNTS_S));
  }
}
