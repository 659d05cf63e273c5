import { type KeyvStorageCapability, keyvStorageCapability } from "keyv";
import type { Durability, Turn } from "../keyv-documents.ts";
import { type FileWrite, PAGE_ROWS, type RowChange, type StoreLine } from "./requests.ts";

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly expires?: number | undefined;
}

export interface SqliteAdapterOptions {
  readonly line: Pick<StoreLine, "ask">;
  readonly namespace: string;
  readonly durability: Durability;
  /** @default in-turn */
  readonly turn?: Turn | undefined;
  readonly nowMs: () => number;
}

/**
 * A storage adapter of keyv 6 for one namespace of a store file, because the official adapter compiles a native part. Values
 * are texts that keyv has serialised; `expires` is in epoch milliseconds. Every method rejects when the database refuses.
 * The line is its owner's, so `disconnect` leaves it open.
 */
export class SqliteAdapter {
  readonly namespace: string;
  readonly #line: Pick<StoreLine, "ask">;
  readonly #durability: Durability;
  readonly #turn: Turn;
  readonly #nowMs: () => number;

  constructor({ line, namespace, durability, turn = "in-turn", nowMs }: SqliteAdapterOptions) {
    this.namespace = namespace;
    this.#line = line;
    this.#durability = durability;
    this.#turn = turn;
    this.#nowMs = nowMs;
  }

  get capabilities(): KeyvStorageCapability {
    return keyvStorageCapability(this);
  }

  async get(key: string): Promise<string | undefined> {
    const [text] = await this.getMany([key]);
    return text;
  }

  async getMany(keys: readonly string[]): Promise<(string | undefined)[]> {
    return [
      ...(await this.#line.ask({ kind: "read", namespace: this.namespace, keys, nowMs: this.#nowMs() })),
    ];
  }

  async has(key: string): Promise<boolean> {
    return (await this.get(key)) !== undefined;
  }

  async hasMany(keys: readonly string[]): Promise<boolean[]> {
    return (await this.getMany(keys)).map((text) => text !== undefined);
  }

  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    await this.#write([this.#row({ key, value, expires })]);
    return true;
  }

  /** All or none of them. */
  async setMany(entries: readonly Entry[]): Promise<boolean[]> {
    await this.#write(entries.map((entry) => this.#row(entry)));
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    const [wasThere = false] = await this.deleteMany([key]);
    return wasThere;
  }

  /** All or none of them. */
  async deleteMany(keys: readonly string[]): Promise<boolean[]> {
    // A kill that finds one too many does no harm: it goes with its group.
    const turn = this.#turn === "at-once" ? "ahead" : this.#turn;
    return await this.#write(
      keys.map((key) => ({ namespace: this.namespace, key, text: undefined })),
      turn,
    );
  }

  async clear(): Promise<void> {
    for await (const [key] of this.iterator()) await this.delete(key);
  }

  /**
   * Reads page by page, because an open cursor would hold a read transaction across awaits and so block the checkpoint
   * of the write-ahead log. Rows written during the scan may or may not be seen; none is seen twice.
   */
  async *iterator(): AsyncGenerator<[key: string, value: string], void> {
    // No key is empty (Documents refuses one), so every key stands after "".
    for (let after: string | undefined = ""; after !== undefined; ) {
      const asked = { kind: "page", namespace: this.namespace, after, nowMs: this.#nowMs() } as const;
      const rows: readonly (readonly [key: string, text: string])[] = await this.#line.ask(asked);
      for (const [key, text] of rows) yield [key, text];
      after = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.[0];
    }
  }

  async disconnect(): Promise<void> {}

  async #write(changes: readonly RowChange[], turn = this.#turn): Promise<boolean[]> {
    const write: FileWrite = { kind: "write", changes, durability: this.#durability, turn };
    return [...(await this.#line.ask(write))];
  }

  #row({ key, value, expires }: Entry): RowChange {
    if (typeof value !== "string") throw new TypeError("the adapter keeps texts: keyv has to serialise");
    return { namespace: this.namespace, key, text: value, expires };
  }
}
