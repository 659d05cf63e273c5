import type { ModCallEntry, PlayerRef } from "../../domain/model.ts";

/** Moderator calls that nobody answered in time, as far as the log shows them. Pure but for the state that it is given. */

/** By call, the second of those that are dealt with: they were posted, or the alert does not count them. */
export interface KnownCalls {
  readonly doneS: Map<string, number>;
  /** The rows of the log as it was last seen, of which the first `settled` are done. Not stored. */
  seen?: { readonly calls: readonly ModCallEntry[]; readonly settled: number };
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
/** So many more calls may be known than the log shows before old ones are forgotten, which costs a look at each. */
const MOST_BESIDES = 30;

/** Rows stay the same objects while a log shows them. */
const ids = new WeakMap<ModCallEntry, string>();

export function callId(call: ModCallEntry): string {
  const known = ids.get(call);
  if (known !== undefined) return known;
  const id = `${call.atS} ${call.caller.id ?? call.caller.name}`;
  ids.set(call, id);
  return id;
}

/** When the call was, from its id. */
export function secondOf(id: string): number {
  return Number(id.slice(0, id.indexOf(" ")));
}

/** The state of an alert that finds these calls when it begins: they are not posted. */
export function knownFrom(calls: readonly ModCallEntry[]): KnownCalls {
  return { doneS: new Map(calls.map((call) => [callId(call), call.atS])) };
}

/**
 * How many rows at the front of a log stood there at the last look, the same and in this order, and how many of these are
 * done. `calls`: oldest first, or the front is always new.
 */
export function unchangedSince({ seen }: KnownCalls, calls: readonly ModCallEntry[]) {
  const [first] = calls;
  const from = first === undefined ? -1 : (seen?.calls.indexOf(first) ?? -1);
  if (seen === undefined || from === -1) return { rows: 0, settled: 0 };
  let rows = 0;
  while (rows < calls.length && calls[rows] === seen.calls[from + rows]) rows += 1;
  return { rows, settled: Math.min(rows, Math.max(0, seen.settled - from)) };
}

/**
 * Calls that have waited for `withinS` by now and are posted now, oldest first. A call of one second by one player is one
 * matter, and answered when any of its rows is. `isTaken`: staff took it in hand where the game's log does not show it.
 * `settled`: by `unchangedSince`, rows at the front that need no look.
 */
export function newlyDue(
  known: KnownCalls,
  calls: readonly ModCallEntry[],
  limits: { readonly withinS: number; readonly presentS: number; readonly settled?: number },
  isTaken: (call: ModCallEntry) => boolean,
): WaitingCall[] {
  const { withinS, presentS, settled = 0 } = limits;
  const due = new Map<string, WaitingCall>();
  for (let at = settled; at < calls.length; at += 1) {
    const call = calls[at];
    if (call === undefined) break;
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
  const open = calls.findIndex((call, at) => at >= settled && !known.doneS.has(callId(call)));
  known.seen = { calls, settled: open === -1 ? calls.length : open };
  return told.sort((a, b) => a.dueS - b.dueS);
}

/** Lets go of calls before that second and before all that the log shows, where many more are known than it shows. */
function forgetOld({ doneS }: KnownCalls, calls: readonly ModCallEntry[], beforeS: number): void {
  if (doneS.size <= calls.length + MOST_BESIDES) return;
  const keptS = calls.reduce((oldestS, { atS }) => Math.min(oldestS, atS), beforeS);
  for (const [id, atS] of doneS) if (atS < keptS) doneS.delete(id);
}
