const MINUTE_MS = 60_000;
/** A request that is waited for ends sooner. What takes longer is a time in which nothing may start, such as a halt. */
const LONGEST_MS = 10_000;
/** The share of a minute from which on it is not only that many asked at the same moment. */
const BEGINS_AT = 0.5;

/**
 * For how much of the time requests waited for the budget of bad keys although the limits of the service would have let
 * them go. Pure; times are monotonic.
 */
export class BudgetWaits {
  readonly #onBegan: () => void;
  #minute = 0;
  #waitedMs = 0;
  /** Of the last full minute. */
  #share = 0;
  /** Since then one waits. */
  #sinceMs: number | undefined;

  /** @param onBegan Called when the budget has become what requests wait for most of the time. */
  constructor(onBegan: () => void) {
    this.#onBegan = onBegan;
  }

  /** The share of the last full minute, 0 to 1. */
  share(nowMs: number): number {
    return Math.floor(nowMs / MINUTE_MS) - this.#minute > 1 ? 0 : this.#share;
  }

  /** All that wait are looked at anew now. */
  onLook(nowMs: number): void {
    if (this.#sinceMs !== undefined) this.#waitedMs += Math.min(LONGEST_MS, nowMs - this.#sinceMs);
    this.#sinceMs = undefined;
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.#minute) return;
    const hadBegun = this.#share >= BEGINS_AT;
    this.#share = minute === this.#minute + 1 ? Math.min(1, this.#waitedMs / MINUTE_MS) : 0;
    this.#waitedMs = 0;
    this.#minute = minute;
    if (!hadBegun && this.#share >= BEGINS_AT) this.#onBegan();
  }

  /** One waits for the budget alone, until the next look. */
  onWait(nowMs: number): void {
    this.#sinceMs = nowMs;
  }
}
