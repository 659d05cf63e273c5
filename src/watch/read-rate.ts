import type { Clock } from "../domain/ports/clock.ts";

/** What is counted fades over this long. */
const OVER_S = 30;
/** Until that much has been seen. */
const FIRST_POLLS_PER_S = 5;

/** A count that fades. */
class Faded {
  #count = 0;
  #atMs = 0;

  add(nowMs: number): void {
    this.#count = this.at(nowMs) + 1;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    return this.#count * Math.exp((this.#atMs - nowMs) / 1_000 / OVER_S);
  }
}

/** How many reads the gate let through lately, and for whom. */
export class ReadRate {
  readonly #clock: Clock;
  readonly #polls = new Faded();
  readonly #people = new Faded();
  #startedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Polling starts. */
  start(): void {
    this.#startedMs = this.#clock.monotonicMs();
  }

  countPoll(): void {
    this.#polls.add(this.#clock.monotonicMs());
  }

  /** A read that a person waited for. */
  countPerson(): void {
    this.#people.add(this.#clock.monotonicMs());
  }

  get pollsPerS(): number {
    const nowMs = this.#clock.monotonicMs();
    const sinceStartS = (nowMs - this.#startedMs) / 1_000;
    if (sinceStartS < OVER_S) return FIRST_POLLS_PER_S;
    return this.#polls.at(nowMs) / (OVER_S * (1 - Math.exp(-sinceStartS / OVER_S)));
  }

  /** Which part of all reads people waited for, 0 to 1. */
  get peopleShare(): number {
    const nowMs = this.#clock.monotonicMs();
    const people = this.#people.at(nowMs);
    return people === 0 ? 0 : people / (people + this.#polls.at(nowMs));
  }
}
