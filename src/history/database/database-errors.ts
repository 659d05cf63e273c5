/** Primary result codes of SQLite: the low byte of the extended codes that node:sqlite gives. */
const SQLITE_WORDS: Readonly<Record<number, string>> = {
  5: "is locked by another program (a backup, a database browser?)",
  6: "is locked by another program (a backup, a database browser?)",
  8: "cannot be written: the user that runs Marshal needs the rights to it and to its folder",
  10: "cannot be read or written: the disk reports an error",
  11: "is damaged; put a backup in its place, or move it away to begin anew",
  13: "cannot be written because the disk is full",
  14: "cannot be opened: its folder may not be entered or something else stands in its way",
  26: "is no database; put a backup in its place, or move it away to begin anew",
};

/** One line for the operator that names the database; a password in its address is left out. */
export function explainDatabaseError(error: unknown, url: string): string {
  const place = placeOf(url);
  if (!(error instanceof Error)) return `${place} failed without a reason`;
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  const words = code === undefined ? undefined : SQLITE_WORDS[code];
  if (words !== undefined) return `${place} ${words}`;
  const messages = error instanceof AggregateError ? error.errors.map(String) : [error.message];
  return `${place}: ${messages.join("; ") || error.name}`;
}

function placeOf(url: string): string {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) return path;
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "" };
  return `the PostgreSQL ${host}${pathname}`;
}
