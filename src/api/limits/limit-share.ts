/**
 * This process's share of a limit that several processes spend from: how many requests of a window it may start. A raise
 * counts from the next window, because the others' shares of this one are being used; a cut counts at once; an expired
 * share is nothing. Pure; times are monotonic.
 */
export class LimitShare {
  #present = 0;
  #next = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #spent = 0;

  /** Whether nothing may be started until a share is granted. */
  isNothing(nowMs: number): boolean {
    return nowMs >= this.#untilMs || Math.max(this.#present, this.#next) < 1;
  }

  /** How many more requests may start in this window. */
  left(nowMs: number): number {
    return this.isNothing(nowMs) ? 0 : this.#present - this.#spent;
  }

  /** The most of this window. */
  get present(): number {
    return this.#present;
  }

  /** Granted until then; to be granted anew before. */
  grant(share: number, untilMs: number, nowMs: number): void {
    if (nowMs >= this.#untilMs) this.#present = 0;
    this.#next = share;
    this.#present = Math.min(this.#present, share);
    this.#untilMs = untilMs;
  }

  /** It is not known what was granted: it may be less than before. */
  withdraw(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }

  /** A window begins of which this many are spent already. */
  onWindow(spent: number): void {
    this.#present = this.#next;
    this.#spent = spent;
  }

  /** A request started, or with -1 never left. */
  spend(count: 1 | -1): void {
    this.#spent = Math.max(0, this.#spent + count);
  }
}
