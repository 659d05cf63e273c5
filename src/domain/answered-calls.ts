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
  return matterNow(calls).some(({ answeredBy }) => answeredBy !== undefined);
}

/** The calls of a card that still wait for an answer in the game: none of a matter that is over. */
export function waitingCallsOf<T extends CallOfCard>(calls: readonly T[]): readonly T[] {
  return isAnswered(calls) ? [] : matterNow(calls);
}

/** The calls of a card that are one matter with this one of them. */
export function matterAt<T extends CallOfCard>(calls: readonly T[], index: number): readonly T[] {
  const isAnew = ({ anewAtMs }: T) => anewAtMs !== undefined;
  const from = calls.slice(0, index + 1).findLastIndex(isAnew);
  const until = calls.findIndex((call, at) => at > index && isAnew(call));
  return calls.slice(Math.max(0, from), until === -1 ? undefined : until);
}

/** The calls of a card that are the matter which is open now, or was last. */
export function matterNow<T extends CallOfCard>(calls: readonly T[]): readonly T[] {
  const anewAt = calls.findLastIndex(({ anewAtMs }) => anewAtMs !== undefined);
  return calls.slice(Math.max(0, anewAt));
}
