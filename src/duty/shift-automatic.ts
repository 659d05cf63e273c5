import type { DutyState, DutyType, Shift } from "../domain/duty.ts";
import type { DutyFacts } from "../domain/ports/duty-store.ts";
import { BRIDGE_S, type Known } from "./shift-declared.ts";
import { clipped, partOf, type Span, type Stay, without } from "./shift-parts.ts";

/** Shifts that begin by themselves: by a team, a callsign or a rank that looks showed. Pure. */

/** The rank of everybody who has none. */
const NO_RANK = "Normal";

/** Whether what a look shows of somebody is being on duty of this type. */
function isOnBy(type: DutyType, state: Pick<DutyState, "team" | "callsign" | "rank">): boolean {
  if (type.start === "presence") return state.rank !== "" && state.rank !== NO_RANK;
  if (type.start !== "team") return false;
  const callsign = type.callsign?.toLowerCase();
  return (
    type.teams.includes(state.team.toLowerCase()) ||
    (callsign !== undefined && callsign !== "" && state.callsign.toLowerCase().startsWith(callsign))
  );
}

interface KnownStates extends Known {
  readonly states: readonly DutyState[];
  readonly servers: DutyFacts["servers"];
  /** When their last account was unlinked, each time. */
  readonly unlinkedS: readonly number[];
}

/**
 * The shifts of one member and type from `fromS` on, where the last one ended that is over for good, oldest first; `taken`
 * are times that belong to other shifts.
 */
export function automaticShifts(
  known: KnownStates,
  type: DutyType,
  { taken, fromS }: { readonly taken: readonly Span[]; readonly fromS: number },
): readonly Shift[] {
  const own: Span = { fromS: type.sinceS, untilS: type.untilS ?? Number.POSITIVE_INFINITY };
  const states = lasting(known.states.filter((state) => isOnBy(type, state)));
  const on = states.flatMap((state) => seenStays(known.stays, state, known.servers));
  const free = taken
    .reduce(
      (rest: readonly Stay[], span) => without(rest, span),
      on.flatMap((stay) => clipped(stay, own) ?? []),
    )
    // A wrong time of the service may have ended a shift during a stay: what is left of it counts.
    .flatMap((stay) => clipped(stay, { fromS, untilS: Number.POSITIVE_INFINITY }) ?? [])
    .filter((stay) => stay.untilS > fromS);
  const groups: Stay[][] = [];
  for (const stay of free.toSorted((a, b) => a.fromS - b.fromS)) {
    const last = groups.at(-1)?.at(-1);
    const isBridged =
      last !== undefined &&
      stay.fromS - last.untilS <= BRIDGE_S &&
      takenFrom(taken, last.untilS, stay.fromS) === undefined &&
      firstWithin(known.unlinkedS, last.untilS, stay.fromS) === undefined;
    if (isBridged) groups.at(-1)?.push(stay);
    else groups.push([stay]);
  }
  return groups.map((group) => shiftOf(known, type, { group, taken }));
}

/** When another shift takes over first, within this time; undefined: none does. */
function takenFrom(taken: readonly Span[], fromS: number, untilS: number): number | undefined {
  return firstWithin(
    taken.map((span) => span.fromS),
    fromS,
    untilS,
  );
}

function firstWithin(times: readonly number[], fromS: number, untilS: number): number | undefined {
  const within = times.filter((atS) => atS >= fromS && atS <= untilS);
  return within.length === 0 ? undefined : Math.min(...within);
}

/** States of which the next look showed another that is on duty too are one: only something else of them changed. */
function lasting(states: readonly DutyState[]): readonly DutyState[] {
  const found: DutyState[] = [];
  for (const state of states.toSorted((a, b) => a.fromS - b.fromS)) {
    const at = found.findIndex(
      ({ playerId, bindingId, untilS, mightUntilS }) =>
        playerId === state.playerId &&
        bindingId === state.bindingId &&
        untilS !== undefined &&
        untilS === state.mightFromS &&
        mightUntilS === state.fromS &&
        state.fromS - untilS <= BRIDGE_S,
    );
    const before = found[at];
    if (before === undefined) found.push(state);
    else found[at] = { ...before, untilS: state.untilS, mightUntilS: state.mightUntilS };
  }
  return found;
}

/** When a player was in the game with what looks showed of them. */
function seenStays(stays: readonly Stay[], state: DutyState, servers: DutyFacts["servers"]): readonly Stay[] {
  const { bindingId, playerId, fromS, mightFromS } = state;
  const lookedS = servers.find((server) => server.bindingId === bindingId)?.lookedS ?? fromS;
  const untilS = state.untilS ?? Math.max(fromS, lookedS);
  const own = stays.filter((stay) => stay.bindingId === bindingId && stay.playerId === playerId);
  return own.flatMap((stay): readonly Stay[] => {
    const cut = clipped(stay, { fromS, untilS });
    if (cut === undefined) return [];
    const mightUntilS = Math.min(stay.mightUntilS, state.mightUntilS ?? untilS);
    return [
      {
        ...cut,
        mightFromS: Math.min(cut.fromS, Math.max(stay.mightFromS, mightFromS)),
        mightUntilS: Math.max(cut.untilS, mightUntilS),
        isOpen: stay.isOpen && state.untilS === undefined,
      },
    ];
  });
}

function shiftOf(
  { userId, knownS, unlinkedS }: KnownStates,
  type: DutyType,
  { group, taken }: { readonly group: readonly Stay[]; readonly taken: readonly Span[] },
): Shift {
  const fromS = group[0]?.fromS ?? 0;
  const last = group.at(-1);
  const untilS = last?.untilS ?? fromS;
  // Of somebody who was still there at the last look another shift takes over whenever it starts, however late the next look is.
  const isThere = last?.isOpen === true;
  const switchedS = takenFrom(taken, untilS, isThere ? Number.POSITIVE_INFINITY : untilS + BRIDGE_S);
  const goneS = firstWithin(unlinkedS, untilS, untilS + BRIDGE_S);
  const isGone = goneS !== undefined && goneS < (switchedS ?? Number.POSITIVE_INFINITY);
  const decidedS = isGone ? goneS : (switchedS ?? untilS + BRIDGE_S + 1);
  // Nothing that is looked at later could show that somebody without an account was there.
  const isOver = isGone || switchedS !== undefined || (!isThere && decidedS <= knownS);
  const why = isGone ? "unlinked" : switchedS === undefined ? "left" : "switched";
  return {
    id: `${fromS} ${type.id}`,
    userId,
    typeId: type.id,
    fromS,
    untilS: isOver ? untilS : undefined,
    why: isOver ? why : undefined,
    ...(isOver && why === "left" && last?.isCut && { isServerUnlinked: true }),
    ...(isOver && why === "left" && last?.isUnseen && { isUnseen: true }),
    decidedS: isOver ? decidedS : undefined,
    parts: group.map(partOf),
    breaks: [],
  };
}
