/** Discord counts by seconds that begin at moments that we do not know. */
const WINDOW_MS = 1_000;
/** A request that takes longer was counted by then: what takes so long happens after that. */
const COUNTED_WITHIN_MS = 500;
/** The shortest way there and back is learned anew after this time. */
const LEARN_MS = 600_000;
/** After Discord has said that it was too many, this part of the places is used, */
const CAREFUL = 0.8;
/** for this long. */
const CAREFUL_MS = 60_000;

/**
 * When the next request may leave: evenly, and only where a place is free. A place is taken until no second of Discord's
 * can hold both its request and the next one, however long the ways of both were: so no window ever holds more requests
 * than there are places.
 */
export class RequestRate {
  readonly #places: number;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  /** When requests left that have not ended, oldest first. */
  readonly #underWay: number[] = [];
  /** When the places of those that have ended are free again. */
  readonly #freeAtMs: number[] = [];
  #carefulUntilMs = Number.NEGATIVE_INFINITY;
  /** The shortest way there and back that was seen lately, and since the last change of that. */
  #shortestMs = 0;
  #learning = { shortestMs: Number.POSITIVE_INFINITY, sinceMs: Number.NEGATIVE_INFINITY };

  constructor(places: number) {
    this.#places = places;
  }

  /** Monotonic milliseconds; Infinity: not before a request has ended. */
  mayLeaveAtMs(nowMs: number): number {
    while ((this.#freeAtMs[0] ?? nowMs + 1) <= nowMs) this.#freeAtMs.shift();
    const overdue = this.#underWay.filter((leftMs) => this.#freeAtLatest(leftMs) <= nowMs).length;
    const places = this.#placesAt(nowMs);
    const taken = this.#underWay.length - overdue + this.#freeAtMs.length;
    if (taken < places) return this.#nextAtMs;
    const [firstEnded = Number.POSITIVE_INFINITY] = this.#freeAtMs;
    const firstUnderWay = this.#underWay[overdue];
    const freeMs =
      firstUnderWay === undefined ? firstEnded : Math.min(firstEnded, this.#freeAtLatest(firstUnderWay));
    return Math.max(this.#nextAtMs, freeMs);
  }

  onLeft(nowMs: number): void {
    const everyMs = WINDOW_MS / this.#placesAt(nowMs);
    // A timer that was late is caught up by one turn.
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - everyMs) + everyMs;
    this.#underWay.push(nowMs);
  }

  /** `isCounted`: a request was made. */
  onEnded(leftMs: number, nowMs: number, { isCounted }: { readonly isCounted: boolean }): void {
    const at = this.#underWay.indexOf(leftMs);
    if (at >= 0) this.#underWay.splice(at, 1);
    if (!isCounted) return;
    this.#learn(nowMs - leftMs, nowMs);
    const freeMs = Math.min(nowMs + WINDOW_MS - this.#shortestMs, this.#freeAtLatest(leftMs));
    const later = this.#freeAtMs.findLastIndex((ms) => ms <= freeMs) + 1;
    this.#freeAtMs.splice(later, 0, freeMs);
  }

  /** Discord says that there were too many over all channels. */
  onRefused(nowMs: number, retryAfterMs: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + retryAfterMs);
    this.#carefulUntilMs = nowMs + retryAfterMs + CAREFUL_MS;
  }

  #placesAt(nowMs: number): number {
    return Math.max(1, this.#places * (nowMs < this.#carefulUntilMs ? CAREFUL : 1));
  }

  #freeAtLatest(leftMs: number): number {
    return leftMs + COUNTED_WITHIN_MS + WINDOW_MS;
  }

  #learn(tookMs: number, nowMs: number): void {
    const learning = this.#learning;
    learning.shortestMs = Math.min(learning.shortestMs, tookMs);
    if (nowMs - learning.sinceMs < LEARN_MS) {
      this.#shortestMs = Math.min(this.#shortestMs, tookMs);
      return;
    }
    this.#shortestMs = learning.shortestMs;
    this.#learning = { shortestMs: tookMs, sinceMs: nowMs };
  }
}
