import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type KeyvStorageCapability, keyvStorageCapability } from "keyv";
import { StatementQueue } from "./statement-queue.ts";

/** Rows that an iteration reads at once. */
const PAGE_ROWS = 200;

/** Makes the one table of a store file. Keys of a namespace stand together, in order. */
export function createTable(database: DatabaseSync): void {
  database.exec(`CREATE TABLE IF NOT EXISTS documents (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (namespace, key)) STRICT`);
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly expires?: number | undefined;
}

export interface SqliteAdapterOptions {
  readonly database: DatabaseSync;
  readonly namespace: string;
  readonly nowMs: () => number;
  /** Shared by all adapters of one file. @default a queue of its own */
  readonly statements?: StatementQueue | undefined;
}

/**
 * A storage adapter of keyv 6 on node:sqlite for one namespace of one connection, because the official adapter compiles
 * a native part. Values are texts that keyv has serialised; `expires` is in epoch milliseconds. Every method rejects
 * when the database refuses. The caller owns the connection, so `disconnect` leaves it open.
 */
export class SqliteAdapter {
  readonly namespace: string;
  readonly #database: DatabaseSync;
  readonly #nowMs: () => number;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #page: StatementSync;
  readonly #statements: StatementQueue;

  constructor({ database, namespace, nowMs, statements = new StatementQueue() }: SqliteAdapterOptions) {
    this.#database = database;
    this.#statements = statements;
    this.namespace = namespace;
    this.#nowMs = nowMs;
    const live = "namespace = ? AND (expires IS NULL OR expires > ?)";
    this.#get = database.prepare(`SELECT value FROM documents WHERE ${live} AND key = ?`);
    this.#set = database.prepare(`INSERT INTO documents (namespace, key, value, expires) VALUES (?, ?, ?, ?)
      ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`);
    this.#delete = database.prepare("DELETE FROM documents WHERE namespace = ? AND key = ?");
    this.#page = database.prepare(
      `SELECT key, value FROM documents WHERE ${live} AND key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
    );
  }

  get capabilities(): KeyvStorageCapability {
    return keyvStorageCapability(this);
  }

  async get(key: string): Promise<string | undefined> {
    return await this.#statements.run(() => this.#valueOf(key));
  }

  async getMany(keys: readonly string[]): Promise<(string | undefined)[]> {
    return await this.#statements.run(() => keys.map((key) => this.#valueOf(key)));
  }

  async has(key: string): Promise<boolean> {
    return await this.#statements.run(() => this.#valueOf(key) !== undefined);
  }

  async hasMany(keys: readonly string[]): Promise<boolean[]> {
    return await this.#statements.run(() => keys.map((key) => this.#valueOf(key) !== undefined));
  }

  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    const row = this.#row({ key, value, expires });
    await this.#statements.run(() => this.#set.run(...row));
    return true;
  }

  /** All or none of them. */
  async setMany(entries: readonly Entry[]): Promise<boolean[]> {
    await this.#together(() => {
      for (const entry of entries) this.#set.run(...this.#row(entry));
    });
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    return await this.#statements.run(() => this.#delete.run(this.namespace, key).changes > 0);
  }

  /** All or none of them. */
  async deleteMany(keys: readonly string[]): Promise<boolean[]> {
    return await this.#together(() => keys.map((key) => this.#delete.run(this.namespace, key).changes > 0));
  }

  async clear(): Promise<void> {
    const statement = this.#database.prepare("DELETE FROM documents WHERE namespace = ?");
    await this.#statements.run(() => statement.run(this.namespace));
  }

  /**
   * Reads page by page, because an open cursor would hold a read transaction across awaits and so block the checkpoint
   * of the write-ahead log. Rows written during the scan may or may not be seen; none is seen twice.
   */
  async *iterator(): AsyncGenerator<[key: string, value: string], void> {
    // No key is empty (Documents refuses one), so every key stands after "".
    for (let after: string | undefined = ""; after !== undefined; ) {
      const from: string = after;
      const rows = await this.#statements.run(() => this.#page.all(this.namespace, this.#nowMs(), from));
      for (const { key, value } of rows) {
        if (typeof key === "string" && typeof value === "string") yield [key, value];
      }
      const last: unknown = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.key;
      after = typeof last === "string" ? last : undefined;
    }
  }

  async disconnect(): Promise<void> {}

  #valueOf(key: string): string | undefined {
    const value = this.#get.get(this.namespace, this.#nowMs(), key)?.value;
    return typeof value === "string" ? value : undefined;
  }

  #row({ key, value, expires }: Entry): SQLInputValue[] {
    if (typeof value !== "string") throw new TypeError("the adapter keeps texts: keyv has to serialise");
    return [this.namespace, key, value, expires ?? null];
  }

  #together<T>(work: () => T): Promise<T> {
    return this.#statements.run(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }
}
