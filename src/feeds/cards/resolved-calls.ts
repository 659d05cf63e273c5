import type { CallEnd } from "../../domain/alert.ts";
import { isAnswered, matterAt, waitingCallsOf } from "../../domain/answered-calls.ts";
import type { ModCallEntry, ServerState } from "../../domain/model.ts";
import type { CallOnCard, OpenCallCard } from "../../domain/ports/mod-calls.ts";
import type { CardRecord, ModCallRecord } from "./card-records.ts";

/**
 * The state without the calls that are over by their card, because people resolved it there or answered another call of
 * the matter: the game goes on listing them as open. Of equal calls as many go as are over. The same state where nothing
 * changes. Pure.
 */
export function withoutResolved(state: ServerState, cards: readonly CardRecord[]): ServerState {
  const { modCalls } = state.lists;
  if (modCalls === undefined) return state;
  const left = callsOver(cards);
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

/** The calls of these cards that nobody answered in the game: who took each on its card, and whether it is over. Pure. */
export function callsOnCards(cards: readonly CardRecord[]): readonly CallOnCard[] {
  return cards.flatMap((card) => {
    if (card.kind !== "modCall") return [];
    const taken = card.claimedBy ?? card.resolved;
    const over = card.resolved !== undefined || isAnswered(card.calls) ? { isOver: true as const } : {};
    return card.calls.flatMap(({ atS, answeredBy }): CallOnCard[] => {
      const call = { caller: card.caller, atS, ...over };
      if (taken === undefined) return answeredBy === undefined ? [call] : [];
      const { userId, userName, atMs } = taken;
      return [
        {
          ...call,
          taken: { userId, atMs, ...(userName === undefined ? {} : { userName }) },
        },
      ];
    });
  });
}

/**
 * How a call ended by the cards of its caller: somebody answered it or another call of the matter in the game, or staff
 * claimed or resolved its card. Undefined: it waits. Pure.
 */
export function endOfCall(
  cards: readonly ModCallRecord[],
  { atS }: Pick<ModCallEntry, "atS">,
): CallEnd | undefined {
  const on = cards.filter(({ calls }) => calls.some((call) => call.atS === atS));
  const matters = on.flatMap(({ calls }) =>
    calls.flatMap((call, index) => (call.atS === atS ? matterAt(calls, index) : [])),
  );
  const by = matters.find(({ answeredBy }) => answeredBy !== undefined)?.answeredBy;
  if (by !== undefined) return { kind: "answered", by };
  const isTaken = on.some(({ claimedBy, resolved }) => claimedBy !== undefined || resolved !== undefined);
  return isTaken ? { kind: "taken" } : undefined;
}

/** The cards whose calls wait, each with one message that shows it. Pure. */
export function openCards(cards: readonly CardRecord[]): readonly OpenCallCard[] {
  return cards.flatMap((card): OpenCallCard[] => {
    if (card.kind !== "modCall" || card.resolved !== undefined) return [];
    if (isAnswered(card.calls)) return [];
    const { id: cardId, guildId, caller, calls, claimedBy, slots } = card;
    const slot = Object.values(slots).find(({ messageId, gone }) => messageId !== undefined && gone !== true);
    const message =
      slot?.messageId === undefined
        ? undefined
        : { guildId, channelId: slot.channelId, messageId: slot.messageId };
    return [
      {
        cardId,
        caller,
        calledAtS: calls.map(({ atS }) => atS),
        ...(claimedBy === undefined ? {} : { claimedBy: { userId: claimedBy.userId } }),
        ...(message === undefined ? {} : { message }),
      },
    ];
  });
}

/** How many calls of a caller and second are over although nobody answered these themselves in the game. */
function callsOver(cards: readonly CardRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const card of cards) {
    if (card.kind !== "modCall") continue;
    const waiting = new Set(card.resolved === undefined ? waitingCallsOf(card.calls) : []);
    for (const call of card.calls) {
      const key = keyOf(card.caller, call.atS);
      if (call.answeredBy === undefined && !waiting.has(call)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function keyOf({ name, id }: ModCallEntry["caller"], atS: number): string {
  return JSON.stringify([name, id, atS]);
}
