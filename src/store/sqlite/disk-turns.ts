/** Waits for the disk, which many share: one wait at a time, and who comes meanwhile goes together into the next one. */
export class DiskTurns {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `sync` resolves once everything that was written before it was called survives a power cut. */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves once what was written before survives a power cut. Rejects where the disk refuses. */
  wait(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    // What is under way began before this write.
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** The same at once, beside a wait that is under way. */
  waitAhead(): Promise<void> {
    return this.#sync();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
