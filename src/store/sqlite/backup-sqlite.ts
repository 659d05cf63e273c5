import { accessSync, closeSync, constants, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../domain/failure.ts";
import { COPIED } from "../clean-stop.ts";
import { FORM_MARK, FORM_NAMESPACE } from "../document-forms.ts";
import { parseFormMark } from "../document-schemas.ts";
import { explainCopyError, explainStoreError, isFullDisk } from "./sqlite-errors.ts";
import { createTables, placePending } from "./store-database.ts";

/**
 * Copies a store into a new file, for its owner only, as it is at this moment. A Marshal may work on it all the while
 * and is not held up. The copy has no mark of a clean stop, and one of its own: what is posted and run after it was made is not in it. Throws a
 * StoreError, also where there is no store or one that holds nothing: a copy of that would be taken for a backup.
 */
export function backUpSqlite(path: string, into: string): void {
  copyDatabase(path, into, (copy) => {
    const isStore = copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'documents'").get() !== undefined;
    if (isStore) {
      createTables(copy);
      placePending(copy);
    }
    if (!isStore || copy.prepare("SELECT 1 FROM documents LIMIT 1").get() === undefined)
      throw new StoreError(`${path} holds nothing yet. Is it the store that your Marshal uses (STORE_URL)?`);
    copy.exec("DELETE FROM documents WHERE namespace = 'clean-stop'");
    const mark = copy.prepare("INSERT INTO documents (namespace, key, value) VALUES ('clean-stop', ?, ?)");
    mark.run(COPIED, JSON.stringify({ value: { unsettled: [] } }));
  });
}

/** The same with any database, such as the history. `finish` changes the copy. Throws a StoreError. */
export function copyDatabase(
  path: string,
  into: string,
  finish: (copy: DatabaseSync) => void = () => undefined,
): void {
  requireStore(path);
  if (existsSync(into)) throw new StoreError(`${into} already exists; choose another name`);
  // It has its name once it is whole: what a kill leaves must not be taken for a backup.
  const making = `${into}.new`;
  makeEmptyFile(making, into);
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      source.prepare("VACUUM INTO ?").run(making);
    } finally {
      source.close();
    }
    const copy = new DatabaseSync(making);
    try {
      finish(copy);
      const found = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
      if (found !== "ok") throw new StoreError(`the copy of ${path} is damaged: ${String(found)}`);
    } finally {
      copy.close();
    }
    renameSync(making, into);
  } catch (error) {
    rmSync(making, { force: true });
    // What is read needs no room.
    throw isFullDisk(error) ? explainCopyError(error, into) : explainStoreError(error, path);
  }
}

/** Which store a file is a copy of; undefined: it says nothing of that, or can't be read. */
export function storeIdIn(path: string): string | undefined {
  try {
    const copy = new DatabaseSync(path, { readOnly: true });
    try {
      const mark = copy.prepare("SELECT value FROM documents WHERE namespace = ? AND key = ?");
      const text = mark.get(FORM_NAMESPACE, FORM_MARK)?.value;
      return typeof text === "string" ? parseFormMark(JSON.parse(text).value).store : undefined;
    } finally {
      copy.close();
    }
  } catch {
    // A backup that is damaged is as old as any other of its name.
    return undefined;
  }
}

/** Throws a StoreError where there is no such file, or none that this user may read: to open it would make it. */
export function requireStore(path: string): void {
  requireReadable(
    path,
    "and none was made. STORE_URL says which store it is; where the bot has its own settings (systemd, a container), run this with the same ones",
  );
}

/** Throws a StoreError where this user can't read such a file; `absent` goes on after "there is no PATH". */
export function requireReadable(path: string, absent?: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const isHidden = error instanceof Error && "code" in error && error.code === "EACCES";
    throw new StoreError(
      isHidden
        ? `${path} cannot be read by this user (EACCES). Run this as the user that runs Marshal`
        : [`there is no ${path}`, absent].filter((part) => part !== undefined).join(", "),
    );
  }
}

/** sqlite fills an empty file and keeps its rights. */
function makeEmptyFile(path: string, wanted: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere
      ? new StoreError(`${path} already exists: another backup makes it, or was killed. Remove it then`)
      : explainCopyError(error, wanted);
  }
}
