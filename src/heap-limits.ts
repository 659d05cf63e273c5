import { setFlagsFromString } from "node:v8";

/**
 * `--max-old-space-size-percentage` bounds the heap of this thread, and V8 puts it above the limits that threads are started
 * with: each of them could fill as much again. This takes it back for the threads that are started from now on; this one has
 * its bound already.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString("--max-old-space-size=0");
}

/** The heap may grow by this much beyond what is held before garbage is collected; V8 alone lets it double. */
const GROWTH_PERCENT = 25;

/** Holds less garbage, for a little more CPU: what ten thousand servers need is held for hours, and little of it changes. */
export function collectGarbageSooner(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
