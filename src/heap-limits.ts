import { setFlagsFromString } from "node:v8";

/**
 * `--max-old-space-size-percentage` bounds the heap of this thread, and V8 puts it above the limits that threads are started
 * with: each of them could fill as much again. This takes it back for the threads that are started from now on; this one has
 * its bound already.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString("--max-old-space-size=0");
}
