import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RowsTextChange } from "../keyv-documents.ts";
import { createPendingPages, dropPages, textsLeft } from "./pending-pages.ts";
import { type FileAnswer, type FileRequest, PAGE_ROWS, type RowChange } from "./requests.ts";

/** The namespace of the row that tells whether the file can be written. */
const PROBE = "probe";

/** Makes the tables of a store file. Keys of a namespace, and rows of a list, stand together, in order. */
export function createTables(database: DatabaseSync): void {
  database.exec(`CREATE TABLE IF NOT EXISTS documents (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (namespace, key)) STRICT`);
  database.exec(`CREATE TABLE IF NOT EXISTS numbered_rows (
    name TEXT NOT NULL, list TEXT NOT NULL, seq INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (name, list, seq)) STRICT, WITHOUT ROWID`);
  // Changes that are written and not in their places yet: see PendingWrites.
  createPendingPages(database);
}

/** What a process that was killed had written goes to its places, and the pages where it waited go. Throws sqlite's error. */
export function placePending(database: DatabaseSync): void {
  const statements = new StoreDatabase(database);
  statements.begin();
  try {
    // Written by PendingWrites alone.
    for (const text of [...textsOfFormBefore(database), ...textsLeft(database)])
      for (const change of JSON.parse(text) as (RowChange | RowsTextChange)[]) statements.apply(change);
    dropPages(database);
    statements.commit();
  } catch (error) {
    statements.rollback();
    throw error;
  }
}

/** Up to version 2 of the file they were rows of a table, which goes. */
function textsOfFormBefore(database: DatabaseSync): readonly string[] {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pending'").get() === undefined) return [];
  const rows = database.prepare("SELECT changes FROM pending ORDER BY id").all();
  database.exec("DROP TABLE pending");
  return rows.map(({ changes }) => String(changes));
}

/** The statements on one connection. Each method throws sqlite's error. The caller owns the connection. */
export class StoreDatabase {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #page: StatementSync;
  readonly #namespaces: StatementSync;
  readonly #rows: StatementSync;
  readonly #rowsPage: StatementSync;
  readonly #tables: StatementSync;
  readonly #addRow: StatementSync;
  readonly #dropFrom: StatementSync;
  readonly #dropBelow: StatementSync;
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
    const ofList = "name = ? AND list = ?";
    this.#rows = database.prepare(
      `SELECT seq, value FROM numbered_rows WHERE ${ofList} AND seq >= ? ORDER BY seq LIMIT ?`,
    );
    this.#rowsPage = database.prepare(`SELECT list, seq, value FROM numbered_rows
      WHERE name = ? AND (list, seq) > (?, ?) ORDER BY list, seq LIMIT ${PAGE_ROWS}`);
    this.#tables = database.prepare("SELECT DISTINCT name FROM numbered_rows ORDER BY name");
    this.#addRow = database.prepare("INSERT INTO numbered_rows (name, list, seq, value) VALUES (?, ?, ?, ?)");
    this.#dropFrom = database.prepare(`DELETE FROM numbered_rows WHERE ${ofList} AND seq >= ?`);
    this.#dropBelow = database.prepare(`DELETE FROM numbered_rows WHERE ${ofList} AND seq < ?`);
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
        return request.keys.map((key) => this.text(request.namespace, key, request.nowMs));
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
      case "rows":
        return this.#rows
          .all(request.table, request.list, request.from, request.limit)
          .map(({ seq, value }) => [Number(seq), String(value)] as const);
      case "rows-page":
        return this.#rowsPage
          .all(request.table, ...request.after)
          .map(({ list, seq, value }) => [String(list), Number(seq), String(value)] as const);
      case "tables":
        return this.#tables.all().map(({ name }) => String(name));
      case "probe":
        // Another value each time, because sqlite skips a write that changes nothing.
        this.#set.run(PROBE, "last", String(++this.#probes), null);
        return undefined;
      case "write":
        return request.changes.length === 1
          ? request.changes.map((change) => this.apply(change))
          : this.#applyAll(request.changes);
    }
  }

  text(namespace: string, key: string, nowMs: number): string | undefined {
    return textIn(this.#get.get(namespace, nowMs, key));
  }

  /** A statement is all or nothing by itself; several need a mark to go back to. */
  #applyAll(changes: readonly (RowChange | RowsTextChange)[]): readonly boolean[] {
    this.#database.exec("SAVEPOINT changes");
    try {
      const changed = changes.map((change) => this.apply(change));
      this.#database.exec("RELEASE changes");
      return changed;
    } catch (error) {
      if (this.isInTransaction) this.#database.exec("ROLLBACK TO changes; RELEASE changes");
      throw error;
    }
  }

  /** Answers whether it changed anything. */
  apply(change: RowChange | RowsTextChange): boolean {
    if ("table" in change) return this.#applyRows(change);
    const { namespace, key, text, expires } = change;
    const { changes } =
      text === undefined
        ? this.#delete.run(namespace, key)
        : this.#set.run(namespace, key, text, expires ?? null);
    return changes > 0;
  }

  #applyRows(change: RowsTextChange): boolean {
    const { table, list } = change;
    if ("below" in change) return this.#dropBelow.run(table, list, change.below).changes > 0;
    this.#dropFrom.run(table, list, change.from);
    return this.#addRow.run(table, list, change.seq, change.text).changes > 0;
  }
}

function textIn(row: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return typeof row?.value === "string" ? row.value : undefined;
}
