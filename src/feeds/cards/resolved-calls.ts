import type { ModCallEntry, ServerState } from "../../domain/model.ts";
import type { CardRecord } from "./card-records.ts";

/**
 * The state without the calls that people resolved on their card: the game goes on listing them as open. Of equal calls
 * as many go as were resolved. The same state where nothing changes. Pure.
 */
export function withoutResolved(state: ServerState, cards: readonly CardRecord[]): ServerState {
  const { modCalls } = state.lists;
  if (modCalls === undefined) return state;
  const left = resolvedCalls(cards);
  if (left.size === 0) return state;

  const value = modCalls.value.filter((call) => {
    const key = keyOf(call.caller, call.atS);
    const count = call.moderator === undefined ? (left.get(key) ?? 0) : 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
  return value.length === modCalls.value.length
    ? state
    : { ...state, lists: { ...state.lists, modCalls: { ...modCalls, value } } };
}

/** How many calls of a caller and second were resolved and not answered in the game. */
function resolvedCalls(cards: readonly CardRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const card of cards) {
    if (card.kind !== "modCall" || card.resolved === undefined) continue;
    for (const { atS, answeredBy } of card.calls) {
      const key = keyOf(card.caller, atS);
      if (answeredBy === undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function keyOf({ name, id }: ModCallEntry["caller"], atS: number): string {
  return JSON.stringify([name, id, atS]);
}
