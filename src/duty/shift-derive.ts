import type { DutyLink, DutyMark, DutyPart, DutyState, DutyType, Shift } from "../domain/duty.ts";
import type { DutyFacts } from "../domain/ports/duty-store.ts";
import { automaticShifts } from "./shift-automatic.ts";
import { declaredShifts, type Known, unlinkings } from "./shift-declared.ts";
import type { Span } from "./shift-parts.ts";
import { knownUntilS, staysOf } from "./shift-presence.ts";

/**
 * The shifts of one member by all that is known: the same facts give the same shifts, whether they are worked out as they
 * come or all at once later. Pure.
 */

export interface MemberFacts {
  readonly userId: string;
  readonly facts: DutyFacts;
  /** The present by our clock: where no server is linked any more, nothing is waited for. */
  readonly nowS?: number | undefined;
  readonly links: readonly DutyLink[];
  /** By their ids. */
  readonly marks: readonly DutyMark[];
  readonly states: readonly DutyState[];
  /** Also those that were removed, in the order in which they count. */
  readonly types: readonly DutyType[];
  /** Closed shifts, which stay as they are; those of the last days. */
  readonly closed: readonly Shift[];
  /** What was counted of shifts that people started and that go on: it outlives what the history has of the player. */
  readonly before?: readonly DutyPart[] | undefined;
}

/** The shifts that are not among the closed ones. What has `decidedS` up to `knownS` is over for good. */
export function deriveShifts(member: MemberFacts): {
  readonly shifts: readonly Shift[];
  readonly knownS: number;
} {
  const { userId, facts, nowS, links, marks, states, types, closed, before } = member;
  const isUnlinked = facts.servers.length > 0 && facts.servers.every(({ isEnded }) => isEnded);
  const knownS = (isUnlinked ? nowS : undefined) ?? knownUntilS(facts) ?? 0;
  const stays = staysOf(facts, links, before);
  const known: Known = { userId, stays, knownS };
  const usedMark = closed.reduce((last, { lastMark = "" }) => (lastMark > last ? lastMark : last), "");
  const gone = unlinkings(links);
  const fresh = [...marks, ...gone].filter(({ id }) => id > usedMark).sort((a, b) => (a.id < b.id ? -1 : 1));
  // What people said is dated by our clock, so a time that the service states wrongly does not end what they began.
  const heard: Known = { ...known, knownS: Math.min(knownS, nowS ?? knownS) };
  const shifts = [...declaredShifts(heard, fresh, types)];
  const declared = [...closed, ...shifts].filter(({ lastMark }) => lastMark !== undefined);
  const taken: Span[] = declared.map(spanOf);
  for (const type of types) {
    if (type.start !== "team" && type.start !== "presence") continue;
    const own = closed.filter(({ typeId }) => typeId === type.id);
    const fromS = own.reduce((atS, { untilS = 0 }) => Math.max(atS, untilS), 0);
    const unlinkedS = gone.map(({ atS }) => atS);
    const found = automaticShifts({ ...known, states, servers: facts.servers, unlinkedS }, type, {
      taken,
      fromS,
    });
    shifts.push(...found);
    taken.push(...own.map(spanOf), ...found.map(spanOf));
  }
  return { shifts, knownS };
}

/** The time in which no other shift counts. */
function spanOf({ fromS, decidedS }: Shift): Span {
  return { fromS, untilS: decidedS ?? Number.POSITIVE_INFINITY };
}
