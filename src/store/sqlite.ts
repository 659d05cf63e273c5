import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Durability, KeyvDocuments, type Store, StoreError } from "./documents.ts";
import { createTable, SqliteAdapter } from "./sqlite-adapter.ts";

/** Raised when a newer Marshal writes what an older one cannot read. */
const version = 1;

export interface SqliteOptions {
  /** How long to wait for a process that is just ending to let go of the file. */
  readonly lockWaitMs: number;
  readonly nowMs: () => number;
}

/**
 * One file, two connections: `full` waits for the disk on every write (bindings, audit), `normal` does not
 * (journals: a power cut may set them back a moment, and read-back then prevents repeats; design 8). A process that
 * is killed loses nothing either way. Both write to one log in order, so a full write makes all earlier normal
 * ones last too. Throws a StoreError when another process has the file.
 */
export function openSqlite(path: string, options: SqliteOptions): Store {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = holdLock(path, options.lockWaitMs);
  try {
    // Made first with our rights: sqlite gives its side files those of the file.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    const connections = { full: connectSqlite(path, "FULL"), normal: connectSqlite(path, "NORMAL") };
    checkVersion(path, connections.full);
    createTable(connections.full);
    return store(connections, lock, options.nowMs);
  } catch (error) {
    lock.close();
    throw error;
  }
}

function store(
  connections: Record<Durability, DatabaseSync>,
  lock: DatabaseSync,
  nowMs: () => number,
): Store {
  let open = true;
  return {
    documents: (namespace, parse, durability) =>
      new KeyvDocuments(new SqliteAdapter(connections[durability], namespace, nowMs), namespace, parse),
    // Each full write has waited for the disk.
    flush: async () => true,
    ping: async () => {
      connections.full.prepare("SELECT 1").get();
    },
    close: async () => {
      if (!open) return;
      open = false;
      connections.normal.close();
      connections.full.close();
      lock.close();
    },
  };
}

/** FULL waits for the disk on every commit; NORMAL leaves that to the checkpoints of the write-ahead log. */
export function connectSqlite(path: string, synchronous: "FULL" | "NORMAL"): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  return database;
}

function checkVersion(path: string, database: DatabaseSync): void {
  const found = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (found > version)
    throw new StoreError(`${path} was written by a newer Marshal; this one cannot read it`);
  database.exec(`PRAGMA user_version = ${version}`);
}

/**
 * Two bots on one file would both post every entry. The lock is sqlite's own on a file beside it: the kernel holds
 * it for the process and lets go when the process ends, however it ends, so a dead holder blocks nobody.
 */
function holdLock(path: string, waitMs: number): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: waitMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw new StoreError(
      `${path} is in use by another Marshal; stop that one first, or give this one a STORE_URL of its own`,
      { cause: error },
    );
  }
}
