import type { z } from "zod";

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
  readonly entry: (row: R) => T | undefined;
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

/**
 * One log of one source as it was read last. A row that RepeatingJson gave before gives the entry that it gave before:
 * to read every row anew takes longer than all else that is done for a poll, and holds each window that somebody keeps
 * in memory a second time.
 */
export class LogWindow<R, T> {
  readonly #kind: LogKind<R, T>;
  #rows: readonly unknown[] = [];
  #entries: readonly (T | undefined)[] = [];

  constructor(kind: LogKind<R, T>) {
    this.#kind = kind;
  }

  /** Reads the log as it is now; undefined when it is no list. */
  read(wire: unknown): Rows<readonly T[]> | undefined {
    const listed = listOf(wire);
    if (listed === undefined) return undefined;
    let next = 0;
    const entries = listed.map((raw) => {
      // Rows keep their order, so the one that is meant is nearly always the first that is looked at.
      const known = this.#rows.indexOf(raw, next);
      if (known < 0) return this.#read(raw);
      next = known + 1;
      return this.#entries[known];
    });
    this.#rows = listed;
    this.#entries = entries;
    const value = entries.filter((entry) => entry !== undefined);
    return { value, skipped: listed.length - value.length };
  }

  #read(raw: unknown): T | undefined {
    const row = readRow(raw, this.#kind.checks);
    return row === undefined ? undefined : this.#kind.entry(row);
  }
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
