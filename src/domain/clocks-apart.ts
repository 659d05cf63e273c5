import type { Snapshot } from "./model.ts";

/** Answers take less on their way, and say the time in whole seconds. */
const CLOCKS_APART_MS = 5_000;

/** By how much the service's clock, by which rows are dated, is ahead of ours; 0 where it may be the way of the answer. */
export function serviceAheadS({
  serviceAtMs,
  takenAtMs,
}: Pick<Snapshot, "serviceAtMs" | "takenAtMs">): number {
  const aheadMs = (serviceAtMs ?? takenAtMs) - takenAtMs;
  return Math.abs(aheadMs) < CLOCKS_APART_MS ? 0 : Math.round(aheadMs / 1_000);
}
