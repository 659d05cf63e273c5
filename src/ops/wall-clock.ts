import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

export interface WallClockParts {
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 10_000;
/** Smaller steps are what time synchronisation does every day. */
const LARGE_STEP_MS = 2_000;

/**
 * Logs each large step of the wall clock, once, within ten seconds. Nothing waits longer or shorter because of one; an
 * operator needs to know why the times in the log do not follow each other. Returns what ends the watch.
 */
export function watchWallClock({ clock, log }: WallClockParts): () => void {
  const aheadMs = () => clock.nowMs() - clock.monotonicMs();
  let knownMs = aheadMs();
  let cancel: () => void = () => {};
  const look = () => {
    const stepMs = Math.round(aheadMs() - knownMs);
    // A slow drift is followed, so that it never adds up to a step.
    knownMs = aheadMs();
    if (Math.abs(stepMs) >= LARGE_STEP_MS) {
      const way = stepMs > 0 ? "forward" : "back";
      log.warn({ stepMs }, `the clock of this machine was set ${way}, or the machine slept`);
    }
    cancel = clock.after(LOOK_EVERY_MS, look);
  };
  cancel = clock.after(LOOK_EVERY_MS, look);
  return () => cancel();
}
