import type { DutyPart, Shift } from "../domain/duty.ts";
import {
  type Correction,
  isCounting,
  isExcusing,
  type Leave,
  type Quota,
  type QuotaLine,
} from "../domain/quota.ts";
import type { Span } from "./shift-parts.ts";

/** What counts of a time, and what is asked for it. Pure. */

/** The time for which a quota asks; where it was stopped before its end, for its share until then. */
export interface Period extends Span {
  readonly stoppedS?: number;
}

export interface Worked {
  readonly shifts: readonly Shift[];
  readonly corrections: readonly Correction[];
}

/** What Managers added and took by hand within a time, in seconds. */
export function byHandIn(
  { corrections }: Pick<Worked, "corrections">,
  { fromS, untilS }: Span,
  typeId?: string,
): { readonly addedS: number; readonly takenS: number } {
  const counting = corrections.filter(
    (one) => isOf(one.typeId, typeId) && isCounting(one) && one.atS >= fromS && one.atS < untilS,
  );
  const sum = (all: readonly Correction[]) =>
    all.reduce((total, { seconds }) => total + Math.abs(seconds), 0);
  return {
    addedS: sum(counting.filter(({ seconds }) => seconds > 0)),
    takenS: sum(counting.filter(({ seconds }) => seconds < 0)),
  };
}

/** Seconds of these shifts within a time, and by how many more it may have been. */
export function countedIn(
  { shifts, corrections }: Worked,
  span: Span,
  typeId?: string,
): { readonly countedS: number; readonly unsureS: number } {
  const parts = shifts.filter((shift) => isOf(shift.typeId, typeId)).flatMap((shift) => shift.parts);
  const added = corrections
    .filter((one) => isOf(one.typeId, typeId) && isCounting(one))
    .filter(({ atS }) => atS >= span.fromS && atS < span.untilS)
    .reduce((sum, { seconds }) => sum + seconds, 0);
  const countedS = parts.reduce((sum, part) => sum + sharedS(part, span), 0);
  const widest = parts.map(({ mightFromS, mightUntilS }: DutyPart) => ({
    fromS: mightFromS,
    untilS: mightUntilS,
  }));
  const unsureS = widest.reduce((sum, part) => sum + sharedS(part, span), 0) - countedS;
  return { countedS: Math.max(0, countedS + added), unsureS };
}

function isOf(typeId: string, wanted: string | undefined): boolean {
  return wanted === undefined || typeId === wanted;
}

/**
 * What a quota asks of somebody in a period: less for the days before they were linked, for leave, and for reduced
 * activity; of several at once the least is asked. Of a period that was stopped, the share until then.
 */
export function neededS(
  { needS, sinceS }: Pick<Quota, "needS" | "sinceS">,
  period: Period,
  { linkedS, leaves }: { readonly linkedS: number; readonly leaves: readonly Leave[] },
): number {
  const fromS = Math.max(period.fromS, linkedS, sinceS);
  const endsS = Math.min(period.untilS, period.stoppedS ?? period.untilS);
  if (fromS >= endsS) return 0;
  const edges = leaves
    .filter(isExcusing)
    .flatMap(({ fromS: from, untilS }) => [from, untilS])
    .filter((atS) => atS > fromS && atS < endsS);
  const times = [...new Set([fromS, ...edges, endsS])].sort((a, b) => a - b);
  let asked = 0;
  for (const [at, untilS] of times.slice(1).entries()) {
    const beginS = times[at] ?? untilS;
    const percents = leaves
      .filter(isExcusing)
      .filter((leave) => leave.fromS <= beginS && leave.untilS >= untilS)
      .map(({ percent }) => percent);
    asked += (untilS - beginS) * (Math.min(100, ...percents) / 100);
  }
  return Math.round((needS * asked) / (period.untilS - period.fromS));
}

/** Who of these people meets a quota in a period, by what they did of it up to a second; the most first. */
export function quotaLines(
  quota: Quota,
  period: Period,
  people: readonly (Worked & {
    readonly userId: string;
    readonly linkedS: number;
    readonly leaves: readonly Leave[];
  })[],
  untilS = period.untilS,
): readonly QuotaLine[] {
  const span = { fromS: Math.max(period.fromS, quota.sinceS), untilS: Math.min(period.untilS, untilS) };
  const running = untilS < period.untilS ? { isRunning: true } : {};
  return people
    .map((person): QuotaLine => {
      const { countedS, unsureS } = countedIn(person, span, quota.typeId);
      const needS = neededS(quota, period, person);
      const outcome = needS === 0 ? "excused" : countedS >= needS ? "met" : "not-met";
      const isLess = person.linkedS > span.fromS && needS > 0;
      const linked = isLess ? { linkedS: person.linkedS } : {};
      const { addedS, takenS } = byHandIn(person, span, quota.typeId);
      const reducedTo = leastPercent(person.leaves, span);
      const line = {
        userId: person.userId,
        countedS,
        unsureS,
        needS,
        outcome,
        ...linked,
        ...(reducedTo === undefined ? {} : { reducedTo }),
        ...(addedS === 0 ? {} : { addedS }),
        ...(takenS === 0 ? {} : { takenS }),
        ...running,
      } as const;
      return isOnLeave(person.leaves, span) ? { ...line, isOnLeave: true } : line;
    })
    .sort((a, b) => b.countedS - a.countedS || (a.userId < b.userId ? -1 : 1));
}

function isOnLeave(leaves: readonly Leave[], span: Span): boolean {
  return leaves.some((leave) => leave.percent === 0 && isExcusing(leave) && sharedS(leave, span) > 0);
}

/** Of reduced activity; undefined: none. */
function leastPercent(leaves: readonly Leave[], span: Span): number | undefined {
  const percents = leaves
    .filter((leave) => isExcusing(leave) && sharedS(leave, span) > 0)
    .map(({ percent }) => percent)
    .filter((percent) => percent > 0 && percent < 100);
  return percents.length === 0 ? undefined : Math.min(...percents);
}

function sharedS(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.untilS, other.untilS) - Math.max(one.fromS, other.fromS));
}
