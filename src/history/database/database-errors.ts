/** Primary result codes of SQLite: the low byte of the extended codes that node:sqlite gives. */
const SQLITE_WORDS: Readonly<Record<number, string>> = {
  5: "is locked by another program (a backup, a database browser?)",
  6: "is locked by another program (a backup, a database browser?)",
  8: "cannot be written: the user that runs Marshal needs write access to it and its folder",
  10: "cannot be read or written: the disk reports an error",
  11: "is damaged. Restore a backup, or move it away to start over",
  13: "cannot be written because the disk is full. Free some space: it goes on by itself",
  14: "cannot be opened: its folder is not accessible, or a folder has its name",
  26: "is not a database. Restore a backup, or move it away to start over",
};

/** SQLITE_IOERR_SHMSIZE: the index beside the log could not grow, which on a full disk comes as often as 13. */
const NO_ROOM_FOR_INDEX = 4_874;

/** Results of SQLite that speak of what was to be written: too big, a constraint, the type, a number of values. */
const SQLITE_REFUSES: ReadonlySet<number> = new Set([1, 18, 19, 20, 25]);
/** The same of PostgreSQL: data, its limits, a constraint, more values than a statement may have. Of others it is tried again. */
const POSTGRES_REFUSES = /^(?:22|54)|^23(?!505|P01)|^08P01$/;

/** Kysely's words for a change of the tables that this Marshal does not know; its first two would let people throw the file away. */
const NEWER = /^corrupted migrations: previously executed migration \S+ is missing$/;

/** Whether the database refuses what was to be written, and would again; else it is away, locked, full or broken. */
export function isRefused(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number")
    return SQLITE_REFUSES.has(error.errcode & 0xff);
  return "code" in error && typeof error.code === "string" && POSTGRES_REFUSES.test(error.code);
}

/** One line for the operator that names the database; a password in its address is left out. */
export function explainDatabaseError(error: unknown, url: string): string {
  const place = placeOf(url);
  if (!(error instanceof Error)) return `${place} failed without a reason`;
  const extended = "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;
  const code = extended === NO_ROOM_FOR_INDEX ? 13 : extended === undefined ? undefined : extended & 0xff;
  const words = code === undefined ? undefined : SQLITE_WORDS[code];
  if (words !== undefined) return `${place} ${words}`;
  if (NEWER.test(error.message))
    return `${place} is from a newer Marshal. Start the newer version again, or restore a backup from before the update`;
  const messages = error instanceof AggregateError ? error.errors.map(String) : [error.message];
  return `${place}: ${messages.join("; ") || error.name}`;
}

function placeOf(url: string): string {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path;
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "" };
  return `the PostgreSQL ${host}${pathname}`;
}
