import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../domain/failure.ts";
import { type LockWait, onceUnlocked } from "./lock-wait.ts";
import { damaged, isLocked } from "./sqlite-errors.ts";
import { createTables, placePending } from "./store-database.ts";

/** Format of the file. Raised when a newer Marshal writes what an older one cannot read. */
const FILE_VERSION = 3;
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;
/**
 * Pages of the write-ahead log after which it is written back into the file, which waits for the disk twice. What is
 * written often stands in it once for all of them.
 */
const CHECKPOINT_PAGES = 8_192;

/** A file that is open, and this process's alone. */
export interface OpenFile {
  readonly connection: DatabaseSync;
  /** The descriptor of the write-ahead log, by which this process waits for the disk. */
  readonly log: number;
  /** Throws a StoreError where the files are not those that were opened. */
  checkFile(): void;
  close(): void;
}

/** Opens the file at `path`, which is made where there is none. Rejects with an error of sqlite or the system, or a StoreError. */
export async function openFile(path: string, lock: LockWait, statements: LockWait): Promise<OpenFile> {
  refuseLink(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const held = await holdLock(path, lock);
  let connection: DatabaseSync | undefined;
  try {
    refuseHalfRestored(path);
    // The file is made with our rights first, because sqlite copies them to its side files.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    const database = await onceUnlocked(() => connectSqlite(path), statements);
    connection = database;
    await onceUnlocked(() => checkVersion(path, database), statements);
    await onceUnlocked(() => checkPages(path, database), statements);
    await onceUnlocked(() => createTables(database), statements);
    await onceUnlocked(() => placePending(database), statements);
    const log = openSync(`${path}-wal`, "r+");
    const close = () => {
      closeSync(log);
      database.close();
      held.close();
    };
    return { connection: database, log, checkFile: sameFiles([path, `${path}-wal`]), close };
  } catch (error) {
    connection?.close();
    held.close();
    throw error;
  }
}

/** The lock, the log and the secret go by the name: beside a link they would not be those of a Marshal that works on the file itself. */
function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new StoreError(`${path} is a link. STORE_URL must name the file itself, or its folder be the link`);
}

/** Where a restore keeps what it has not put in its place yet. */
export function stagingOf(path: string): string {
  return join(dirname(path), "restoring");
}

/** It was killed when the old store had gone and the new one not come: an empty one would look as if all were lost. */
function refuseHalfRestored(path: string): void {
  if (existsSync(path) || !existsSync(stagingOf(path))) return;
  throw new StoreError(
    `${path} is not there: a restore into ${dirname(path)} did not end. Run it again, or move ${stagingOf(path)} away to start over`,
  );
}

/** Throws once one of them was deleted or replaced: writes to a deleted file succeed and are lost with the process. */
function sameFiles(files: readonly string[]): () => void {
  const opened = files.map(identityOf);
  return () => {
    const changed = files.find((file, index) => identityOf(file) !== opened[index]);
    if (changed !== undefined)
      throw new StoreError(`${changed} was deleted or replaced while Marshal uses it`);
  };
}

/** Identity of the file under a name. It changes when the file is replaced or deleted. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "none" : `${found.dev}/${found.ino}`;
}

/**
 * A connection in write-ahead mode that waits for the disk only where the log begins anew and where it is written back; who
 * has to know more waits for the log itself. A lock of another program is an error at once, because waiting here would
 * block the whole thread.
 */
export function connectSqlite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkVersion(path: string, database: DatabaseSync): void {
  const found = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (found > FILE_VERSION) throw new StoreError(`${path} is from a newer Marshal. This one can't read it`);
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
export async function holdLock(path: string, wait: LockWait): Promise<DatabaseSync> {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    await onceUnlocked(() => lock.exec("BEGIN EXCLUSIVE"), wait);
    return lock;
  } catch (error) {
    lock.close();
    if (!isLocked(error)) throw error;
    throw new StoreError(
      `${path} is in use by another Marshal. Stop that one first, or give this one its own STORE_URL`,
      { cause: error },
    );
  }
}
