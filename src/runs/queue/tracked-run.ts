import type { RunOutcome, RunProgress, SubmittedRun } from "../../domain/run.ts";

/** One run as the person who asked sees it: its latest place in the queue, and its outcome. Slow readers skip places. */
export class TrackedRun implements SubmittedRun {
  readonly id: string;
  readonly outcome: Promise<RunOutcome>;
  readonly #resolve: (outcome: RunOutcome) => void;
  #latest: RunProgress | undefined;
  #version = 0;
  #ended = false;
  #readers: (() => void)[] = [];

  constructor(id: string) {
    this.id = id;
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
  }

  /** Shows a new place to the readers; the same place again is left out. */
  update(progress: RunProgress): void {
    const last = this.#latest;
    if (this.#ended) return;
    if (
      last?.place === progress.place &&
      last.record.status === progress.record.status &&
      Math.abs(last.expectedAtMs - progress.expectedAtMs) < 1000
    ) {
      return;
    }
    this.#latest = progress;
    this.#version += 1;
    this.#wake();
  }

  end(outcome: RunOutcome): void {
    this.#ended = true;
    this.#resolve(outcome);
    this.#wake();
  }

  async *progress(): AsyncGenerator<RunProgress> {
    for (let seen = 0; ; ) {
      if (this.#ended) return;
      if (this.#latest !== undefined && this.#version > seen) {
        seen = this.#version;
        yield this.#latest;
      } else {
        await new Promise<void>((resolve) => this.#readers.push(resolve));
      }
    }
  }

  #wake(): void {
    const readers = this.#readers;
    this.#readers = [];
    for (const read of readers) read();
  }
}
