/** Writes the latest state of one document; calls during a write share the next one. Never rejects. */
export class LatestWrite {
  readonly #write: () => Promise<void>;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when what is known now has been written. */
  ask(): Promise<void> {
    if (this.#current === undefined) return this.#begin();
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  async settled(): Promise<void> {
    while (this.#current !== undefined) await (this.#next ?? this.#current);
  }

  #begin(): Promise<void> {
    const writing = this.#write().then(() => {
      if (this.#current === writing) this.#current = undefined;
    });
    this.#current = writing;
    return writing;
  }
}
