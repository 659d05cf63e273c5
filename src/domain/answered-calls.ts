/** A further call of the same person is the same matter for this long after the first. */
export const JOIN_WITHIN_S = 600;

interface CallOfCard {
  readonly answeredBy?: object;
  readonly anewAtMs?: number;
}

/**
 * Whether somebody in the game has answered the matter that a card's calls are. A call that came after the ones before
 * it were answered, or after its caller had left (`anewAtMs`), is a matter of its own: it and what follows it count.
 */
export function isAnswered(calls: readonly CallOfCard[]): boolean {
  return mattersNow(calls).some(({ answeredBy }) => answeredBy !== undefined);
}

/** The calls of a card that still wait for an answer in the game: none of a matter that is over. */
export function waitingCallsOf<T extends CallOfCard>(calls: readonly T[]): readonly T[] {
  return isAnswered(calls) ? [] : mattersNow(calls);
}

function mattersNow<T extends CallOfCard>(calls: readonly T[]): readonly T[] {
  const anewAt = calls.findLastIndex(({ anewAtMs }) => anewAtMs !== undefined);
  return calls.slice(Math.max(0, anewAt));
}
