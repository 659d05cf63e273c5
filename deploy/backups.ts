import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../src/config.ts";
import { StoreError } from "../src/domain/failure.ts";
import { openStore } from "../src/store/open-store.ts";
import { backUpSqlite, copyDatabase, requireStore } from "../src/store/sqlite/backup-sqlite.ts";

/** A backup of everything is a folder with these; the history and the secret only where there are such files. */
const STORE = "marshal.sqlite";
const HISTORY = "history.sqlite";
const SECRET = "secret.key";
/** The time in UTC, in letters that every disk takes. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** The file behind `sqlite:`; throws a StoreError with another store. */
export function sqlitePath(storeUrl: string, task: string): string {
  const path = sqliteFile(storeUrl);
  if (path !== undefined) return path;
  throw new StoreError(
    `${task} is for sqlite. Back up Redis with its own tools, or use export while Marshal is stopped`,
  );
}

/** undefined: it is no sqlite. */
function sqliteFile(url: string | undefined): string | undefined {
  return /^sqlite:(.+)$/.exec(url ?? "")?.[1];
}

export interface BackUpAllOptions {
  readonly folder: string;
  /** Of this many backups in the folder the newest stay. */
  readonly keep: number;
  readonly nowMs: number;
}

/**
 * Copies the store, its secret and a history on sqlite into a folder that is named by the time, and removes the oldest ones. A
 * backup has its name once it is whole. Answers what was done, in lines. Throws a StoreError.
 */
export function backUpAll(
  { storeUrl, historyUrl }: Pick<Config, "storeUrl" | "historyUrl">,
  { folder, keep, nowMs }: BackUpAllOptions,
): readonly string[] {
  const store = sqlitePath(storeUrl, "backups");
  const name = new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
  const making = join(folder, `${name}.new`);
  requireStore(store);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  const parts = [STORE];
  try {
    backUpSqlite(store, join(making, STORE));
    const history = sqliteFile(historyUrl);
    if (history !== undefined && existsSync(history)) {
      copyDatabase(history, join(making, HISTORY));
      parts.push(HISTORY);
    }
    const secret = join(dirname(store), SECRET);
    if (existsSync(secret)) {
      copyFileSync(secret, join(making, SECRET));
      chmodSync(join(making, SECRET), 0o600);
      parts.push(SECRET);
    }
    renameSync(making, join(folder, name));
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
  const old = readdirSync(folder)
    .filter((one) => NAME.test(one))
    .sort()
    .slice(0, -keep);
  for (const one of old) rmSync(join(folder, one), { recursive: true });
  return [
    `backup: ${join(folder, name)} holds ${parts.join(", ")}`,
    ...(parts.includes(SECRET) ? [] : ["the secret is SECRET_KEY: it is not in there, keep it yourself"]),
    ...(historyUrl !== undefined && sqliteFile(historyUrl) === undefined
      ? ["the history is in PostgreSQL: back it up with pg_dump"]
      : []),
    ...(old.length === 0 ? [] : [`removed ${old.length} older: ${keep} are kept`]),
  ];
}

/**
 * Puts a backup of `backUpAll`, or a file of `backup`, in the place of what is there, which is moved into a folder beside it.
 * Answers what was done, in lines. Rejects with a StoreError while a Marshal runs on the store.
 */
export async function restore(
  { storeUrl, historyUrl }: Pick<Config, "storeUrl" | "historyUrl">,
  from: string,
  nowMs: number,
): Promise<readonly string[]> {
  const store = sqlitePath(storeUrl, "restore");
  const isFile = !existsSync(join(from, STORE));
  const backup = isFile ? from : join(from, STORE);
  if (!existsSync(backup))
    throw new StoreError(`there is no ${from}. Name a backup: a folder that holds ${STORE}`);
  const folder = dirname(store);
  const history = sqliteFile(historyUrl);
  const places = [
    [backup, store],
    [join(from, HISTORY), history],
    [join(from, SECRET), join(folder, SECRET)],
  ] as const;
  // Opening it waits for nobody: a Marshal that runs has it locked.
  if (existsSync(store)) await (await openStore(storeUrl, { runsIn: "caller", waitMs: 0 })).close();
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const aside = join(folder, `before-restore-${nowMs}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const [source, target] of places) {
    if (target === undefined || !existsSync(source)) continue;
    for (const file of [target, `${target}-wal`, `${target}-shm`])
      if (existsSync(file)) renameSync(file, join(aside, basename(file)));
    copyFileSync(source, target);
    chmodSync(target, 0o600);
  }
  return [
    `restore: ${resolve(from)} is in place; what was there before is in ${aside}`,
    ...(isFile ? [`${SECRET} and the history were not in the file and stay as they were`] : []),
  ];
}
