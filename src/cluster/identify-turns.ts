import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

/** Discord's five seconds, and a little for clocks and the way. */
const IDENTIFY_MS = 5_250;
const AGAIN_MS = 500;

export interface IdentifyTurnsParts {
  /** Takes the turn of a slot for that time; else resolves with how long another process has it. */
  take(slot: number, forMs: number): Promise<number>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Lets sessions begin one after the other over all processes of a bot: one in five seconds for each
 * `shard % maxConcurrency`. While Redis is away nobody begins one, since nobody knows who else does. Rejects with the
 * signal's reason.
 */
export function identifyTurns({ take, clock, log }: IdentifyTurnsParts) {
  return async (shard: number, maxConcurrency: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const waitMs = await take(shard % Math.max(1, maxConcurrency), IDENTIFY_MS).catch((err: unknown) => {
        log.debug({ err, shard }, "whose turn it is to begin a session is not known");
        return AGAIN_MS;
      });
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
    }
  };
}
