import type { z } from "zod";

/** What reads a row: a compiled schema. */
interface RowSchema<R> {
  safeParse(raw: unknown): z.ZodSafeParseResult<R>;
}

/** A list as read, and how many of its rows could not be. */
export interface Rows<T> {
  readonly value: T;
  readonly skipped: number;
}

/** Reads a list row by row; undefined when it is no list. `read` gives undefined for a row that names nobody, or no time. */
export function readRows<R, T>(
  wire: unknown,
  schema: RowSchema<R>,
  read: (row: R) => T | undefined,
): Rows<readonly T[]> | undefined {
  const listed = listOf(wire);
  if (listed === undefined) return undefined;
  const value: T[] = [];
  for (const raw of listed) {
    const row = schema.safeParse(raw).data;
    const entry = row === undefined ? undefined : read(row);
    if (entry !== undefined) value.push(entry);
  }
  return { value, skipped: listed.length - value.length };
}

/** An array; `{}` is how some write an empty one. */
export function listOf(wire: unknown): readonly unknown[] | undefined {
  if (Array.isArray(wire)) return wire;
  const isEmptyMap = typeof wire === "object" && wire !== null && Object.keys(wire).length === 0;
  return isEmptyMap ? [] : undefined;
}
