import type { Observation } from "./server-clock.ts";

/**
 * What is left of a bucket's present window: the least that answers have stated, less what they may not include yet. An
 * answer includes every request whose end was known before it was asked for; of others nobody knows which came first.
 */
export class Spending {
  #stated = 0;
  #inFlight = 0;
  /** Requests whose end showed nothing of the bucket, as long as no answer surely includes them. */
  #blind: readonly Observation[] = [];

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Left once everything on its way has been counted; below zero where requests of two windows are on their way. */
  get free(): number {
    return this.#stated - this.#blind.length - this.#inFlight;
  }

  /** Left of what was answered. */
  get remaining(): number {
    return Math.max(0, this.#stated - this.#blind.length);
  }

  onStarted(): void {
    this.#inFlight += 1;
  }

  /** An answer came that states what is left, or the request spent nothing. */
  onSettled(): void {
    this.#inFlight -= 1;
  }

  /** It ended, and nothing shows what is left after it. */
  onEndedBlind(request: Observation): void {
    this.#inFlight -= 1;
    this.addBlind(request);
  }

  /** It was answered, and what its answer states is of no use. */
  addBlind(request: Observation): void {
    this.#blind = [...this.#blind, request];
  }

  /** An answer stated what is left. `isNew`: of a new window; in the present one a higher number is a late answer's. */
  state(remaining: number, { sentMs }: Observation, isNew: boolean): void {
    if (!isNew && remaining > this.#stated) return;
    this.#stated = remaining;
    if (this.#blind.length > 0) this.#blind = this.#blind.filter(({ readMs }) => readMs > sentMs);
  }

  /** The window is over. What may have reached the service after its end is spent from the next. */
  onOver(limit: number, surelyUntilMs: number): void {
    this.#stated = limit;
    this.#blind = this.#blind.filter(({ sentMs }) => sentMs >= surelyUntilMs);
  }

  /** Lets one go though nothing seems to be left: it asks. */
  allowOne(): void {
    if (this.free <= 0) this.#stated = this.#inFlight + this.#blind.length + 1;
  }
}
