/** Waits for something that may come at any time without asking for it in each turn of the event loop. */
export class WakeUp {
  #next = Promise.withResolvers<void>();

  /** It came: all who wait go on. */
  call(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }

  /** Resolves at the next call. */
  next(): Promise<void> {
    return this.#next.promise;
  }
}
