import type { Shift } from "../domain/duty.ts";

/** Stored shifts, newest first, with those that go on as they are known now. Pure. */
export function withLiveShifts(stored: readonly Shift[], open: readonly Shift[]): readonly Shift[] {
  const live = new Map(open.map((shift) => [`${shift.userId} ${shift.id}`, shift]));
  return stored
    .map((shift) => live.get(`${shift.userId} ${shift.id}`) ?? shift)
    .toSorted((a, b) => b.fromS - a.fromS);
}
