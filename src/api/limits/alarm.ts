import type { Clock } from "../../domain/ports/clock.ts";

/** One timer: set anew, it forgets what it was set to before. */
export class Alarm {
  readonly #clock: Clock;
  readonly #work: () => void;
  #cancel: () => void = () => {};

  constructor(clock: Clock, work: () => void) {
    this.#clock = clock;
    this.#work = work;
  }

  /** Runs the work at that moment, monotonic. An infinitely late moment never comes. */
  set(atMs: number): void {
    this.#cancel();
    if (!Number.isFinite(atMs)) return;
    this.#cancel = this.#clock.after(Math.max(1, Math.ceil(atMs - this.#clock.monotonicMs())), this.#work);
  }

  cancel(): void {
    this.#cancel();
  }
}
