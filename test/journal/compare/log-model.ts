import type { LogEntry, LogList, Snapshot, SourceId } from "../../../src/domain/model.ts";
import { serverStatus } from "../../support/server-status.ts";

/**
 * A log as it truly happened, for tests of the diff and the journal. Every row has an index of its own here, which
 * the service never shows: expectations are counted by index, never by comparing rows as the diff does.
 */
export interface TrueRow {
  readonly entry: LogEntry;
  /** When it came into the log, in polls' time; its own second may be earlier (a late row). */
  readonly arrivedAtS: number;
  readonly answered?: { readonly atS: number; readonly name: string };
}

export interface Look {
  readonly atS: number;
  /** How many rows the service showed. */
  readonly capacity: number;
  readonly order: "oldest first" | "newest first" | "any";
  /** The log was cleared at this moment: rows before it are gone. */
  readonly clearedAtS?: number;
}

/** Indexes of the rows that a look shows. */
export function visible(rows: readonly TrueRow[], look: Look): readonly number[] {
  const there: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.arrivedAtS <= look.atS && row.arrivedAtS > (look.clearedAtS ?? -1)) there.push(index);
  }
  return there.slice(Math.max(0, there.length - look.capacity));
}

/** The rows of a look as the service would send them. */
export function shown(rows: readonly TrueRow[], look: Look): readonly LogEntry[] {
  const entries = visible(rows, look).map((index) => asSeen(rows, index, look.atS));
  if (look.order === "oldest first") return entries;
  if (look.order === "newest first") return entries.reverse();
  // Any order at all, the same for the same look.
  return entries
    .map((entry, index) => ({ entry, key: Math.imul(index + 1, 2654435761) ^ (look.atS * 97) }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry);
}

function asSeen(rows: readonly TrueRow[], index: number, atS: number): LogEntry {
  const row = rows[index];
  if (row === undefined) throw new Error("no such row");
  const { entry, answered } = row;
  if (entry.kind !== "modCall" || answered === undefined || answered.atS > atS) return entry;
  return { ...entry, moderator: { name: answered.name } };
}

/** A snapshot with one log in it. */
export function snapshotWith(
  list: LogList,
  rows: readonly LogEntry[],
  options: { readonly source?: string; readonly players?: number; readonly atMs?: number } = {},
): Snapshot {
  const atMs = options.atMs ?? 1_000_000;
  return {
    source: (options.source ?? "source") as SourceId,
    askedAtMs: atMs,
    takenAtMs: atMs,
    status: serverStatus({ name: "Server", currentPlayers: options.players ?? 5 }),
    lists: { [list]: rows },
    skippedRows: {},
  };
}
