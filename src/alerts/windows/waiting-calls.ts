import { JOIN_WITHIN_S } from "../../domain/answered-calls.ts";
import type { ModCallEntry, PlayerRef } from "../../domain/model.ts";

/** Moderator calls that nobody has answered yet. Pure but for the state that it is given. */

/** By call: who called, and when. A call of one second by one player is one matter, answered when any of its rows is. */
export type WaitingCalls = Map<string, WaitingCall>;

export type WaitingCall = Pick<ModCallEntry, "caller" | "atS">;

export interface DueCall {
  readonly id: string;
  readonly caller: PlayerRef;
  readonly atS: number;
  /** When it had waited for too long. */
  readonly dueS: number;
}

/** An older call is not posted any more, and it is forgotten once the log has dropped it: the time may be a wrong one. */
const OLDEST_S = 6 * 3_600;

export function callId({ atS, caller }: WaitingCall): string {
  return `${atS} ${caller.id ?? caller.name}`;
}

/**
 * Calls that have waited for `withinS` by now and are posted now, oldest first; they wait no longer. `shown`:
 * what the log shows: of the others nobody can say that they still wait. `isTaken`: staff took it in hand where the game's
 * log does not show it.
 */
export function takeDue(
  waiting: WaitingCalls,
  shown: readonly ModCallEntry[],
  { withinS, presentS }: { readonly withinS: number; readonly presentS: number },
  isTaken: (call: WaitingCall) => boolean,
): readonly DueCall[] {
  const due: DueCall[] = [];
  for (const [id, call] of waiting) {
    const { caller, atS } = call;
    const dueS = atS + withinS;
    const isShown = () => shown.some((row) => callId(row) === id);
    if (atS < presentS - OLDEST_S) {
      if (!isShown()) waiting.delete(id);
    } else if (dueS <= presentS && isShown() && !isTaken(call)) due.push({ id, caller, atS, dueS });
  }
  for (const { id } of due) waiting.delete(id);
  return due.sort((a, b) => a.dueS - b.dueS);
}

/**
 * The calls with which the matter of this one began, oldest first: of the same caller, and unanswered in the log. An alert
 * that was set up meanwhile did not wait for them.
 */
export function earlierCalls(
  { caller, atS }: WaitingCall,
  shown: readonly ModCallEntry[],
): readonly WaitingCall[] {
  const answered = new Set(shown.flatMap((row) => (row.moderator === undefined ? [] : [callId(row)])));
  const earlier = shown.filter(
    (row) =>
      row.caller.id === caller.id &&
      row.caller.name === caller.name &&
      row.atS < atS &&
      atS - row.atS <= JOIN_WITHIN_S &&
      !answered.has(callId(row)),
  );
  const byId = new Map(earlier.map((row) => [callId(row), { caller: row.caller, atS: row.atS }]));
  return [...byId.values()].sort((a, b) => a.atS - b.atS);
}
