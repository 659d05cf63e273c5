import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../src/config.ts";
import { StoreError } from "../src/domain/failure.ts";
import { copyDatabase } from "../src/store/sqlite/backup-sqlite.ts";
import { holdLock } from "../src/store/sqlite/open-file.ts";
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
  const staging = join(folder, "restoring");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // To the end: no Marshal starts on half of it.
    const held = await holdLock(store, { waitMs: 0, sleep: async () => undefined });
    try {
      rmSync(staging, { recursive: true, force: true });
      mkdirSync(staging, { mode: 0o700 });
      const targets = new Map([[STORE, store]]);
      const history = sqliteFile(config.historyUrl);
      if (backup !== from) {
        if (existsSync(join(from, SECRET))) targets.set(SECRET, join(folder, SECRET));
        if (history !== undefined && existsSync(join(from, HISTORY))) targets.set(HISTORY, history);
      }
      copyDatabase(backup, join(staging, STORE));
      if (targets.has(HISTORY)) copyDatabase(join(from, HISTORY), join(staging, HISTORY));
      if (targets.has(SECRET)) copySecret(join(from, SECRET), join(staging, SECRET));
      const secretBeside = targets.has(SECRET) ? join(staging, STORE) : store;
      await proveCopy(config, { copy: join(staging, STORE), backup, secretBeside });

      const aside = join(folder, `before-restore-${nowMs}`);
      for (const [name, target] of targets) replace(target, join(staging, name), aside);
      return [
        `restore: ${resolve(from)} is in place${existsSync(aside) ? `; what was there before is in ${aside}` : ""}`,
        ...(backup === from ? [`${SECRET} and the history were not in the file and stay as they were`] : []),
      ];
    } finally {
      rmSync(staging, { recursive: true, force: true });
      held.close();
    }
  } catch (error) {
    throw explainStoreError(error, folder);
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

/** What stands there goes into the folder `aside`, and `source` into its place. */
function replace(target: string, source: string, aside: string): void {
  const present = [target, `${target}-wal`, `${target}-shm`].filter((file) => existsSync(file));
  if (present.length > 0) mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const file of present) renameSync(file, join(aside, basename(file)));
  renameSync(source, target);
}
