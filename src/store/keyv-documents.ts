import { setImmediate } from "node:timers/promises";
import { Keyv } from "keyv";
import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";

/** full: what was acknowledged survives a power cut. normal: it survives the end of the process. */
export type Durability = "full" | "normal";

/**
 * Who may write where several processes share a store. holder: only the process that holds the lease.
 * anyone-raises: everybody may, because what they learned of the service holds for all (a halt, a refused key), but an
 * older or shorter one never replaces a newer or longer one; only the holder deletes.
 */
export type Writers = "holder" | "anyone-raises";

export interface Store {
  /** One namespace; `parse` throws on a value of another shape. One Documents a namespace, made once. */
  documents<T>(
    namespace: string,
    parse: (value: unknown) => T,
    durability: Durability,
    writers?: Writers,
  ): Documents<T>;
  /**
   * Resolves with true once what was written with full durability survives a power cut, with false where this store
   * cannot tell.
   */
  flush(): Promise<boolean>;
  /**
   * Overwrites one small row, without a wait for the disk. Rejects with a StoreError while writes would be lost: a full
   * disk or a Redis without memory can still be read, so reading does not show it.
   */
  checkWritable(): Promise<void>;
  /** The namespaces that hold anything, in order; reads all names, so it is for tools. */
  namespaces(): Promise<readonly string[]>;
  /** Whether another Marshal works on it at this moment. A file that is open here is no other's. */
  isHeld(): Promise<boolean>;
  close(): Promise<void>;
}

/** Documents read between two yields to other work of the process. */
const YIELD_EVERY_DOCUMENTS = 200;

/** Plain JSON, because keyv's own serialiser walks every value twice for types that we never store. */
const PLAIN_JSON = {
  stringify: (value: unknown) => JSON.stringify(value),
  parse: (text: string) => JSON.parse(text),
};

/**
 * The Documents port on keyv 6. keyv does the namespaces, the serialisation and the contract of the adapters; expiry
 * and batches stay unused, because no document expires by itself and each is written on its own.
 *
 * The Keyv has no `error` listener: with one, a failed get resolves with undefined, which would read as "not linked";
 * without one it rejects.
 */
export class KeyvDocuments<T> implements Documents<T> {
  readonly #keyv: Keyv;
  readonly #namespace: string;
  readonly #parse: (value: unknown) => T;

  constructor(adapter: object, namespace: string, parse: (value: unknown) => T) {
    this.#keyv = new Keyv({ store: adapter, namespace, serialization: PLAIN_JSON });
    this.#namespace = namespace;
    this.#parse = parse;
  }

  async get(key: string): Promise<T | undefined> {
    const value: unknown = await this.#answered(this.#keyv.get(this.#checked(key)));
    return value === undefined ? undefined : this.#read(key, value);
  }

  async set(key: string, value: T): Promise<void> {
    const kept = await this.#answered(this.#keyv.set(this.#checked(key), value));
    if (!kept) throw new StoreError(`${this.#namespace}/${key} was not kept`);
  }

  async delete(key: string): Promise<void> {
    await this.#answered(this.#keyv.delete(this.#checked(key)));
  }

  async *entries(): AsyncIterable<readonly [key: string, value: T]> {
    let read = 0;
    for await (const [key, value] of this.#keyv.iterator()) {
      // On Redis a document can be deleted between its listing and its reading.
      if (value === undefined || typeof key !== "string") continue;
      yield [key, this.#read(key, value)];
      // sqlite answers synchronously: without a yield nothing else would run during ten thousand documents.
      if (++read % YIELD_EVERY_DOCUMENTS === 0) await setImmediate();
    }
  }

  /** The adapter's answer. Its refusal is a StoreError, so that people read what failed; a defect stays one. */
  async #answered<A>(answer: Promise<A>): Promise<A> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof StoreError || error instanceof TypeError || error instanceof RangeError)
        throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new StoreError(`the store refused ${this.#namespace}: ${why}`, { cause: error });
    }
  }

  /** Throws on an empty key, which keyv would answer with `false` or undefined instead of an error. */
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
