import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../domain/failure.ts";
import { explainStoreError } from "./sqlite-errors.ts";

/**
 * Copies a database into a new file, for its owner only, as it is at this moment. A Marshal may work on it all the while
 * and is not held up. The copy has no mark of a clean stop: what is posted after it was made is not in it. Throws a
 * StoreError.
 */
export function backUpSqlite(path: string, into: string): void {
  makeEmptyFile(into);
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      source.prepare("VACUUM INTO ?").run(into);
    } finally {
      source.close();
    }
    const copy = new DatabaseSync(into);
    try {
      copy.exec("DELETE FROM documents WHERE namespace = 'clean-stop'");
      const found = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
      if (found !== "ok") throw new StoreError(`the copy of ${path} is damaged: ${String(found)}`);
    } finally {
      copy.close();
    }
  } catch (error) {
    rmSync(into, { force: true });
    throw explainStoreError(error, path);
  }
}

/** sqlite fills an empty file and keeps its rights. */
function makeEmptyFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere
      ? new StoreError(`${path} already exists; choose another name`)
      : explainStoreError(error, path);
  }
}
