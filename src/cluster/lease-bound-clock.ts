import type { Clock } from "../domain/ports/clock.ts";

/**
 * The same clock for parts that must go silent at once when `over` is aborted: what waits then waits for ever, and
 * nothing more is begun. Waiting parts get no error, because they would act on it.
 */
export function leaseBoundClock(clock: Clock, over: AbortSignal): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, work) => {
      if (over.aborted) return () => undefined;
      return clock.after(delayMs, () => {
        if (!over.aborted) work();
      });
    },
    sleep: async (delayMs, signal) => {
      await clock.sleep(delayMs, signal);
      if (over.aborted) await new Promise<never>(() => undefined);
    },
  };
}
