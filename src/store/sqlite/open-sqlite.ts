import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../domain/failure.ts";
import { type Durability, KeyvDocuments, type Store } from "../keyv-documents.ts";
import { createTable, SqliteAdapter } from "./sqlite-adapter.ts";
import { damaged, explainStoreError, isLocked } from "./sqlite-errors.ts";
import { StatementQueue } from "./statement-queue.ts";

/** Format of the file. Raised when a newer Marshal writes what an older one cannot read. */
const FILE_VERSION = 1;
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

/** The namespace of the row that tells whether the file can be written. */
const PROBE = "probe";

export interface SqliteOptions {
  /** How long to wait for another process to let go of the file. */
  readonly lockWaitMs: number;
  readonly nowMs: () => number;
}

/**
 * Opens one file with two connections. `full` waits for the disk on every write (bindings, audit). `normal` does not
 * (journals: a power cut may set them back a moment, and reading the channel back then prevents repeats). A killed
 * process loses nothing either way. Both write to one log in order, so a full write makes all earlier normal writes
 * durable too. Rejects with a StoreError, also when another process has the file.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Store> {
  try {
    return await open(path, options);
  } catch (error) {
    throw explainStoreError(error, path);
  }
}

async function open(path: string, { lockWaitMs, nowMs }: SqliteOptions): Promise<Store> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const statements = new StatementQueue();
  const lock = await holdLock(path, new StatementQueue({ waitMs: lockWaitMs }));
  const connections: DatabaseSync[] = [lock];
  const connect = async (synchronous: "FULL" | "NORMAL") => {
    const connection = await statements.run(() => connectSqlite(path, synchronous));
    connections.push(connection);
    return connection;
  };
  try {
    // The file is made with our rights first, because sqlite copies them to its side files.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    const full = await connect("FULL");
    const normal = await connect("NORMAL");
    await statements.run(() => checkVersion(path, full));
    await statements.run(() => checkPages(path, full));
    await statements.run(() => createTable(full));
    return store({ path, connections: { full, normal }, lock, nowMs, statements });
  } catch (error) {
    for (const connection of connections.reverse()) connection.close();
    throw error;
  }
}

interface OpenFile {
  readonly path: string;
  readonly connections: Record<Durability, DatabaseSync>;
  readonly lock: DatabaseSync;
  readonly nowMs: () => number;
  readonly statements: StatementQueue;
}

function store({ path, connections, lock, nowMs, statements }: OpenFile): Store {
  let isOpen = true;
  let probes = 0;
  const probe = new SqliteAdapter({ database: connections.normal, namespace: PROBE, nowMs, statements });
  const files = [path, `${path}-wal`];
  const opened = files.map(identityOf);
  return {
    documents: (namespace, parse, durability) => {
      const adapter = new SqliteAdapter({ database: connections[durability], namespace, nowMs, statements });
      return new KeyvDocuments(adapter, namespace, parse);
    },
    // Each full write has waited for the disk.
    flush: async () => true,
    checkWritable: async () => {
      // Writes to a deleted file succeed and are lost with the process.
      const changed = files.find((file, index) => identityOf(file) !== opened[index]);
      if (changed !== undefined)
        throw new StoreError(`${changed} was deleted or replaced while Marshal uses it`);
      try {
        // Another value each time, because sqlite skips a write that changes nothing.
        await probe.set("last", String(++probes));
      } catch (error) {
        throw explainStoreError(error, path);
      }
    },
    namespaces: async () => {
      const names = connections.full.prepare("SELECT DISTINCT namespace FROM documents ORDER BY namespace");
      const rows = await statements.run(() => names.all());
      return rows.map(({ namespace }) => String(namespace)).filter((name) => name !== PROBE);
    },
    isHeld: async () => false,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      connections.normal.close();
      connections.full.close();
      lock.close();
    },
  };
}

/** Identity of the file under a name. It changes when the file is replaced or deleted. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "none" : `${found.dev}/${found.ino}`;
}

/**
 * FULL waits for the disk on every commit, NORMAL only at checkpoints of the write-ahead log. A lock of another program
 * is an error at once, because waiting here would block the whole process.
 */
export function connectSqlite(path: string, synchronous: "FULL" | "NORMAL"): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkVersion(path: string, database: DatabaseSync): void {
  const found = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (found > FILE_VERSION)
    throw new StoreError(`${path} was written by a newer Marshal; this one cannot read it`);
  if (found < FILE_VERSION) database.exec(`PRAGMA user_version = ${FILE_VERSION}`);
}

/**
 * A damaged page is found now, in one line, and not by whichever part reads it first. A large file is left out, because
 * every page is read: a gigabyte would take seconds at each start.
 */
function checkPages(path: string, database: DatabaseSync): void {
  if (statSync(path).size > MOST_CHECKED_BYTES) return;
  const found = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (found !== "ok") throw damaged(path, found);
}

/**
 * Locks the file against a second bot, which would post every entry again. The lock is sqlite's own on a file beside
 * it: the kernel releases it when the process ends in any way, so a dead holder blocks nobody.
 */
async function holdLock(path: string, statements: StatementQueue): Promise<DatabaseSync> {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    await statements.run(() => lock.exec("BEGIN EXCLUSIVE"));
    return lock;
  } catch (error) {
    lock.close();
    if (!isLocked(error)) throw error;
    throw new StoreError(
      `${path} is in use by another Marshal; stop that one first, or give this one a STORE_URL of its own`,
      { cause: error },
    );
  }
}
