import type { Documents } from "../../domain/ports/documents.ts";
import type { AuditFilter, AuditFound } from "../../domain/run.ts";
import { dayOf, type Place, type RowLists } from "./row-lists.ts";

/** Rows that one search reads at most, whatever its filter. */
const MOST_READ_ROWS = 2_000;
/** Rows read between two pauses: sqlite answers synchronously, so without a pause nothing else would run. */
const YIELD_EVERY_ROWS = 25;
const DEFAULT_LIMIT_ROWS = 50;

export interface Scan<T> {
  readonly guildId: string;
  /** The shortest list that holds every row the filter can match. */
  readonly list: string;
  readonly rows: Documents<T>;
  readonly filter: Pick<AuditFilter, "fromMs" | "toMs" | "limit" | "after">;
  matches(row: T): boolean;
  /** Called every 25 rows. */
  pause(): Promise<void>;
}

/** A few entries that are read together. `last` is the place after which the search continues. */
interface Batch {
  readonly entries: readonly IdAt[];
  readonly last: Place;
}

interface IdAt {
  readonly id: string;
  readonly place: Place;
}

/**
 * Reads the rows of a list, newest first, until enough match or `MOST_READ_ROWS` were read; the result says where to
 * go on. Rows of one day come in the order of writing. A page outside the time asked for counts as one row read.
 */
export async function findRows<T>(lists: RowLists, scan: Scan<T>): Promise<AuditFound<T>> {
  const limit = scan.filter.limit ?? DEFAULT_LIMIT_ROWS;
  const found: T[] = [];
  const seen = new Set<string>();
  let read = 0;
  for await (const { entries, last } of batches(lists, scan)) {
    // A crash can leave an entry twice; its row is shown once.
    const fresh = entries.filter(({ id }) => !seen.has(id) && seen.add(id));
    const rows = await Promise.all(
      fresh.map(async ({ id, place }) => ({ row: await scan.rows.get(`${scan.guildId}/${id}`), place })),
    );
    for (const { row, place } of rows) {
      if (row === undefined || !scan.matches(row)) continue;
      found.push(row);
      if (found.length >= limit) return { rows: found, next: textOf(place) };
    }
    read += Math.max(1, entries.length);
    if (read >= MOST_READ_ROWS) return { rows: found, stoppedAt: textOf(last) };
    await scan.pause();
  }
  return { rows: found };
}

async function* batches<T>(lists: RowLists, scan: Scan<T>): AsyncGenerator<Batch> {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, after } = scan.filter;
  const below = after === undefined ? undefined : placeOf(after);
  for (const day of [...(await lists.days(scan.list))].sort().reverse()) {
    if (day < dayOf(fromMs) || day > dayOf(toMs) || (below !== undefined && day > below.day)) continue;
    const from = day === below?.day ? below : undefined;
    for await (const page of lists.pagesOf(scan.list, day, from)) {
      const wanted = page.filter(({ atMs }) => fromMs <= atMs && atMs <= toMs);
      const last = page.at(-1)?.place;
      if (wanted.length === 0 && last !== undefined) yield { entries: [], last };
      yield* together(wanted);
    }
  }
}

function* together(entries: readonly IdAt[]): Generator<Batch> {
  for (let start = 0; start < entries.length; start += YIELD_EVERY_ROWS) {
    const some = entries.slice(start, start + YIELD_EVERY_ROWS);
    const last = some.at(-1);
    if (last !== undefined) yield { entries: some, last: last.place };
  }
}

function textOf({ day, page, offset }: Place): string {
  return [day, page, offset].join(" ");
}

function placeOf(text: string): Place {
  const [day = "", page, offset] = text.split(" ");
  return { day, page: Number(page), offset: Number(offset) };
}
