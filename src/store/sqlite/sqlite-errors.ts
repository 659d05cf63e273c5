import { StoreError } from "../../domain/failure.ts";

/** Primary result codes of SQLite: the low byte of the extended codes that node:sqlite gives. */
const BUSY = 5;
const LOCKED = 6;

/** Whether another program holds the file at this moment. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
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

/** What sqlite's own check of the file found. */
export function damaged(path: string, cause: unknown): StoreError {
  return new StoreError(`${path} ${DAMAGED}`, { cause });
}

const DAMAGED =
  "is not a database that can be read; put a backup in its place, or move it away together with its -wal and -shm files to begin anew (every server has to be linked again)";
const READ_ONLY =
  "cannot be written: give the user that runs Marshal the rights to it and to its folder, or set another STORE_URL";
const FULL = "cannot be written because the disk is full; make room and start again";
const NO_FILE =
  "cannot be opened as a file: a folder or something else stands in its way, or its folder may not be entered; set another STORE_URL";

const EXPLANATIONS: Readonly<Record<string | number, string>> = {
  [BUSY]: "is locked by another program (a backup, a database browser?); close that and start again",
  [LOCKED]: "is locked by another program (a backup, a database browser?); close that and start again",
  3: READ_ONLY,
  8: READ_ONLY,
  10: "cannot be read or written: the disk reports an error; check the disk and its system's log",
  11: DAMAGED,
  13: FULL,
  14: NO_FILE,
  26: DAMAGED,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EISDIR: "is a folder; STORE_URL has to name a file, such as sqlite:data/marshal.sqlite",
  ENOTDIR: NO_FILE,
  EEXIST: NO_FILE,
};

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return error.errcode & 0xff;
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
