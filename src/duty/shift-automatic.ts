import type { DutyState, DutyType, Shift } from "../domain/duty.ts";
import type { DutyFacts } from "../domain/ports/duty-store.ts";
import { BRIDGE_S, type Known } from "./shift-declared.ts";
import { clipped, partOf, type Span, type Stay, without } from "./shift-parts.ts";

/** Shifts that begin by themselves: by a team, a callsign or a rank that looks showed. Pure. */

/** The rank of everybody who has none. */
const NO_RANK = "Normal";

/** Whether what a look shows of somebody is being on duty of this type. */
function isOnBy(type: DutyType, state: Pick<DutyState, "team" | "callsign" | "rank">): boolean {
  if (type.start === "presence") return state.rank !== NO_RANK;
  if (type.start !== "team") return false;
  const callsign = type.callsign?.toLowerCase();
  return (
    type.teams.includes(state.team.toLowerCase()) ||
    (callsign !== undefined && callsign !== "" && state.callsign.toLowerCase().startsWith(callsign))
  );
}

/** The shifts of one member and type, oldest first; `taken` are times that belong to other shifts. */
export function automaticShifts(
  known: Known & { readonly states: readonly Stated[] },
  type: DutyType,
  { taken, fromS }: { readonly taken: readonly Span[]; readonly fromS: number },
): readonly Shift[] {
  const own: Span = {
    fromS: Math.max(fromS, type.sinceS),
    untilS: type.untilS ?? Number.POSITIVE_INFINITY,
  };
  const on = known.states.filter(({ state }) => isOnBy(type, state)).flatMap(({ stays }) => stays);
  const free = taken.reduce(
    (stays: readonly Stay[], span) => without(stays, span),
    on.flatMap((stay) => clipped(stay, own) ?? []),
  );
  const groups: Stay[][] = [];
  for (const stay of free.toSorted((a, b) => a.fromS - b.fromS)) {
    const last = groups.at(-1)?.at(-1);
    const isBridged = last !== undefined && stay.fromS - last.untilS <= BRIDGE_S;
    if (isBridged && takenFrom(taken, last.untilS, stay.fromS) === undefined) groups.at(-1)?.push(stay);
    else groups.push([stay]);
  }
  return groups.map((group) => shiftOf(known, type, { group, taken }));
}

/** When another shift takes over first, within this time; undefined: none does. */
function takenFrom(taken: readonly Span[], fromS: number, untilS: number): number | undefined {
  const begun = taken.map((span) => span.fromS).filter((atS) => atS >= fromS && atS <= untilS);
  return begun.length === 0 ? undefined : Math.min(...begun);
}

/** A state, and when its player was in the game with it. */
export interface Stated {
  readonly state: DutyState;
  readonly stays: readonly Stay[];
}

/** What looks showed of a member, within the time that they were in the game. */
export function statedStays(
  stays: readonly Stay[],
  states: readonly DutyState[],
  { servers }: Pick<DutyFacts, "servers">,
): readonly Stated[] {
  const lookedS = new Map(servers.map((server) => [server.bindingId, server.lookedS]));
  return states.map((state) => {
    const { bindingId, playerId, fromS, mightFromS } = state;
    const untilS = state.untilS ?? Math.max(fromS, lookedS.get(bindingId) ?? fromS);
    const own = stays.filter((stay) => stay.bindingId === bindingId && stay.playerId === playerId);
    const seen = own.flatMap((stay): readonly Stay[] => {
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
    return { state, stays: seen };
  });
}

function shiftOf(
  { userId, knownS }: Known,
  type: DutyType,
  { group, taken }: { readonly group: readonly Stay[]; readonly taken: readonly Span[] },
): Shift {
  const fromS = group[0]?.fromS ?? 0;
  const last = group.at(-1);
  const untilS = last?.untilS ?? fromS;
  const switchedS = takenFrom(taken, untilS, untilS + BRIDGE_S);
  const decidedS = switchedS ?? untilS + BRIDGE_S + 1;
  const isOver = last?.isOpen !== true && decidedS <= knownS;
  return {
    id: `${fromS} ${type.id}`,
    userId,
    typeId: type.id,
    fromS,
    untilS: isOver ? untilS : undefined,
    why: isOver ? (switchedS === undefined ? "left" : "switched") : undefined,
    decidedS: isOver ? decidedS : undefined,
    parts: group.map(partOf),
    breaks: [],
  };
}
