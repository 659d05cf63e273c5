import { isLocked } from "./sqlite-errors.ts";

const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 100;

/** How long to sleep before a lock is tried once more, from one try to the next. */
export class LockPauses {
  #nextMs = FIRST_RETRY_MS;

  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS);
    return pauseMs;
  }

  /** The lock was got. */
  reset(): void {
    this.#nextMs = FIRST_RETRY_MS;
  }
}

export interface LockWait {
  readonly waitMs: number;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Does the work as soon as no other program has the file locked, without blocking the thread as sqlite's own busy timeout
 * would. Rejects with sqlite's "busy" after `waitMs`, which are counted by what was slept, so that tests need no real time.
 */
export async function onceUnlocked<T>(work: () => T, { waitMs, sleep }: LockWait): Promise<T> {
  const pauses = new LockPauses();
  for (let sleptMs = 0; ; ) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || sleptMs >= waitMs) throw error;
    }
    const pauseMs = pauses.next();
    await sleep(pauseMs);
    sleptMs += pauseMs;
  }
}
