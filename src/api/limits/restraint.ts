/** Refusals that lie closer together are one: what was on its way when the first came is refused as well. */
const SAME_REFUSAL_MS = 1_000;
const REMEMBERED_MS = 10 * 60_000;
/** So many of them within that time mean that what answers say of the limits is not what the service counts. */
const MOST_REFUSALS = 6;
/** The pace of a start at which nothing is known yet. */
const CAUTIOUS_MS = 1_000;

/**
 * Falls back to one request at a time, one a second, where the service refuses again and again what its own headers
 * allowed: a clock that runs ahead, counters that several programs spend from, or numbers that mean something else. Who
 * goes on after refusals is blocked in the end (spec: Limits 6). Pure; times are monotonic milliseconds.
 */
export class Restraint {
  #refusalsMs: number[] = [];
  #inFlight = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;

  /** When the next request may start; infinitely late until the one on its way has ended. */
  readyAtMs(nowMs: number): number {
    if (this.#refusalsMs.length < MOST_REFUSALS) return nowMs;
    this.#refusalsMs = this.#refusalsMs.filter((atMs) => nowMs - atMs < REMEMBERED_MS);
    if (this.#refusalsMs.length < MOST_REFUSALS) return nowMs;
    return this.#inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + CAUTIOUS_MS;
  }

  onStarted(nowMs: number): void {
    this.#inFlight += 1;
    this.#lastStartMs = nowMs;
  }

  onEnded(): void {
    this.#inFlight -= 1;
  }

  /** A request was refused with a 429 that speaks of everybody's limit. */
  onRefused(nowMs: number): void {
    const lastMs = this.#refusalsMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < SAME_REFUSAL_MS) return;
    this.#refusalsMs = [...this.#refusalsMs, nowMs].slice(-MOST_REFUSALS);
  }
}
