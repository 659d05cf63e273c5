import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Notes beside a store when its last whole backup was made: the bot sees no folder of backups, which may be anywhere. Throws. */
export function markBackup(store: string, madeMs: number): void {
  const path = markOf(store);
  writeFileSync(`${path}.new`, `${new Date(madeMs).toISOString()}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** When that was; undefined: no backup is known of. */
export function lastBackupMs(store: string): number | undefined {
  try {
    const madeMs = Date.parse(readFileSync(markOf(store), "utf8").trim());
    return Number.isNaN(madeMs) ? undefined : madeMs;
  } catch {
    return undefined;
  }
}

function markOf(store: string): string {
  return join(dirname(store), "last-backup");
}
