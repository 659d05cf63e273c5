import type { ModCallEntry, PlayerRef } from "../../domain/model.ts";

/** Moderator calls that nobody answered in time, as far as the log shows them. Pure but for the state that it is given. */

/** By call, the second of those that are dealt with: they were posted, or the alert does not count them. */
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

/** An older call is not posted any more. */
const OLDEST_S = 6 * 3_600;
/** How long a call stays known that the log no longer shows: an old answer may be served again. */
const REMEMBERED_S = 1_800;

/** Rows stay the same objects while a log shows them. */
const ids = new WeakMap<ModCallEntry, string>();

export function callId(call: ModCallEntry): string {
  const known = ids.get(call);
  if (known !== undefined) return known;
  const id = `${call.atS} ${call.caller.id ?? call.caller.name}`;
  ids.set(call, id);
  return id;
}

/** The state of an alert that finds these calls when it begins: they are not posted. */
export function knownFrom(calls: readonly ModCallEntry[]): KnownCalls {
  return { doneS: new Map(calls.map((call) => [callId(call), call.atS])) };
}

/**
 * Calls that have waited for `withinS` by now and are posted now, oldest first. A call of one second by one player is one
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
  forgetOld(known, calls, presentS - REMEMBERED_S);
  return told.sort((a, b) => a.dueS - b.dueS);
}

/** Lets go of calls before that second that the log does not show any more, where more are known than it shows. */
function forgetOld({ doneS }: KnownCalls, calls: readonly ModCallEntry[], beforeS: number): void {
  if (doneS.size <= calls.length) return;
  let shown: ReadonlySet<string> | undefined;
  for (const [id, atS] of doneS) {
    if (atS >= beforeS) continue;
    shown ??= new Set(calls.map(callId));
    if (!shown.has(id)) doneS.delete(id);
  }
}
