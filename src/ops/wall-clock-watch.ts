import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

export interface WallClockParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

const CHECK_EVERY_MS = 10_000;
/** Time synchronisation makes smaller steps every day. */
const LARGE_STEP_MS = 2_000;

/**
 * Logs each large step of the wall clock, once, within ten seconds, so that an operator knows why the times in the log
 * do not follow each other. Waits are counted by the monotonic clock and do not change. Returns a function that ends
 * the watch.
 */
export function watchWallClock({ clock, log }: WallClockParts): () => void {
  const aheadMs = () => clock.nowMs() - clock.monotonicMs();
  let knownMs = aheadMs();
  let cancel: () => void = () => {};
  const check = () => {
    const stepMs = Math.round(aheadMs() - knownMs);
    // A slow drift is followed, so that it never adds up to a step.
    knownMs = aheadMs();
    if (Math.abs(stepMs) >= LARGE_STEP_MS) {
      const way = stepMs > 0 ? "forward" : "back";
      log.warn({ stepMs }, `the clock of this machine was set ${way}, or the machine slept`);
    }
    cancel = clock.after(CHECK_EVERY_MS, check);
  };
  cancel = clock.after(CHECK_EVERY_MS, check);
  return () => cancel();
}
