import type { z } from "zod";

/**
 * Each row has two schemas of one output: the plain one, compiled, which nearly every row fits, and the patient one for
 * the rest.
 */
export interface RowSchemas<R> {
  readonly plain: z.ZodType<R>;
  readonly patient: z.ZodType<R>;
}

/** A list as read, and how many of its rows could not be. */
export interface Rows<T> {
  readonly value: T;
  readonly skipped: number;
}

/** How the rows of a log are read. */
export interface LogKind<R, T> {
  readonly schemas: RowSchemas<R>;
  /** Whether a row of the wire says what one that was read before said. */
  readonly same: (raw: Partial<R>, known: R) => boolean;
  /** Undefined: the row names nobody, or no time. */
  readonly entry: (row: R) => T | undefined;
}

/** How many rows may have left a log, or changed in it, between two answers for the rest to be known again. */
const LOOK_AHEAD_ROWS = 64;

/** Reads a list row by row; undefined when it is no list. */
export function readRows<R, T>(
  wire: unknown,
  schemas: RowSchemas<R>,
  read: (row: R) => T | undefined,
): Rows<readonly T[]> | undefined {
  const listed = listOf(wire);
  if (listed === undefined) return undefined;
  const value: T[] = [];
  for (const raw of listed) {
    const row = readRow(raw, schemas);
    const entry = row === undefined ? undefined : read(row);
    if (entry !== undefined) value.push(entry);
  }
  return { value, skipped: listed.length - value.length };
}

/**
 * One log of one source as it was read last. Successive answers share all but the few rows that happened in between, and
 * a row that was there before gives the entry that it gave before: reading every row anew costs a third of a poll, and
 * holds every window that somebody keeps in memory a second time.
 */
export class LogWindow<R, T> {
  readonly #kind: LogKind<R, T>;
  #rows: readonly R[] = [];
  #entries: readonly T[] = [];

  constructor(kind: LogKind<R, T>) {
    this.#kind = kind;
  }

  /** Reads the log as it is now; undefined when it is no list. */
  read(wire: unknown): Rows<readonly T[]> | undefined {
    const listed = listOf(wire);
    if (listed === undefined) return undefined;
    let rows: R[] = [];
    let entries: T[] = [];
    // Newest or oldest first, a log keeps its order: each row is looked for behind the one that was found last. So none
    // is found twice, and two equal rows stay two entries.
    let from = 0;
    let at = 0;
    while (at < listed.length) {
      const found = this.#find(listed[at], from);
      if (found === undefined) {
        const row = readRow(listed[at], this.#kind.schemas);
        const entry = row === undefined ? undefined : this.#kind.entry(row);
        if (row !== undefined && entry !== undefined) {
          rows.push(row);
          entries.push(entry);
        }
        at += 1;
        continue;
      }
      // Rows that stayed stand together: taken over as a whole, since one by one costs half as much again.
      from = found;
      do {
        at += 1;
        from += 1;
      } while (this.#isSame(listed[at], from));
      rows = rows.concat(this.#rows.slice(found, from));
      entries = entries.concat(this.#entries.slice(found, from));
    }
    this.#rows = rows;
    this.#entries = entries;
    return { value: entries, skipped: listed.length - entries.length };
  }

  /** Where the row stands in the window before, from `from` on. */
  #find(raw: unknown, from: number): number | undefined {
    const to = Math.min(from + LOOK_AHEAD_ROWS, this.#rows.length);
    for (let at = from; at < to; at++) if (this.#isSame(raw, at)) return at;
    return undefined;
  }

  #isSame(raw: unknown, at: number): boolean {
    if (typeof raw !== "object" || raw === null) return false;
    const known = this.#rows[at];
    return known !== undefined && this.#kind.same(raw as Partial<R>, known);
  }
}

function readRow<R>(raw: unknown, { plain, patient }: RowSchemas<R>): R | undefined {
  const parsed = plain.safeParse(raw);
  return parsed.success ? parsed.data : patient.safeParse(raw).data;
}

/** An array; `{}` is how some write an empty one. */
function listOf(wire: unknown): readonly unknown[] | undefined {
  if (Array.isArray(wire)) return wire;
  const isEmptyMap = typeof wire === "object" && wire !== null && Object.keys(wire).length === 0;
  return isEmptyMap ? [] : undefined;
}
