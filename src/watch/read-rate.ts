import type { Clock } from "../domain/ports/clock.ts";

/** Time constant of the fading counts. */
const FADE_S = 30;
/** The rate assumed in the first `FADE_S` seconds. */
const FIRST_POLLS_PER_S = 5;

/** A count that fades exponentially. */
class FadingCount {
  #count = 0;
  #atMs = 0;

  add(nowMs: number): void {
    this.#count = this.at(nowMs) + 1;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    return this.#count * Math.exp((this.#atMs - nowMs) / 1_000 / FADE_S);
  }
}

/** Counts the reads that the gate let through lately, of polls and of people. */
export class ReadRate {
  readonly #clock: Clock;
  readonly #polls = new FadingCount();
  readonly #people = new FadingCount();
  #startedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called when polling starts. */
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
    if (sinceStartS < FADE_S) return FIRST_POLLS_PER_S;
    return this.#polls.at(nowMs) / (FADE_S * (1 - Math.exp(-sinceStartS / FADE_S)));
  }

  /** The share of reads that people waited for, 0 to 1. */
  get peopleShare(): number {
    const nowMs = this.#clock.monotonicMs();
    const people = this.#people.at(nowMs);
    return people === 0 ? 0 : people / (people + this.#polls.at(nowMs));
  }
}
