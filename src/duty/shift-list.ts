import type { Shift } from "../domain/duty.ts";

/**
 * Stored shifts, newest first, with those that go on as they are known now. One that was over at `fromS` is none of them.
 * Pure.
 */
export function shiftsIn(
  { stored, open }: { readonly stored: readonly Shift[]; readonly open: readonly Shift[] },
  fromS: number,
): readonly Shift[] {
  const live = new Map(open.map((shift) => [`${shift.userId} ${shift.id}`, shift]));
  return stored
    .map((shift) => live.get(`${shift.userId} ${shift.id}`) ?? shift)
    .filter((shift) => shift.fromS >= fromS || (shift.untilS ?? Number.POSITIVE_INFINITY) > fromS)
    .toSorted((a, b) => b.fromS - a.fromS);
}
