import { StoreError } from "../../domain/failure.ts";

/** Primary result codes of SQLite: the low byte of the extended codes that node:sqlite gives. */
const BUSY = 5;
const LOCKED = 6;
const FULL_DISK = 13;
/** SQLITE_IOERR_SHMSIZE: the index beside the log could not grow, which on a full disk comes as often as 13. */
const NO_ROOM_FOR_INDEX = 4_874;

/** Whether another program holds the file at this moment. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** Whether a disk had no room, also where that was said in words by now. */
export function isFullDisk(error: unknown): boolean {
  const code = primaryCode(error) ?? systemCode(error);
  return (
    code === FULL_DISK ||
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    (error instanceof StoreError && isFullDisk(error.cause))
  );
}

/**
 * Turns an error of node:sqlite or node:fs into a StoreError that says in one line why the file cannot be used and what
 * its operator can do. Any other error is returned as it is, so that a defect keeps its stack.
 */
export function explainStoreError(error: unknown, path: string): unknown {
  if (error instanceof StoreError) return error;
  const explanation = EXPLANATIONS[primaryCode(error) ?? systemCode(error) ?? ""];
  return explanation === undefined ? error : new StoreError(`${path} ${explanation}`, { cause: error });
}

/** The same of a file that is made from the store: no address of the store says where that is. */
export function explainCopyError(error: unknown, path: string): unknown {
  if (error instanceof StoreError) return error;
  const explanation = COPY_EXPLANATIONS[primaryCode(error) ?? systemCode(error) ?? ""];
  return explanation === undefined
    ? explainStoreError(error, path)
    : new StoreError(`${path} ${explanation}`, { cause: error });
}

/** What sqlite's own check of the file found. */
export function damaged(path: string, cause: unknown): StoreError {
  return new StoreError(`${path} ${DAMAGED}`, { cause });
}

const DAMAGED =
  "is not a readable database. Restore a backup, or move it away with its -wal and -shm files to start over (every server has to be linked again)";
const READ_ONLY =
  "cannot be written: give the user that runs Marshal write access to it and its folder, or set another STORE_URL";
const FULL =
  "cannot be written because the disk is full. Free some space: a Marshal that runs then goes on by itself";
const NO_FILE =
  "cannot be opened: a folder has its name, or its folder cannot be written. Set another STORE_URL";

const EXPLANATIONS: Readonly<Record<string | number, string>> = {
  [BUSY]: "is locked by another program (a backup, a database browser?). Close that and start again",
  [LOCKED]: "is locked by another program (a backup, a database browser?). Close that and start again",
  3: READ_ONLY,
  8: READ_ONLY,
  10: "cannot be read or written: the disk reports an error. Check the disk and the system log",
  11: DAMAGED,
  [FULL_DISK]: FULL,
  14: NO_FILE,
  26: DAMAGED,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EISDIR: "is a folder. STORE_URL must name a file, such as sqlite:data/marshal.sqlite",
  ENOTDIR: NO_FILE,
  ENOENT: "cannot be made: its folder is not there",
  EEXIST: NO_FILE,
};

const COPY_READ_ONLY =
  "cannot be written: give the user that runs this write access to its folder, or choose another name";
const COPY_FULL = "cannot be written because the disk is full. Free some space";

const COPY_EXPLANATIONS: Readonly<Record<string | number, string>> = {
  3: COPY_READ_ONLY,
  8: COPY_READ_ONLY,
  [FULL_DISK]: COPY_FULL,
  EACCES: COPY_READ_ONLY,
  EPERM: COPY_READ_ONLY,
  EROFS: COPY_READ_ONLY,
  ENOSPC: COPY_FULL,
  EDQUOT: COPY_FULL,
  EISDIR: "is a folder. Choose another name",
  ENOTDIR: "cannot be made: a part of its path is a file. Choose another name",
};

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return error.errcode === NO_ROOM_FOR_INDEX ? FULL_DISK : error.errcode & 0xff;
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
