import type { DutyBreak, DutyLink, DutyMark, DutyType, Shift, ShiftEnd } from "../domain/duty.ts";
import { markId } from "./duty-rows.ts";
import { clipped, partOf, type Stay } from "./shift-parts.ts";

/** Shifts that people start: what they said, and when they were in the game. Pure. */

/** Away from the game for longer than this ends a shift at the last moment that was seen. */
export const BRIDGE_S = 600;
/** A break that lasts longer ends the shift where it began. */
const LONGEST_BREAK_S = 3_600;
/** Work outside the game that nobody ends is over after this time. */
const LONGEST_OUTSIDE_S = 4 * 3_600;

/** When the last account of a member was unlinked: nothing more can be seen of them. Not stored, links tell it. */
export interface Unlinking extends Pick<DutyMark, "id" | "userId" | "atS"> {
  readonly kind: "unlinked";
}

/** After everything that was said within the same second. */
export function unlinkings(links: readonly DutyLink[]): readonly Unlinking[] {
  return links.flatMap(({ userId, untilS: atS }): readonly Unlinking[] => {
    if (atS === undefined) return [];
    const isLinked = links.some(
      ({ fromS, untilS = Number.POSITIVE_INFINITY }) => fromS <= atS && untilS > atS,
    );
    return isLinked ? [] : [{ id: markId(atS, "~ unlinked"), userId, atS, kind: "unlinked" }];
  });
}

export interface Known {
  readonly userId: string;
  /** When they were in the game, oldest first. */
  readonly stays: readonly Stay[];
  /** All is known up to here. */
  readonly knownS: number;
}

interface Open {
  readonly type: DutyType;
  readonly fromS: number;
  readonly firstMark: string;
  lastMark: string;
  /** From when on they are away, where they are not in the game. */
  awayFromS: number;
  readonly breaks: { fromS: number; untilS?: number }[];
}

interface Ending {
  readonly untilS: number;
  readonly decidedS: number;
  readonly why: ShiftEnd;
  readonly isServerUnlinked?: true;
  readonly isUnseen?: true;
}

/** The shifts of one member by their marks, oldest first; only the last can be open. */
export function declaredShifts(
  known: Known,
  marks: readonly (DutyMark | Unlinking)[],
  types: readonly DutyType[],
): readonly Shift[] {
  const shifts: Shift[] = [];
  let open: Open | undefined;
  const close = (ending: Ending) => {
    if (open !== undefined) shifts.push(shiftOf(known, open, ending));
    open = undefined;
  };
  for (const mark of marks.filter(({ kind }) => kind !== "refused")) {
    const ending = open && endBefore(known, open, mark.atS);
    if (ending !== undefined) close(ending);
    if (open === undefined) {
      open = opened(mark, types);
      continue;
    }
    const next = applied(open, mark, types);
    if (next === "same") continue;
    close({ untilS: mark.atS, decidedS: mark.atS, why: next });
    open = opened(mark, types);
  }
  const ending = open && endBefore(known, open, known.knownS + 1);
  if (ending !== undefined) close(ending);
  if (open !== undefined) shifts.push(shiftOf(known, open, undefined));
  return shifts;
}

function opened(mark: DutyMark | Unlinking, types: readonly DutyType[]): Open | undefined {
  if (mark.kind !== "start") return undefined;
  const { typeId, atS, id } = mark;
  const type = types.find((one) => one.id === typeId);
  if (type === undefined) return undefined;
  return { type, fromS: atS, firstMark: id, lastMark: id, awayFromS: atS, breaks: [] };
}

/** Takes a mark into an open shift; answers why it ends here, where it does. */
function applied(
  open: Open,
  mark: DutyMark | Unlinking,
  types: readonly DutyType[],
): "same" | Extract<ShiftEnd, "ended" | "restored" | "switched" | "unlinked"> {
  const { kind, atS } = mark;
  // Of work outside the game nothing is seen in any case.
  if (kind === "unlinked" && open.type.start === "outside") return "same";
  if (kind === "start" && mark.typeId !== open.type.id && types.some(({ id }) => id === mark.typeId)) {
    return "switched";
  }
  open.lastMark = mark.id;
  if (kind === "unlinked") return "unlinked";
  if (kind === "end") return mark.by === "restore" ? "restored" : "ended";
  const last = open.breaks.at(-1);
  const isOnBreak = last !== undefined && last.untilS === undefined;
  if (kind === "break" && !isOnBreak) open.breaks.push({ fromS: atS });
  else {
    if (isOnBreak) last.untilS = atS;
    // Whoever says that they are on has ten minutes to come.
    open.awayFromS = Math.max(open.awayFromS, atS);
  }
  return "same";
}

/** Whether the shift was over by itself before that time, and how. */
function endBefore({ stays, knownS }: Known, open: Open, beforeS: number): Ending | undefined {
  const horizonS = Math.min(beforeS, knownS + 1);
  const last = open.breaks.at(-1);
  const breakS = last !== undefined && last.untilS === undefined ? last.fromS : undefined;
  const latestS = breakS ?? Number.POSITIVE_INFINITY;
  if (open.type.start === "outside") {
    const overS = open.fromS + LONGEST_OUTSIDE_S;
    if (overS < Math.min(beforeS, latestS)) return { untilS: overS, decidedS: overS, why: "limit" };
  } else {
    const away = awayBy(stays, open, Math.min(horizonS, latestS));
    if (away !== undefined) return away;
  }
  if (breakS === undefined || breakS + LONGEST_BREAK_S >= beforeS) return undefined;
  return { untilS: breakS, decidedS: breakS + LONGEST_BREAK_S, why: "break" };
}

/** Walks from the last time that they were said or seen to be there. */
function awayBy(stays: readonly Stay[], open: Open, horizonS: number): Ending | undefined {
  let awayFromS = open.awayFromS;
  for (const stay of stays) {
    if (stay.untilS < awayFromS && !stay.isOpen) continue;
    if (stay.fromS - awayFromS > BRIDGE_S || stay.fromS >= horizonS) break;
    if (stay.isOpen) return undefined;
    awayFromS = Math.max(awayFromS, stay.untilS);
  }
  if (awayFromS + BRIDGE_S >= horizonS) return undefined;
  const seen = stays.filter(({ fromS, untilS }) => untilS >= open.fromS && fromS <= awayFromS);
  const lastSeenS = seen.reduce((atS, { untilS }) => Math.max(atS, untilS), open.fromS);
  const last = seen.filter(({ untilS }) => untilS === lastSeenS);
  return {
    untilS: Math.min(awayFromS, lastSeenS),
    decidedS: awayFromS + BRIDGE_S,
    why: "left",
    ...(last.some(({ isCut }) => isCut) && { isServerUnlinked: true }),
    ...(last.some(({ isUnseen }) => isUnseen) && { isUnseen: true }),
  };
}

function shiftOf(known: Known, open: Open, ending: Ending | undefined): Shift {
  const { userId } = known;
  const { type, fromS, lastMark, firstMark } = open;
  const untilS = ending?.untilS ?? Number.POSITIVE_INFINITY;
  const breaks = open.breaks
    .filter((one) => one.fromS < untilS)
    .map((one): DutyBreak => (one.untilS === undefined ? { fromS: one.fromS } : { ...one }));
  const whole: readonly Stay[] =
    type.start === "outside" ? [outsideStay(fromS, Math.min(untilS, known.knownS))] : known.stays;
  const parts = worked({ fromS, untilS }, breaks).flatMap((span) =>
    whole.flatMap((stay) => clipped(stay, span) ?? []),
  );
  return {
    id: `${fromS} ${firstMark}`,
    userId,
    typeId: type.id,
    fromS,
    untilS: ending?.untilS,
    why: ending?.why,
    ...(ending?.isServerUnlinked && { isServerUnlinked: true }),
    ...(ending?.isUnseen && { isUnseen: true }),
    decidedS: ending?.decidedS,
    lastMark,
    parts: parts.filter((part) => part.mightUntilS > part.mightFromS).map(partOf),
    breaks: breaks.map((one) =>
      one.untilS === undefined && ending !== undefined ? { ...one, untilS: ending.untilS } : one,
    ),
  };
}

function outsideStay(fromS: number, untilS: number): Stay {
  const untilKnownS = Math.max(fromS, untilS);
  return {
    bindingId: "",
    playerId: 0,
    fromS,
    untilS: untilKnownS,
    mightFromS: fromS,
    mightUntilS: untilKnownS,
    isOpen: false,
    isCut: false,
    isUnseen: false,
  };
}

/** A time without its breaks. */
function worked(whole: { fromS: number; untilS: number }, breaks: readonly DutyBreak[]) {
  const spans: { fromS: number; untilS: number }[] = [];
  let { fromS } = whole;
  for (const pause of breaks) {
    if (pause.fromS > fromS) spans.push({ fromS, untilS: Math.min(pause.fromS, whole.untilS) });
    fromS = Math.max(fromS, pause.untilS ?? Number.POSITIVE_INFINITY);
  }
  if (fromS < whole.untilS) spans.push({ fromS, untilS: whole.untilS });
  return spans;
}
