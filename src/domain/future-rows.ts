import type { ListName, Lists } from "./model.ts";

/** Clocks of game servers differ by seconds, so the time of a row later than this is an error. */
export const LATEST_ROW_AHEAD_MS = 600_000;

type Dated = "joinLogs" | "killLogs" | "commandLogs" | "modCalls" | "emergencyCalls";

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
