import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Durability, KeyvDocuments, type Store, StoreError } from "./documents.ts";
import { createTable, SqliteAdapter } from "./sqlite-adapter.ts";
import { SqliteTurns } from "./sqlite-turns.ts";
import { inWords, isLocked } from "./sqlite-words.ts";

/** Raised when a newer Marshal writes what an older one cannot read. */
const version = 1;

export interface SqliteOptions {
  /** How long to wait for a process that is just ending to let go of the file. */
  readonly lockWaitMs: number;
  readonly nowMs: () => number;
}

/**
 * One file, two connections: `full` waits for the disk on every write (bindings, audit), `normal` does not
 * (journals: a power cut may set them back a moment, and read-back then prevents repeats). A process that is killed
 * loses nothing either way. Both write to one log in order, so a full write makes all earlier normal ones last too.
 * Rejects with a StoreError in words for the operator, above all when another process has the file.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Store> {
  try {
    return await open(path, options);
  } catch (error) {
    throw inWords(error, path);
  }
}

async function open(path: string, { lockWaitMs, nowMs }: SqliteOptions): Promise<Store> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const turns = new SqliteTurns();
  const lock = await holdLock(path, new SqliteTurns({ waitMs: lockWaitMs }));
  const connections: DatabaseSync[] = [lock];
  const connect = async (synchronous: "FULL" | "NORMAL") => {
    const connection = await turns.take(() => connectSqlite(path, synchronous));
    connections.push(connection);
    return connection;
  };
  try {
    // Made first with our rights: sqlite gives its side files those of the file.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    const full = await connect("FULL");
    const normal = await connect("NORMAL");
    await turns.take(() => checkVersion(path, full));
    await turns.take(() => createTable(full));
    return store({ path, connections: { full, normal }, lock, nowMs, turns });
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
  readonly turns: SqliteTurns;
}

function store({ path, connections, lock, nowMs, turns }: OpenFile): Store {
  let isOpen = true;
  let probes = 0;
  const probe = new SqliteAdapter({ database: connections.normal, namespace: "probe", nowMs, turns });
  const files = [path, `${path}-wal`];
  const opened = files.map(identityOf);
  return {
    documents: (namespace, parse, durability) => {
      const adapter = new SqliteAdapter({ database: connections[durability], namespace, nowMs, turns });
      return new KeyvDocuments(adapter, namespace, parse);
    },
    // Each full write has waited for the disk.
    flush: async () => true,
    checkWritable: async () => {
      // What was deleted can still be written, and is lost with the process.
      const changed = files.find((file, index) => identityOf(file) !== opened[index]);
      if (changed !== undefined)
        throw new StoreError(`${changed} was deleted or replaced while Marshal uses it`);
      try {
        // Another value each time: sqlite writes nothing where nothing changes.
        await probe.set("last", String(++probes));
      } catch (error) {
        throw inWords(error, path);
      }
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      connections.normal.close();
      connections.full.close();
      lock.close();
    },
  };
}

/** Which file stands under a name; another one after it was replaced, none after it was deleted. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "none" : `${found.dev}/${found.ino}`;
}

/**
 * FULL waits for the disk on every commit; NORMAL leaves that to the checkpoints of the write-ahead log. A lock of
 * another program is an error at once: waiting here would hold up the whole process.
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
  if (found > version)
    throw new StoreError(`${path} was written by a newer Marshal; this one cannot read it`);
  if (found < version) database.exec(`PRAGMA user_version = ${version}`);
}

/**
 * Two bots on one file would both post every entry. The lock is sqlite's own on a file beside it: the kernel holds
 * it for the process and lets go when the process ends, however it ends, so a dead holder blocks nobody.
 */
async function holdLock(path: string, turns: SqliteTurns): Promise<DatabaseSync> {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    await turns.take(() => lock.exec("BEGIN EXCLUSIVE"));
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
