import { z } from "zod";
import type { RemoteRow } from "./match-runs.ts";

/** Remembers which rows by "Remote Server" were seen, so that each one of others is reported once, over restarts too. */

const schema = z.object({
  floorS: z.number(),
  known: z.array(z.object({ text: z.string(), atS: z.number(), count: z.number() })),
});

export type SeenRows = z.infer<typeof schema>;

/** A row that was not seen before. */
export interface FreshRow extends RemoteRow {
  /** Its place among equal rows of its second, from 0. */
  readonly ordinal: number;
}

/** For the store: checks on reading. */
export function parseSeenRows(value: unknown): SeenRows {
  return schema.parse(value);
}

/** The newest rows that are remembered beyond the window itself, because the service sometimes gives an old log. */
const KEPT_ROWS = 300;

/** The rows that were not seen before, and the next record. Without a record nothing is new. */
export function newRows(
  seen: SeenRows | undefined,
  rows: readonly RemoteRow[],
): { readonly fresh: readonly FreshRow[]; readonly next: SeenRows; readonly changed: boolean } {
  const known = new Map(seen?.known.map((row) => [keyOf(row), row]));
  const counts = new Map<string, { readonly row: RemoteRow; count: number }>();
  for (const row of rows) {
    const entry = counts.get(keyOf(row));
    if (entry === undefined) counts.set(keyOf(row), { row, count: 1 });
    else entry.count += 1;
  }
  const fresh: FreshRow[] = [];
  let changed = seen === undefined;
  for (const [key, { row, count }] of counts) {
    const before = known.get(key)?.count ?? 0;
    if (count <= before || (seen !== undefined && row.atS <= seen.floorS)) continue;
    known.set(key, { text: row.text, atS: row.atS, count });
    changed = true;
    if (seen === undefined) continue;
    for (let ordinal = before; ordinal < count; ordinal += 1) fresh.push({ ...row, ordinal });
  }
  return { fresh, next: evict([...known.values()], counts.size, seen?.floorS ?? 0), changed };
}

/** Removes the oldest rows, whole seconds at a time, so that the floor divides known from forgotten rows. */
function evict(known: SeenRows["known"], windowSize: number, floorS: number): SeenRows {
  const max = Math.max(KEPT_ROWS, 3 * windowSize);
  if (known.length <= max) return { floorS, known };
  const sorted = [...known].sort((a, b) => b.atS - a.atS);
  const cut = sorted[max]?.atS ?? floorS;
  return { floorS: Math.max(floorS, cut), known: sorted.filter(({ atS }) => atS > cut) };
}

function keyOf({ text, atS }: RemoteRow): string {
  return `${atS} ${text}`;
}
