import { z } from "zod";
import type { AlertRow } from "../domain/alert.ts";
import type { Spree } from "./windows/sprees.ts";

/**
 * Rows as they are stored, which is as flat lists: the state of a server is written with nearly every answer, and rows took
 * most of that as objects.
 */

const CELLS = 4;
/** Of one spree: whose, the two seconds of the one that goes on, and how many rows follow. */
const spreeCells = z.tuple([z.string(), z.number().nullable(), z.number().nullable(), z.int().nonnegative()]);
/** Of one row: when, its text, and who it hit. */
const rowCells = z.tuple([z.number(), z.string().nullable(), z.string().nullable(), z.number().nullable()]);

type Cells = (string | number | null)[];

export const storedSpreesSchema = z.array(z.union([z.string(), z.number(), z.null()])).refine(isReadable);

/** By subject. */
export function storedSprees(sprees: ReadonlyMap<string, Spree<AlertRow>>): Cells {
  const stored: Cells = [];
  for (const [subject, { rows, open }] of sprees) {
    stored.push(subject, open?.firedAtS ?? null, open?.lastS ?? null, rows.length);
    for (const { atS, text, other } of rows) {
      stored.push(atS, text ?? null, other?.name ?? null, other?.id ?? null);
    }
  }
  return stored;
}

/** By subject. Throws on what the schema refuses. */
export function spreesOf(stored: Cells): Map<string, Spree<AlertRow>> {
  const sprees = new Map<string, Spree<AlertRow>>();
  let at = 0;
  const next = () => {
    at += CELLS;
    return stored.slice(at - CELLS, at);
  };
  while (at < stored.length) {
    const [subject, firedAtS, lastS, count] = spreeCells.parse(next());
    const rows = Array.from({ length: count }, () => rowOf(rowCells.parse(next())));
    const open = firedAtS === null || lastS === null ? {} : { open: { firedAtS, lastS } };
    sprees.set(subject, { rows, ...open });
  }
  return sprees;
}

function isReadable(stored: Cells): boolean {
  try {
    spreesOf(stored);
    return true;
  } catch {
    return false;
  }
}

function rowOf([atS, text, name, id]: z.infer<typeof rowCells>): AlertRow {
  return {
    atS,
    ...(name === null ? {} : { other: id === null ? { name } : { name, id } }),
    ...(text === null ? {} : { text }),
  };
}
