import type { Retained } from "./retained.ts";

/**
 * Do the rows that a window shares with what is known prove that it goes on from there? A second of which every known
 * row still stands does. One of which some are gone does not: the row that looks known may be an equal one that came
 * later, after others that nobody has seen. `sharedSeconds`: of each shared row its second. Pure.
 */
export function provesContinuity({ seconds, counts }: Retained, sharedSeconds: readonly number[]): boolean {
  const goneIn = new Map<number, number>();
  for (const atS of sharedSeconds) goneIn.set(atS, (goneIn.get(atS) ?? 0) - 1);
  for (let index = 0; index < seconds.length; index++) {
    const atS = seconds[index] ?? 0;
    const gone = goneIn.get(atS);
    if (gone !== undefined) goneIn.set(atS, gone + (counts[index] ?? 0));
  }
  for (const gone of goneIn.values()) if (gone <= 0) return true;
  return false;
}
