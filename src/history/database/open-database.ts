import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Dialect, Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { PostgresWaits } from "./connect-postgres.ts";
import { type DatabaseKind, migrations } from "./migrations/migrations.ts";
import { kyselyDatabase, NodeSqliteDialect } from "./node-sqlite.ts";
import type { HistoryTables } from "./schema.ts";

export interface HistoryDatabase {
  readonly kind: DatabaseKind;
  readonly db: Kysely<HistoryTables>;
  close(): Promise<void>;
}

/** How long a statement waits for another process that writes. */
const LOCK_WAIT_MS = 2_000;
const CACHE_KIB = 65_536;
/** What is mapped of the file counts as the process's memory once it was read: a file that grows must not take it along. */
const MAP_BYTES = 134_217_728;
/** Written to the side file before it is worked into the main one: an index page that changes often is then written once. */
const CHECKPOINT_PAGES = 8_192;
const CONNECT_WITHIN_MS = 5_000;

/**
 * Opens `sqlite:PATH` or `postgres://...` and brings its tables up to date. Blocks the thread with sqlite, so that it
 * belongs in a worker. Rejects with the database's own error.
 */
export async function openDatabase(
  url: string,
  { connectWithinMs = CONNECT_WITHIN_MS, ...waits }: Partial<PostgresWaits> = {},
): Promise<HistoryDatabase> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  const kind = path === undefined ? "postgres" : "sqlite";
  const dialect =
    path === undefined ? await postgresDialect(url, { connectWithinMs, ...waits }) : sqliteDialect(path);
  const db = new Kysely<HistoryTables>({ dialect });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(kind) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { kind, db, close: () => db.destroy() };
}

function sqliteDialect(path: string): Dialect {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The file is made with our rights first, because sqlite copies them to its side files.
  closeSync(openSync(path, "a", 0o600));
  const database = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // A power cut may lose the last seconds; what a later window still shows is stored again.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA mmap_size = ${MAP_BYTES}`);
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return new NodeSqliteDialect({ database: kyselyDatabase(database) });
}

/** Its client is read only where it is used: every start of the history's thread would wait for it. */
async function postgresDialect(url: string, waits: PostgresWaits): Promise<Dialect> {
  const { connectPostgres } = await import("./connect-postgres.ts");
  return connectPostgres(url, waits);
}
