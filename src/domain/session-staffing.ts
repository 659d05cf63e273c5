import type { PastSession } from "./session.ts";

/** What was seen of staffing: how long calls waited on sessions with how many staff. Pure; it says nothing of what would be. */

/** Before so many sessions nothing is said. */
export const EVENINGS_TO_COMPARE = 8;
/** A number of staff that was there less often is left out. */
const LEAST_IN_GROUP = 3;
const MOST_GROUPS = 4;
/** What was shorter is no evening. */
const SHORTEST_MS = 30 * 60_000;
/** So much of the time has to be known. */
const KNOWN_SHARE = 0.5;

export interface StaffingGroup {
  /** On average, rounded. */
  readonly staff: number;
  readonly evenings: number;
  /** The middle of what calls waited on those sessions. */
  readonly medianAnswerS: number;
}

export type StaffingSeen =
  | { readonly kind: "few"; readonly evenings: number }
  /** The most staff first. */
  | { readonly kind: "seen"; readonly groups: readonly StaffingGroup[] };

export function staffingSeen(past: readonly PastSession[]): StaffingSeen {
  const evenings = past.flatMap((one) => {
    const { figures, fromMs, untilMs } = one;
    if (typeof figures !== "object" || untilMs - fromMs < SHORTEST_MS) return [];
    const { staff, medianAnswerS, knownS } = figures;
    if (staff === undefined || medianAnswerS === undefined) return [];
    return knownS * 1_000 < (untilMs - fromMs) * KNOWN_SHARE
      ? []
      : [{ staff: Math.round(staff), medianAnswerS }];
  });
  if (evenings.length < EVENINGS_TO_COMPARE) return { kind: "few", evenings: evenings.length };

  const groups = [...Map.groupBy(evenings, ({ staff }) => staff)]
    .filter(([, some]) => some.length >= LEAST_IN_GROUP)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_GROUPS)
    .map(([staff, some]) => ({
      staff,
      evenings: some.length,
      medianAnswerS: middle(some.map(({ medianAnswerS }) => medianAnswerS)),
    }));
  return { kind: "seen", groups: groups.sort((a, b) => b.staff - a.staff) };
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
