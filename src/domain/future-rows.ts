import type { ListName, Lists } from "./model.ts";

/** Clocks of game servers differ by seconds; a row that is later than this is a misprint. */
export const LATEST_ROW_AHEAD_MS = 600_000;

type Dated = "joinLogs" | "killLogs" | "commandLogs" | "modCalls" | "emergencyCalls";

/** How many rows of each list were left out. */
export type RowCounts = Partial<Record<ListName, number>>;

/**
 * Leaves out rows whose second lies after the service's present by more than ten minutes, and counts them. One such row
 * would be the newest of its log for years: nothing that happens later would look new. Lists without such a row, nearly
 * all, are passed on as they are. `presentMs`: the service's present, epoch milliseconds.
 */
export function withoutFutureRows(
  lists: Partial<Lists>,
  presentMs: number,
): { readonly lists: Partial<Lists>; readonly setAside: RowCounts } {
  const latestS = (presentMs + LATEST_ROW_AHEAD_MS) / 1_000;
  const kept: { -readonly [L in Dated]?: Lists[L] } = {};
  const setAside: RowCounts = {};
  const sift = <L extends Dated>(list: L, secondOf: (row: Lists[L][number]) => number) => {
    const rows: readonly Lists[L][number][] | undefined = lists[list];
    if (rows === undefined || rows.every((row) => secondOf(row) <= latestS)) return;
    const left = rows.filter((row) => secondOf(row) <= latestS);
    setAside[list] = rows.length - left.length;
    // Rows of this list: the pairing is lost on the type checker only.
    kept[list] = left as unknown as Lists[L];
  };
  sift("joinLogs", (row) => row.atS);
  sift("killLogs", (row) => row.atS);
  sift("commandLogs", (row) => row.atS);
  sift("modCalls", (row) => row.atS);
  sift("emergencyCalls", (call) => call.startedAtS);
  return { lists: Object.keys(kept).length === 0 ? lists : { ...lists, ...kept }, setAside };
}
