import { StoreAwayError } from "./domain/failure.ts";
import type { Clock } from "./domain/ports/clock.ts";
import type { Log } from "./log.ts";

export interface PatienceParts {
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Pick<Log, "info" | "warn">;
  /** What the ops address says meanwhile. */
  readonly front: { readonly why: string; waitFor(why: string): void };
  /** Aborted by a stop. */
  readonly signal: AbortSignal;
}

const AGAIN_MS = 2_000;

/**
 * Builds the bot as soon as its store can be reached, and says once why it waits: whatever starts it (compose, systemd, a cluster)
 * starts both at once, and none of them should have to start it again. Rejects at once for what waiting does not mend, and when
 * a stop is asked for.
 */
export async function onceReachable<T>(build: () => Promise<T>, parts: PatienceParts): Promise<T> {
  const { clock, log, front, signal } = parts;
  for (let tries = 1; ; tries++) {
    try {
      const built = await build();
      if (tries > 1) log.info({ tries }, "the store can be reached");
      return built;
    } catch (error) {
      if (!(error instanceof StoreAwayError)) throw error;
      if (tries === 1 || front.why !== error.message) log.warn({}, `${error.message}. Marshal keeps trying`);
      front.waitFor(error.message);
    }
    await clock.sleep(AGAIN_MS, signal);
  }
}
