import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../src/config.ts";
import { StoreError } from "../src/domain/failure.ts";
import { findSecret } from "../src/store/secret-file.ts";
import { markBackup } from "../src/store/sqlite/backup-mark.ts";
import { backUpSqlite, copyDatabase, requireStore, storeIdIn } from "../src/store/sqlite/backup-sqlite.ts";
import { explainCopyError } from "../src/store/sqlite/sqlite-errors.ts";
import { secretsThatOpen } from "./prove-secret.ts";

/** A backup of everything is a folder with these; the history and the secret only where there are such files. */
export const STORE = "marshal.sqlite";
export const HISTORY = "history.sqlite";
export const SECRET = "secret.key";
/** The time in UTC, in letters that every disk takes. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
/** What a backup is called until it is whole; one that was killed leaves it behind. */
const MAKING = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.new$/;
/** No backup takes so long: its process has ended. */
const KILLED_AFTER_MS = 86_400_000;

/** The file behind `sqlite:`; throws a StoreError with another store. */
export function sqlitePath(storeUrl: string, task: string): string {
  const path = sqliteFile(storeUrl);
  if (path !== undefined) return path;
  throw new StoreError(
    `${task} is for sqlite. Back up Redis with its own tools, or use export while Marshal is stopped`,
  );
}

/** undefined: it is no sqlite. */
export function sqliteFile(url: string | undefined): string | undefined {
  return /^sqlite:(.+)$/.exec(url ?? "")?.[1];
}

export interface BackUpAllOptions {
  readonly folder: string;
  /** Of this many backups of this store in the folder the newest stay; undefined: all. */
  readonly keep: number | undefined;
  readonly nowMs: number;
}

/**
 * Copies the store, its secret and a history on sqlite into a folder that is named by the time, and removes the oldest ones
 * where that is asked for. A
 * backup has its name once it is whole, and the bot is shown when that was. Resolves with what was done, in lines. Rejects with a StoreError; where no secret opens
 * the copy it is made, and no better one removed.
 */
export async function backUpAll(
  config: Config,
  { folder, keep, nowMs }: BackUpAllOptions,
): Promise<readonly string[]> {
  const store = sqlitePath(config.storeUrl, "backups");
  const name = nameOf(nowMs);
  const made = join(folder, name);
  const making = `${made}.new`;
  requireStore(store);
  makeFolders(folder, made, making);
  removeKilled(folder, nowMs);
  const secret = join(dirname(store), SECRET);
  const parts = [STORE];
  let isGiven: boolean;
  try {
    backUpSqlite(store, join(making, STORE));
    const history = sqliteFile(config.historyUrl);
    if (history !== undefined && existsSync(history)) {
      copyDatabase(history, join(making, HISTORY));
      parts.push(HISTORY);
    }
    const opens = await secretsThatOpen(join(making, STORE), config);
    isGiven = config.secretKey !== undefined && opens.given;
    if (opens.file && existsSync(secret)) {
      copySecret(secret, join(making, SECRET));
      parts.push(SECRET);
    }
    renameSync(making, made);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw explainCopyError(error, made);
  }

  const isWhole = parts.includes(SECRET) || isGiven;
  const sameKind = readdirSync(folder)
    .filter((one) => NAME.test(one) && (isWhole || !existsSync(join(folder, one, SECRET))))
    .filter((one) => isOfStore(join(folder, one, STORE), storeIdIn(join(made, STORE))))
    .sort();
  // A name that lies ahead was given by a clock that was wrong: the newest is the one just made.
  const oldestFirst = [...sameKind.filter((one) => one > name), ...sameKind.filter((one) => one <= name)];
  const old = oldestFirst.slice(0, keep === undefined ? 0 : -keep);
  const stuck = old.flatMap((one) => whyNotRemoved(join(folder, one)));

  const holds = `backup: ${made} holds ${parts.join(", ")}`;
  if (!isWhole) throw new StoreError(`${holds}, but ${whyNothingOpens(secret, config)}`);
  const unnoted = whyNotNoted(store, nowMs);
  if (stuck.length > 0) throw new StoreError([`${holds}, but ${stuck[0]}`, ...unnoted].join("\n"));
  return [
    holds,
    ...unnoted,
    ...(parts.includes(SECRET) ? [] : ["the secret is SECRET_KEY: it is not in there, keep it yourself"]),
    ...(config.historyUrl !== undefined && sqliteFile(config.historyUrl) === undefined
      ? ["the history is in PostgreSQL: back it up with pg_dump"]
      : []),
    ...(old.length === 0 ? [] : [`removed ${old.length} older: ${keep} are kept`]),
  ];
}

/** Another bot may have its backups in the same folder: those are not this one's to remove. */
function isOfStore(path: string, id: string | undefined): boolean {
  const other = existsSync(path) ? storeIdIn(path) : undefined;
  return id === undefined || other === undefined || other === id;
}

function nameOf(atMs: number): string {
  return new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

/** Each is as large as a whole one, and no restore takes it. */
function removeKilled(folder: string, nowMs: number): void {
  const before = nameOf(nowMs - KILLED_AFTER_MS);
  for (const one of readdirSync(folder))
    if (MAKING.test(one) && one < before) rmSync(join(folder, one), { recursive: true, force: true });
}

/** In words; the others go all the same. */
function whyNotRemoved(path: string): readonly string[] {
  try {
    rmSync(path, { recursive: true });
    return [];
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return [`the old ${path} cannot be removed (${error.code}). Remove it yourself: the disk fills up`];
  }
}

/** In a line: a backup on another disk is whole also where the disk of the store is full. */
function whyNotNoted(store: string, nowMs: number): readonly string[] {
  try {
    markBackup(store, nowMs);
    return [];
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const mark = join(dirname(store), "last-backup");
    const why = error.code === "ENOSPC" || error.code === "EDQUOT" ? "the disk is full" : error.code;
    return [
      `its time could not be noted: ${mark} could not be written (${why}). Mend that. Until the next backup, its age is counted from the one before`,
    ];
  }
}

function makeFolders(folder: string, made: string, making: string): void {
  const sameSecond = () => new StoreError(`${made} was made in this very second. Try again`);
  if (existsSync(made)) throw sameSecond();
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new StoreError(`${folder} is a file. Name a folder`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(making, { mode: 0o700 });
  } catch (error) {
    const isThere = existsSync(making);
    throw isThere ? sameSecond() : explainCopyError(error, folder);
  }
}

function whyNothingOpens(secret: string, config: Config): string {
  const nothing = "nothing opens its server keys";
  try {
    findSecret({ storeUrl: config.storeUrl });
  } catch (error) {
    if (error instanceof StoreError) return `${nothing}: ${error.message}`;
    throw error;
  }
  const what = existsSync(secret) ? "is not the secret of this store" : "is missing";
  return `${nothing}: ${secret} ${what}, and no SECRET_KEY is set here that is. Put the file back from an older backup (none that holds one was removed), or run this with the bot's settings`;
}

/** For its owner only, whatever the rights of what is copied. */
export function copySecret(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}
