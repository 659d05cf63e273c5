import type { ModCallEntry, PlayerRef } from "../../domain/model.ts";

/** Moderator calls that nobody answered in time, as far as the log shows them. Pure but for the state that it is given. */

/** By call: told, or none of ours. */
export interface KnownCalls {
  readonly doneS: Map<string, number>;
}

export interface WaitingCall {
  readonly id: string;
  readonly caller: PlayerRef;
  readonly atS: number;
  /** When it had waited for too long. */
  readonly dueS: number;
}

/** A call that is older is no matter for staff any more; until then the log may show it. */
const OLDEST_S = 6 * 3_600;

export function callId({ atS, caller }: Pick<ModCallEntry, "atS" | "caller">): string {
  return `${atS} ${caller.id ?? caller.name}`;
}

/** Calls that were there before anybody asked for them. */
export function knownFrom(calls: readonly ModCallEntry[]): KnownCalls {
  return { doneS: new Map(calls.map((call) => [callId(call), call.atS])) };
}

/**
 * Calls that have waited for `withinS` by now and are told now, oldest first. A call of one second by one player is one
 * matter, and answered when any of its rows is. `isTaken`: staff took it in hand where the game's log does not show it.
 */
export function newlyDue(
  known: KnownCalls,
  calls: readonly ModCallEntry[],
  limits: { readonly withinS: number; readonly presentS: number },
  isTaken: (call: ModCallEntry) => boolean,
): WaitingCall[] {
  const { withinS, presentS } = limits;
  const due = new Map<string, WaitingCall>();
  for (const call of calls) {
    const { atS, caller, moderator } = call;
    const dueS = atS + withinS;
    if (dueS > presentS || atS < presentS - OLDEST_S) continue;
    const id = callId(call);
    if (moderator !== undefined) known.doneS.set(id, atS);
    else if (!known.doneS.has(id) && !isTaken(call)) due.set(id, { id, caller, atS, dueS });
  }
  const told = [...due.values()].filter(({ id }) => !known.doneS.has(id));
  for (const { id, atS } of told) known.doneS.set(id, atS);
  for (const [id, atS] of known.doneS) if (atS < presentS - 2 * OLDEST_S) known.doneS.delete(id);
  return told.sort((a, b) => a.dueS - b.dueS);
}
