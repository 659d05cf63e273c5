/** Refusals that lie closer together are one: what was on its way when the first came is refused as well. */
const SAME_REFUSAL_MS = 1_000;
const REMEMBERED_MS = 10 * 60_000;
/** So many of them within that time mean that what answers say of the limits is not what the service counts. */
const MOST_REFUSALS = 6;
/**
 * Unless they are few among many requests: at a high pace even resets that are told a second off draw one of two thousand,
 * which is six in ten minutes.
 */
const AMONG_REQUESTS = 400;
/** The pace of a start at which nothing is known yet. */
const CAUTIOUS_MS = 1_000;
/** Where even that is refused, as where another program takes nearly all, each refusal doubles the wait up to this. */
const LONGEST_PACE_MS = 60_000;
/** So many requests without a refusal halve it again. */
const GOOD_REQUESTS = 16;

interface Refusal {
  readonly atMs: number;
  /** How many requests had been started by then. */
  readonly started: number;
}

/**
 * Falls back to one request at a time, one a second and then ever fewer, where the service refuses again and again what its own headers
 * allowed: a clock that runs ahead, counters that several programs spend from, or numbers that mean something else. Who
 * goes on after refusals is blocked in the end (spec: Limits 6). Pure; times are monotonic milliseconds.
 */
export class Restraint {
  #refusals: readonly Refusal[] = [];
  #started = 0;
  #inFlight = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #paceMs = CAUTIOUS_MS;
  #sinceRefusal = 0;

  /** When the next request may start; infinitely late until the one on its way has ended. */
  readyAtMs(nowMs: number): number {
    if (!this.#isOn(nowMs)) return nowMs;
    return this.#inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + this.#paceMs;
  }

  #isOn(nowMs: number): boolean {
    const [oldest] = this.#refusals;
    if (oldest === undefined || this.#refusals.length < MOST_REFUSALS) return false;
    return nowMs - oldest.atMs < REMEMBERED_MS && this.#started - oldest.started < AMONG_REQUESTS;
  }

  onStarted(nowMs: number): void {
    this.#started += 1;
    this.#inFlight += 1;
    this.#lastStartMs = nowMs;
    this.#sinceRefusal += 1;
    if (this.#sinceRefusal < GOOD_REQUESTS) return;
    this.#sinceRefusal = 0;
    this.#paceMs = Math.max(CAUTIOUS_MS, this.#paceMs / 2);
  }

  onEnded(): void {
    this.#inFlight -= 1;
  }

  /** A request was refused with a 429 that speaks of everybody's limit. */
  onRefused(nowMs: number): void {
    const last = this.#refusals.at(-1);
    if (last !== undefined && nowMs - last.atMs < SAME_REFUSAL_MS) return;
    this.#paceMs = this.#isOn(nowMs) ? Math.min(LONGEST_PACE_MS, this.#paceMs * 2) : CAUTIOUS_MS;
    this.#sinceRefusal = 0;
    this.#refusals = [...this.#refusals, { atMs: nowMs, started: this.#started }].slice(-MOST_REFUSALS);
  }
}
