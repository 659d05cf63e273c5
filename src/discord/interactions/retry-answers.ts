import type { Clock } from "../../domain/ports/clock.ts";
import { AnswerRefused } from "./incoming.ts";

/** How often a first answer is sent while Discord does not say whether it took it. */
const MOST_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Sends the first answer to an interaction. One that Discord carried out and whose own answer was lost is sent again,
 * and is then refused as answered already: it stood. At the first try the same refusal means that somebody else
 * answered. Rejects with AnswerRefused.
 */
export async function sendFirstAnswer(send: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      if (error.reason === "taken" && tries > 1) return;
      if (error.reason !== "unknown" || tries === MOST_TRIES) throw error;
    }
  }
}

export interface RetryLimit {
  readonly clock: Clock;
  /** Until when by the monotonic clock: the token's end. */
  readonly endMs: number;
  /** Ends the waiting: the bot stops. */
  readonly signal: AbortSignal;
}

/**
 * Repeats a change of an answer, at growing intervals, while Discord fails or cannot be reached: what a person sees
 * meanwhile is "thinking...", which must not stay. Rejects with the last AnswerRefused.
 */
export async function retryUntilTaken<T>(change: () => Promise<T>, patience: RetryLimit): Promise<T> {
  const { clock, endMs, signal } = patience;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await change();
    } catch (error) {
      const mayPass = error instanceof AnswerRefused && error.reason === "unknown";
      if (!mayPass || signal.aborted || clock.monotonicMs() + waitMs > endMs) throw error;
    }
    // Stopped meanwhile: one more try, then the caller says it another way.
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}
