import type { Clock } from "../../domain/ports/clock.ts";
import { AnswerRefused } from "./incoming.ts";

/** How often a first answer is sent while Discord does not confirm it. */
const MOST_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Sends the first answer to an interaction, up to three times while Discord does not confirm it. A repeat that is
 * refused as answered already shows that an earlier try arrived. At the first try the same refusal means that another
 * process answered. Rejects with AnswerRefused.
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
  /** The end of the token, by the monotonic clock. */
  readonly endMs: number;
  /** Aborted when the bot stops, which ends the repeats. */
  readonly signal: AbortSignal;
}

/**
 * Repeats a change of an answer, at growing intervals, while Discord fails or cannot be reached, because until then the
 * person sees "thinking...". Rejects with the last AnswerRefused.
 */
export async function retryUntilTaken<T>(change: () => Promise<T>, limit: RetryLimit): Promise<T> {
  const { clock, endMs, signal } = limit;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await change();
    } catch (error) {
      const mayPass = error instanceof AnswerRefused && error.reason === "unknown";
      if (!mayPass || signal.aborted || clock.monotonicMs() + waitMs > endMs) throw error;
    }
    // After an abort there is one more try; then the caller sends the reply as a message.
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}
