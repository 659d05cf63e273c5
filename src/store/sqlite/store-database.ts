import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type FileAnswer, type FileRequest, PAGE_ROWS, type RowChange } from "./requests.ts";

/** The namespace of the row that tells whether the file can be written. */
const PROBE = "probe";

/** Makes the one table of a store file. Keys of a namespace stand together, in order. */
export function createTable(database: DatabaseSync): void {
  database.exec(`CREATE TABLE IF NOT EXISTS documents (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (namespace, key)) STRICT`);
}

/** The statements on one connection. Each method throws sqlite's error. The caller owns the connection. */
export class StoreDatabase {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #page: StatementSync;
  readonly #namespaces: StatementSync;
  #probes = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const live = "namespace = ? AND (expires IS NULL OR expires > ?)";
    this.#get = database.prepare(`SELECT value FROM documents WHERE ${live} AND key = ?`);
    this.#set = database.prepare(`INSERT INTO documents (namespace, key, value, expires) VALUES (?, ?, ?, ?)
      ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`);
    this.#delete = database.prepare("DELETE FROM documents WHERE namespace = ? AND key = ?");
    this.#page = database.prepare(
      `SELECT key, value FROM documents WHERE ${live} AND key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
    );
    this.#namespaces = database.prepare("SELECT DISTINCT namespace FROM documents ORDER BY namespace");
  }

  /** Whether a transaction is open; sqlite ends one by itself when the disk refuses. */
  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  begin(): void {
    this.#database.exec("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.#database.exec("COMMIT");
  }

  rollback(): void {
    if (this.isInTransaction) this.#database.exec("ROLLBACK");
  }

  /** Answers a request; writes belong into a transaction. Of changes that are refused none is made. */
  answer(request: FileRequest): FileAnswer {
    switch (request.kind) {
      case "read":
        return request.keys.map((key) => textIn(this.#get.get(request.namespace, request.nowMs, key)));
      case "page":
        return this.#page.all(request.namespace, request.nowMs, request.after).flatMap((row) => {
          const text = textIn(row);
          return typeof row.key === "string" && text !== undefined ? [[row.key, text] as const] : [];
        });
      case "namespaces":
        return this.#namespaces
          .all()
          .map(({ namespace }) => String(namespace))
          .filter((name) => name !== PROBE);
      case "probe":
        // Another value each time, because sqlite skips a write that changes nothing.
        this.#set.run(PROBE, "last", String(++this.#probes), null);
        return undefined;
      case "write":
        return request.changes.length === 1
          ? request.changes.map((change) => this.#apply(change))
          : this.#applyAll(request.changes);
    }
  }

  /** A statement is all or nothing by itself; several need a mark to go back to. */
  #applyAll(changes: readonly RowChange[]): readonly boolean[] {
    this.#database.exec("SAVEPOINT changes");
    try {
      const changed = changes.map((change) => this.#apply(change));
      this.#database.exec("RELEASE changes");
      return changed;
    } catch (error) {
      if (this.isInTransaction) this.#database.exec("ROLLBACK TO changes; RELEASE changes");
      throw error;
    }
  }

  #apply({ namespace, key, text, expires }: RowChange): boolean {
    const { changes } =
      text === undefined
        ? this.#delete.run(namespace, key)
        : this.#set.run(namespace, key, text, expires ?? null);
    return changes > 0;
  }
}

function textIn(row: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return typeof row?.value === "string" ? row.value : undefined;
}
