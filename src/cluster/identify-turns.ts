import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../log.ts";

/** Discord's five seconds, and some for the ways to Redis and to Discord, which are not equally long each time. */
const IDENTIFY_MS = 5_500;
const AGAIN_MS = 500;
/**
 * A turn counts from when Redis gave it. Where the answer took longer than this, the session would begin so late in its
 * turn that the next one came too soon after it.
 */
const SLOWEST_ANSWER_MS = 100;
/** A process that is always this slow begins its session all the same; Discord has it wait if it must. */
const MOST_EXTENSIONS = 5;

export interface IdentifyTurnsParts {
  /** Takes the turn of a slot for that time; else resolves with how long another process has it. */
  take(slot: number, forMs: number): Promise<number>;
  /** Has the turn of a slot, which this process took, last for that time from now. */
  extend(slot: number, forMs: number): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Lets sessions begin one after the other over all processes of a bot: one in five seconds for each
 * `shard % maxConcurrency`. While Redis is away nobody begins one, since nobody knows who else does. Rejects with the
 * signal's reason.
 */
export function identifyTurns({ take, extend, clock, log }: IdentifyTurnsParts) {
  /** Resolves with 0 when the turn has just begun, else with how long to wait before the next try. */
  async function tryTurn(slot: number): Promise<number> {
    let askedMs = clock.monotonicMs();
    const waitMs = await take(slot, IDENTIFY_MS);
    if (waitMs > 0) return waitMs;

    for (let times = 0; times < MOST_EXTENSIONS; times++) {
      const tookMs = clock.monotonicMs() - askedMs;
      if (tookMs <= SLOWEST_ANSWER_MS) break;
      // It may be over, and another's by now.
      if (tookMs >= IDENTIFY_MS) return AGAIN_MS;
      askedMs = clock.monotonicMs();
      await extend(slot, IDENTIFY_MS);
    }
    return 0;
  }

  return async (shard: number, maxConcurrency: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const waitMs = await tryTurn(shard % Math.max(1, maxConcurrency)).catch((err: unknown) => {
        log.debug({ err, shard }, "whose turn it is to begin a session is not known");
        return AGAIN_MS;
      });
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
    }
  };
}
