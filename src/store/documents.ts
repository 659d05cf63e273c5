import { setImmediate } from "node:timers/promises";
import { Keyv } from "keyv";
import type { Documents } from "../domain/ports/documents.ts";

/** What the store cannot do, in words for the operator. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** full: what was acknowledged survives a power cut. normal: it survives the end of the process. */
export type Durability = "full" | "normal";

export interface Store {
  /** One namespace; `parse` throws on a value of another shape. One Documents a namespace, made once. */
  documents<T>(namespace: string, parse: (value: unknown) => T, durability: Durability): Documents<T>;
  /**
   * Resolves with true once what was written with full durability survives a power cut, with false where this store
   * cannot tell.
   */
  flush(): Promise<boolean>;
  /**
   * Writes one small row over the one before, which costs no wait for the disk: rejects while what is written would
   * not be kept. A StoreError says why in words; a disk that is full or a Redis without memory still reads well.
   */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** How many documents are read before other work of the process has its turn. */
const yieldEvery = 200;

/** JSON as it is: keyv's own serialiser walks every value twice for types that we never store. */
const json = {
  stringify: (value: unknown) => JSON.stringify(value),
  parse: (text: string) => JSON.parse(text),
};

/**
 * A namespace of the store as the port has it, on any adapter of keyv 6. No `error` listener stands on the Keyv: with
 * one, a failed get answers undefined, which reads as "not linked"; without one it rejects.
 */
export class KeyvDocuments<T> implements Documents<T> {
  readonly #keyv: Keyv;
  readonly #namespace: string;
  readonly #parse: (value: unknown) => T;

  constructor(adapter: object, namespace: string, parse: (value: unknown) => T) {
    this.#keyv = new Keyv({ store: adapter, namespace, serialization: json });
    this.#namespace = namespace;
    this.#parse = parse;
  }

  async get(key: string): Promise<T | undefined> {
    const value: unknown = await this.#keyv.get(this.#checked(key));
    return value === undefined ? undefined : this.#read(key, value);
  }

  async set(key: string, value: T): Promise<void> {
    const kept = await this.#keyv.set(this.#checked(key), value);
    if (!kept) throw new StoreError(`${this.#namespace}/${key} was not kept`);
  }

  async delete(key: string): Promise<void> {
    await this.#keyv.delete(this.#checked(key));
  }

  async *entries(): AsyncIterable<readonly [key: string, value: T]> {
    let read = 0;
    for await (const [key, value] of this.#keyv.iterator()) {
      // Gone between its listing and its reading (Redis).
      if (value === undefined || typeof key !== "string") continue;
      yield [key, this.#read(key, value)];
      // sqlite answers at once, so nothing else would run until the last of ten thousand documents.
      if (++read % yieldEvery === 0) await setImmediate();
    }
  }

  /** keyv answers an empty key with `false` or nothing, and says no more about it. */
  #checked(key: string): string {
    if (key === "") throw new TypeError(`an empty key for ${this.#namespace}`);
    return key;
  }

  #read(key: string, value: unknown): T {
    try {
      return this.#parse(value);
    } catch (error) {
      throw new StoreError(`${this.#namespace}/${key} has a shape that cannot be read`, { cause: error });
    }
  }
}
