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

interface Refusal {
  readonly atMs: number;
  /** How many requests had been started by then. */
  readonly started: number;
}

/**
 * Falls back to one request at a time, one a second, where the service refuses again and again what its own headers
 * allowed: a clock that runs ahead, counters that several programs spend from, or numbers that mean something else. Who
 * goes on after refusals is blocked in the end (spec: Limits 6). Pure; times are monotonic milliseconds.
 */
export class Restraint {
  #refusals: readonly Refusal[] = [];
  #started = 0;
  #inFlight = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;

  /** When the next request may start; infinitely late until the one on its way has ended. */
  readyAtMs(nowMs: number): number {
    const [oldest] = this.#refusals;
    if (oldest === undefined || this.#refusals.length < MOST_REFUSALS) return nowMs;
    if (nowMs - oldest.atMs >= REMEMBERED_MS || this.#started - oldest.started >= AMONG_REQUESTS)
      return nowMs;
    return this.#inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + CAUTIOUS_MS;
  }

  onStarted(nowMs: number): void {
    this.#started += 1;
    this.#inFlight += 1;
    this.#lastStartMs = nowMs;
  }

  onEnded(): void {
    this.#inFlight -= 1;
  }

  /** A request was refused with a 429 that speaks of everybody's limit. */
  onRefused(nowMs: number): void {
    const last = this.#refusals.at(-1);
    if (last !== undefined && nowMs - last.atMs < SAME_REFUSAL_MS) return;
    this.#refusals = [...this.#refusals, { atMs: nowMs, started: this.#started }].slice(-MOST_REFUSALS);
  }
}
