import type { Fact } from "./fact.ts";
import type { Retained } from "./retained.ts";

/**
 * Do the rows that a window shares with what is known prove that it goes on from there? A second of which every known
 * row still stands does. One of which some are gone does not: the row that looks known may be an equal one that came
 * later, after others that nobody has seen. Pure.
 */
export function provesContinuity(
  { seconds, hashes, counts }: Retained,
  window: readonly Fact<unknown>[],
): boolean {
  const left = new Map<number, number>();
  for (const [index, hash] of hashes.entries()) left.set(hash, counts[index] ?? 0);
  const sharedIn = new Map<number, number>();
  for (const { hash, atS } of window) {
    const known = left.get(hash) ?? 0;
    if (known === 0) continue;
    left.set(hash, known - 1);
    sharedIn.set(atS, (sharedIn.get(atS) ?? 0) + 1);
  }
  const knownIn = new Map<number, number>();
  for (const [index, atS] of seconds.entries()) {
    if (sharedIn.has(atS)) knownIn.set(atS, (knownIn.get(atS) ?? 0) + (counts[index] ?? 0));
  }
  return [...sharedIn].some(([atS, rows]) => rows >= (knownIn.get(atS) ?? 0));
}
