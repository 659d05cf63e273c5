import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Config } from "../src/config.ts";
import { StoreError } from "../src/domain/failure.ts";
import { backUpSqlite, copyDatabase } from "../src/store/sqlite/backup-sqlite.ts";
import { holdLock, stagingOf } from "../src/store/sqlite/open-file.ts";
import { explainStoreError, isFullDisk } from "../src/store/sqlite/sqlite-errors.ts";
import { copySecret, HISTORY, SECRET, STORE, sqliteFile, sqlitePath } from "./backups.ts";
import { secretsThatOpen } from "./prove-secret.ts";

/**
 * Puts a backup of `backUpAll`, or a file of `backup`, in the place of what is there, which is moved into a folder beside it,
 * whatever state it is in. Resolves with what was done, in lines. Rejects with a StoreError, and has changed nothing then: while
 * a Marshal runs on the store, where the backup cannot be read, and where the bot's secret would not open it.
 */
export async function restore(config: Config, from: string, nowMs: number): Promise<readonly string[]> {
  const store = sqlitePath(config.storeUrl, "restore");
  const backup = storeIn(from);
  const folder = dirname(store);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // To the end: no Marshal starts on half of it.
    const held = await holdLock(store, { waitMs: 0, sleep: async () => undefined });
    const targets = targetsOf(config, { store, from, isFolder: backup !== from });
    const stagings = new Set([...targets.values()].map(stagingOf));
    try {
      for (const staging of stagings) makeEmpty(staging);
      const staged = new Map([...targets].map(([name, target]) => [name, join(stagingOf(target), name)]));
      const copyOf = (name: string) => staged.get(name) ?? "";
      // What was there before a restore has the mark of a clean stop, and the bot may have posted since.
      backUpSqlite(backup, copyOf(STORE));
      let isRenumbered = false;
      if (targets.has(HISTORY))
        copyDatabase(join(from, HISTORY), copyOf(HISTORY), (copy) => {
          isRenumbered = leaveCaseNumbersOut(copy);
        });
      if (targets.has(SECRET)) copySecret(join(from, SECRET), copyOf(SECRET));
      const secretBeside = targets.has(SECRET) ? copyOf(STORE) : store;
      await proveCopy(config, { copy: copyOf(STORE), backup, secretBeside });

      const aside = join(folder, `before-restore-${nowMs}`);
      for (const [name, target] of targets) replace(target, copyOf(name), join(aside, name));
      return [
        `restore: ${resolve(from)} is in place${existsSync(aside) ? `; what was there before is in ${aside}` : ""}`,
        ...(isRenumbered ? ["new cases get numbers that are 1,000 or more higher: none is given twice"] : []),
        ...(backup === from
          ? [`${SECRET} and the history were not in the file and stay as they were`]
          : historyLeftOut(config, from)),
      ];
    } finally {
      for (const staging of stagings) rmSync(staging, { recursive: true, force: true });
      held.close();
    }
  } catch (error) {
    throw explainStoreError(error, folder);
  }
}

interface Restored {
  readonly store: string;
  readonly from: string;
  readonly isFolder: boolean;
}

/**
 * What is put back where, by its name in the backup. The history first: it may be on another disk, where what was there has to be
 * copied, and that may fail.
 */
function targetsOf(config: Config, { store, from, isFolder }: Restored): ReadonlyMap<string, string> {
  const history = sqliteFile(config.historyUrl);
  const has = (name: string) => isFolder && existsSync(join(from, name));
  return new Map([
    ...(history !== undefined && has(HISTORY) ? [[HISTORY, history] as const] : []),
    ...(has(SECRET) ? [[SECRET, join(dirname(store), SECRET)] as const] : []),
    [STORE, store],
  ]);
}

/**
 * Cases of after the backup have their numbers in channels and old answers: a new case must not get one of them. False: there are
 * no cases. `deploy/cluster-backup.sh` has the same for PostgreSQL.
 */
function leaveCaseNumbersOut(history: DatabaseSync): boolean {
  const table = history.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'counters'").get();
  if (table === undefined) return false;
  const raise = "UPDATE counters SET value = value + 1000 + value / 10 WHERE name LIKE 'cases %'";
  return Number(history.prepare(raise).run().changes) > 0;
}

/** Whoever reads that a backup is in place must not think so of a history that is of another time, or is not read. */
function historyLeftOut({ historyUrl }: Config, from: string): readonly string[] {
  const history = sqliteFile(historyUrl);
  const isInBackup = existsSync(join(from, HISTORY));
  if (history !== undefined) {
    const isOther = !isInBackup && existsSync(history);
    return isOther ? [`the history was not in the backup: ${history} stays as it was`] : [];
  }
  if (historyUrl === undefined) {
    const why = "HISTORY_URL is off. Set it, and restore again to have it";
    return isInBackup ? [`the history in the backup was left out: ${why}`] : [];
  }
  const left = isInBackup ? "; the one in the backup was left out" : "";
  return [`the history is in PostgreSQL and stays as it was${left}. Its own backups go back with pg_restore`];
}

/** Beside the file that it is for, because a file takes another's place on its own disk only. */
function makeEmpty(staging: string): void {
  try {
    mkdirSync(dirname(staging), { recursive: true, mode: 0o700 });
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
  } catch (error) {
    throw explainStoreError(error, dirname(staging));
  }
}

/** The file of the store in a backup. Throws a StoreError where there is none. */
function storeIn(from: string): string {
  if (existsSync(join(from, STORE))) return join(from, STORE);
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined)
    throw new StoreError(`there is no ${from}. Name a backup: a folder that holds ${STORE}`);
  if (found.isDirectory())
    throw new StoreError(`${from} holds no ${STORE}. Name a backup: a folder that does`);
  return from;
}

interface Copied {
  readonly copy: string;
  readonly backup: string;
  /** Where the bot would find secret.key: beside this file. */
  readonly secretBeside: string;
}

/** Rejects with a StoreError where the bot could not start on the copy. */
async function proveCopy(config: Config, { copy, backup, secretBeside }: Copied): Promise<void> {
  let opens: Awaited<ReturnType<typeof secretsThatOpen>>;
  try {
    opens = await secretsThatOpen(copy, { ...config, storeUrl: `sqlite:${secretBeside}` });
  } catch (error) {
    if (!(error instanceof StoreError) || isFullDisk(error)) throw error;
    throw new StoreError(error.message.replaceAll(copy, backup), { cause: error });
  }
  if (config.secretKey === undefined ? opens.file : opens.given) return;
  const file = join(dirname(secretBeside === copy ? backup : secretBeside), SECRET);
  throw new StoreError(
    opens.file
      ? `SECRET_KEY does not open the server keys in ${backup}: set SECRET_KEY_OLD to what ${file} holds, and restore again`
      : `neither ${file} nor SECRET_KEY opens the server keys in ${backup}: set SECRET_KEY_OLD to the secret of that time beside SECRET_KEY, or put it into ${file} where there is no SECRET_KEY, and restore again`,
  );
}

/** What stands there becomes `aside`, by the name that a backup has for it, and `source` takes its place. */
function replace(target: string, source: string, aside: string): void {
  const ends = ["", "-wal", "-shm"].filter((end) => existsSync(`${target}${end}`));
  if (ends.length > 0) mkdirSync(dirname(aside), { recursive: true, mode: 0o700 });
  try {
    for (const end of ends) renameSync(`${target}${end}`, `${aside}${end}`);
  } catch (error) {
    // Of all of them or of none: they are beside each other.
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EXDEV") throw error;
    moveToDisk(target, aside, ends);
  }
  renameSync(source, target);
}

/** Nothing goes before all of it is there. */
function moveToDisk(target: string, aside: string, ends: readonly string[]): void {
  try {
    for (const end of ends) copyFileSync(`${target}${end}`, `${aside}${end}`);
  } catch (error) {
    for (const end of ends) rmSync(`${aside}${end}`, { force: true });
    throw error;
  }
  for (const end of ends) rmSync(`${target}${end}`);
}
