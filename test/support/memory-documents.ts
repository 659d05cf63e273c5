import type { Documents } from "../../src/domain/ports/documents.ts";

/** Documents in memory, as JSON like the real ones: what does not survive the store does not survive here. */
export class MemoryDocuments<T> implements Documents<T> {
  readonly #parse: (value: unknown) => T;
  readonly #texts: Map<string, string>;
  writes = 0;
  reads = 0;
  /** Set to make every call reject until it is unset. */
  failure: Error | undefined;
  /** Set to make every change reject, as a full disk does, until it is unset. */
  refuseWrites: Error | undefined;
  /** Called before and after each change is made. */
  onWrite: () => void = () => undefined;
  /** Set when the process that holds this was killed: nothing changes any more, and nobody is answered. */
  isDead = false;

  /** `texts` outlives this object when a test restarts the process. */
  constructor(parse: (value: unknown) => T, texts = new Map<string, string>()) {
    this.#parse = parse;
    this.#texts = texts;
  }

  get keys(): readonly string[] {
    return [...this.#texts.keys()];
  }

  async get(key: string): Promise<T | undefined> {
    await this.#turn();
    this.reads += 1;
    const text = this.#texts.get(key);
    return text === undefined ? undefined : this.#parse(JSON.parse(text));
  }

  async set(key: string, value: T): Promise<void> {
    const text = JSON.stringify(value);
    await this.#turn(this.refuseWrites);
    this.writes += 1;
    await this.#change(() => this.#texts.set(key, text));
  }

  async delete(key: string): Promise<void> {
    await this.#turn(this.refuseWrites);
    await this.#change(() => this.#texts.delete(key));
  }

  /** Waits as a write of several would; rejects where this one is not to be written. */
  async beforeWrite(): Promise<void> {
    await this.#turn(this.refuseWrites);
  }

  /** Done at once: what is written together. */
  put(key: string, value: T | undefined): void {
    this.writes += 1;
    if (value === undefined) this.#texts.delete(key);
    else this.#texts.set(key, JSON.stringify(value));
  }

  async *entries(): AsyncIterable<readonly [key: string, value: T]> {
    await this.#turn();
    for (const [key, text] of [...this.#texts]) {
      this.reads += 1;
      yield [key, this.#parse(JSON.parse(text))];
    }
  }

  async #change(change: () => void): Promise<void> {
    this.onWrite();
    if (!this.isDead) change();
    this.onWrite();
    if (this.isDead) await new Promise(() => {});
  }

  async #turn(refusal?: Error): Promise<void> {
    await Promise.resolve();
    const failure = this.failure ?? refusal;
    if (failure !== undefined) throw failure;
    if (this.isDead) await new Promise(() => {});
  }
}
