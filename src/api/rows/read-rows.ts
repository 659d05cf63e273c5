import type { z } from "zod";
import { ReadRows } from "../http/repeating-json.ts";
import type { PlayerRefs } from "./player-ref.ts";

/**
 * How a row is checked: nearly every row is as expected, which a few comparisons tell without a copy of the row; zod,
 * even compiled, takes twice as long for that. The rest goes through the patient schema.
 */
export interface RowChecks<R> {
  /** Is the row as expected in every field that is read? */
  readonly isPlain: (row: Readonly<Record<string, unknown>>) => boolean;
  readonly patient: z.ZodType<R>;
}

/** A list as read, and how many of its rows could not be. */
export interface Rows<T> {
  readonly value: T;
  readonly skipped: number;
}

/** How the rows of a log are read. */
export interface LogKind<R, T> {
  readonly checks: RowChecks<R>;
  /** Undefined: the row names nobody, or no time. */
  readonly entry: (row: R, players: PlayerRefs) => T | undefined;
}

/** Reads a list row by row; undefined when it is no list. */
export function readRows<R, T>(
  wire: unknown,
  checks: RowChecks<R>,
  read: (row: R) => T | undefined,
): Rows<readonly T[]> | undefined {
  const listed = listOf(wire);
  if (listed === undefined) return undefined;
  const value: T[] = [];
  for (const raw of listed) {
    const row = readRow(raw, checks);
    const entry = row === undefined ? undefined : read(row);
    if (entry !== undefined) value.push(entry);
  }
  return { value, skipped: listed.length - value.length };
}

/** The entry of one row of a log; undefined where it cannot be read. */
export function readEntry<R, T>(
  raw: unknown,
  { checks, entry }: LogKind<R, T>,
  players: PlayerRefs,
): T | undefined {
  const row = readRow(raw, checks);
  return row === undefined ? undefined : entry(row, players);
}

/** A log whose rows were read one by one when it was parsed, or one that JSON.parse gave; undefined when it is no list. */
export function readLog<R, T>(
  wire: unknown,
  kind: LogKind<R, T>,
  players: PlayerRefs,
): Rows<readonly T[]> | undefined {
  if (!(wire instanceof ReadRows)) return readRows(wire, kind.checks, (row) => kind.entry(row, players));
  // Made by `readEntry` for this very kind: the pairing is lost on the type checker only.
  const rows = wire.rows as readonly (T | undefined)[];
  if (!rows.includes(undefined)) return { value: rows as readonly T[], skipped: 0 };
  const value = rows.filter((entry) => entry !== undefined);
  return { value, skipped: rows.length - value.length };
}

function readRow<R>(raw: unknown, { isPlain, patient }: RowChecks<R>): R | undefined {
  if (typeof raw === "object" && raw !== null && isPlain(raw as Readonly<Record<string, unknown>>))
    return raw as R;
  return patient.safeParse(raw).data;
}

/** An array; `{}` is how some write an empty one. */
export function listOf(wire: unknown): readonly unknown[] | undefined {
  if (Array.isArray(wire)) return wire;
  const isEmptyMap = typeof wire === "object" && wire !== null && Object.keys(wire).length === 0;
  return isEmptyMap ? [] : undefined;
}
