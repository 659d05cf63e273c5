import type { ServerState } from "../domain/model.ts";
import { PackedRows } from "../domain/packed-rows.ts";

/** A copy of the state with each time later by `byMs`: the wall clock was set by so much. Pure. */
export function shifted(state: ServerState, byMs: number): ServerState {
  const lists = Object.entries(state.lists).map(([list, known]) => {
    const atMs = known.atMs + byMs;
    return [list, known instanceof PackedRows ? known.at(atMs) : { ...known, atMs }];
  });
  const { statusAtMs, serviceAheadMs } = state;
  return {
    ...state,
    statusAtMs: statusAtMs + byMs,
    serviceAheadMs: serviceAheadMs === undefined ? undefined : serviceAheadMs - byMs,
    lists: Object.fromEntries(lists),
  };
}
