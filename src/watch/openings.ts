import type { SourceStats } from "./source-stats.ts";

/** What an occupied server is at least taken to bring, entries a second. */
export const QUIET_PER_S = 1 / 600;

/** Until it is known: an empty server fills once in six hours, believed like eighteen hours of watching. */
const PRIOR_OPENINGS = 3;
const PRIOR_EMPTY_S = 18 * 3_600;
/** Older looks count less: half after this many. */
const HALF_AFTER_LOOKS = 3_000;
const KEPT_PER_LOOK = 0.5 ** (1 / HALF_AFTER_LOOKS);
/** What a server brought when it was occupied is believed like this much watching against the average of all. */
const AVERAGE_BELIEVED_S = 300;

/** How often empty servers fill, and what they then bring: learned from all of them together. */
export class Openings {
  #openings = 0;
  #emptyS = 0;
  #rows = 0;
  #occupiedS = 0;

  /** One server was looked at again after `sinceS`. */
  note(before: SourceStats, after: SourceStats, sinceS: number): void {
    if (after.occupied) {
      // By time, not by look: busy servers are looked at more often.
      this.#rows = this.#rows * KEPT_PER_LOOK + after.weighedPerS * sinceS;
      this.#occupiedS = this.#occupiedS * KEPT_PER_LOOK + sinceS;
    }
    if (before.occupied) return;
    this.#openings = this.#openings * KEPT_PER_LOOK + (after.occupied ? 1 : 0);
    this.#emptyS = this.#emptyS * KEPT_PER_LOOK + (after.occupied ? sinceS / 2 : sinceS);
  }

  /** How often an empty server fills, times a second. */
  get perS(): number {
    return (this.#openings + PRIOR_OPENINGS) / (this.#emptyS + PRIOR_EMPTY_S);
  }

  /** What this empty server is expected to bring once it has filled, weighed entries a second. */
  rateOf({ weighedPerS, occupiedS }: SourceStats): number {
    const average = this.#occupiedS === 0 ? 0 : this.#rows / this.#occupiedS;
    const believed = weighedPerS * occupiedS + average * AVERAGE_BELIEVED_S;
    return Math.max(QUIET_PER_S, believed / (occupiedS + AVERAGE_BELIEVED_S));
  }
}
