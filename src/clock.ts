import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Random } from "./domain/ports/clock.ts";

/** What setTimeout can count: beyond it Node fires at once. */
const LONGEST_MS = 2_147_483_647;

/** The time of this machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, work) => {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number) => {
      const stepMs = Math.min(leftMs, LONGEST_MS);
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : work()), stepMs).unref();
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
  sleep: async (delayMs, signal) => {
    // Rejects with the signal's own reason (the port's word), which timers/promises wraps in an AbortError.
    const options = signal === undefined ? { ref: false } : { ref: false, signal };
    // What is due already is due at once, as for `after`.
    let leftMs = Math.max(0, delayMs);
    try {
      do {
        await delay(Math.min(leftMs, LONGEST_MS), undefined, options);
        leftMs -= LONGEST_MS;
      } while (leftMs > 0);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

/** The randomness of this machine; ids are 72 bits, URL-safe. */
export const systemRandom: Random = {
  next: () => Math.random(),
  id: () => randomBytes(9).toString("base64url"),
};
