import type { ListName, Lists } from "./model.ts";

/** Clocks of game servers differ by seconds, so the time of a row later than this is an error. */
export const LATEST_ROW_AHEAD_MS = 600_000;

const DATED = ["joinLogs", "killLogs", "commandLogs", "modCalls", "emergencyCalls"] as const;

type DatedRow = { readonly atS: number } | { readonly startedAtS: number };

/** How many rows of each list were left out. */
export type RowCounts = Partial<Record<ListName, number>>;

/**
 * Sets aside rows whose time is more than ten minutes after the service's present, and counts them. One such row would
 * be the newest of its log for years, so that no later row would look new. Lists without such a row are passed on as
 * they are. `presentMs`: the service's present, epoch milliseconds.
 */
export function withoutFutureRows(
  lists: Partial<Lists>,
  presentMs: number,
): { readonly lists: Partial<Lists>; readonly setAside: RowCounts } {
  const latestS = (presentMs + LATEST_ROW_AHEAD_MS) / 1_000;
  const isAhead = (row: DatedRow) => ("atS" in row ? row.atS : row.startedAtS) > latestS;
  if (!DATED.some((list) => lists[list]?.some(isAhead))) return { lists, setAside: {} };

  const sifted = { ...lists, ...siftedLogs(lists, isAhead) };
  const setAside: RowCounts = {};
  for (const list of DATED) {
    const count = (lists[list]?.length ?? 0) - (sifted[list]?.length ?? 0);
    if (count > 0) setAside[list] = count;
  }
  return { lists: sifted, setAside };
}

function siftedLogs(lists: Partial<Lists>, isAhead: (row: DatedRow) => boolean): Partial<Lists> {
  const { joinLogs, killLogs, commandLogs, modCalls, emergencyCalls } = lists;
  /** A list without such a row stays the same array: it is remembered by its rows. */
  const sift = <T extends DatedRow>(rows: readonly T[]) =>
    rows.some(isAhead) ? rows.filter((row) => !isAhead(row)) : rows;
  return {
    ...(joinLogs === undefined ? {} : { joinLogs: sift(joinLogs) }),
    ...(killLogs === undefined ? {} : { killLogs: sift(killLogs) }),
    ...(commandLogs === undefined ? {} : { commandLogs: sift(commandLogs) }),
    ...(modCalls === undefined ? {} : { modCalls: sift(modCalls) }),
    ...(emergencyCalls === undefined ? {} : { emergencyCalls: sift(emergencyCalls) }),
  };
}
