/** A batch leaves after this long without news, so that entries of polls in quick succession share a message. */
const QUIET_MS = 2_000;
/** The first entry of a batch waits no longer. */
const LONGEST_WAIT_MS = 5_000;

/**
 * How long a batch that is not full yet still waits for more, in whole milliseconds; 0: it leaves now.
 * Rounded up, because a rest of less than one would be waited for again and again.
 */
export function batchWaitMs(firstWaitedMs: number, lastWaitedMs: number): number {
  return Math.ceil(Math.max(0, Math.min(LONGEST_WAIT_MS - firstWaitedMs, QUIET_MS - lastWaitedMs)));
}
