import { setImmediate } from "node:timers/promises";

/** Rows that are read at once: what else is asked of this thread is answered between two such pages. */
export const PAGE_ROWS = 4_000;

/**
 * All rows of a time, newest first, however many there are. `read` answers up to `PAGE_ROWS` of those before a second,
 * newest first.
 */
export async function allRows<Row extends { readonly at_s: number }>(
  toS: number,
  read: (beforeS: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let beforeS = toS; ; await setImmediate()) {
    const page = await read(beforeS);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return [...found, ...page];
    // Of its last second there may be more, unless that alone fills the page: no server has so many rows in one.
    const whole = page.filter(({ at_s }) => at_s > last.at_s);
    found.push(...(whole.length === 0 ? page : whole));
    beforeS = whole.length === 0 ? last.at_s : last.at_s + 1;
  }
}
