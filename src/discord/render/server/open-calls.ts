import { type Escaped, md } from "../../../domain/escaped.ts";
import type { ModCallEntry, ServerState } from "../../../domain/model.ts";
import type { OpenCallCard } from "../../../domain/ports/mod-calls.ts";
import { callCardOf } from "../call-cards.ts";

/** Which moderator calls of a server wait, and which of them are one matter. Pure. */

/** A call that nobody answered within this time is over, whatever the log says. */
const CALL_LIFE_S = 1_800;

/** Somebody who waits for a moderator. */
export interface OpenMatter {
  /** The first call of the matter that is still open: since then they wait. */
  readonly call: ModCallEntry;
  /** How often they have called. */
  readonly times: number;
  /** Absent: no log channel shows it. */
  readonly card: OpenCallCard | undefined;
}

/** Unanswered, young, and made by somebody who is still there, as far as that is known. Who waits longest comes first. */
export function openMatters(state: ServerState, cards: readonly OpenCallCard[] = []): readonly OpenMatter[] {
  return [...callsByCaller(state, { isHere: true }).values()]
    .flatMap((calls) => mattersOf(calls, cards))
    .toSorted((a, b) => a.call.atS - b.call.atS);
}

/** `2 more callers left the server.` Their cards are open like those of who is there; undefined: nobody left. */
export function callersLeftWords(state: ServerState, open: readonly OpenMatter[]): Escaped | undefined {
  const { size } = callsByCaller(state, { isHere: false });
  if (size === 0) return undefined;
  return md`${size} ${open.length === 0 ? "" : "more "}${size === 1 ? "caller" : "callers"} left the server.`;
}

/** The unanswered young calls of who is there, as far as that is known, or of who left. */
function callsByCaller(
  { lists: { modCalls, players }, serviceAheadMs = 0 }: ServerState,
  { isHere }: { readonly isHere: boolean },
): ReadonlyMap<string, readonly ModCallEntry[]> {
  if (modCalls === undefined) return new Map();
  const present = players && new Set(players.value.map(({ player }) => player.name));
  // A list from before the call is of another moment.
  const isThere = ({ caller, atS }: ModCallEntry) =>
    players === undefined ||
    present?.has(caller.name) === true ||
    atS * 1_000 > players.atMs + serviceAheadMs;
  const sinceS = (modCalls.atMs + serviceAheadMs) / 1_000 - CALL_LIFE_S;
  const open = modCalls.value
    .filter(({ moderator, atS }) => moderator === undefined && atS >= sinceS)
    .filter((call) => isThere(call) === isHere);
  return Map.groupBy(open, ({ caller }) => `${caller.name}:${caller.id ?? ""}`);
}

/** The calls of one person on one card are one matter. Those on none go with the newest card, or are one by themselves. */
function mattersOf(calls: readonly ModCallEntry[], cards: readonly OpenCallCard[]): readonly OpenMatter[] {
  const placed = calls
    .toSorted((a, b) => a.atS - b.atS)
    .map((call) => ({ call, card: callCardOf(call, cards) }));
  const newest = placed.findLast(({ card }) => card !== undefined)?.card;
  const byCard = Map.groupBy(placed, ({ card }) => card ?? newest);
  return [...byCard].flatMap(([card, [first, ...more]]) =>
    first === undefined ? [] : [{ call: first.call, times: 1 + more.length, card }],
  );
}
