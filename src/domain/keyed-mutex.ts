/**
 * Runs work under one name one at a time, in the order of asking, such as the changes of one card. A name without work
 * takes no memory.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work of `name` has ended, also where that failed. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.catch(() => undefined);
    this.#tails.set(name, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    }
  }

  /** Resolves when all work that was asked for so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
