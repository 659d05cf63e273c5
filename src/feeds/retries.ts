import { BackOff } from "../domain/back-off.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";

export interface RetriesParts {
  readonly clock: Clock;
  readonly random: Random;
  warn(message: string, error: unknown): void;
}

/** Work on feeds that the store refused, tried again until it is done. */
export class Retries {
  readonly #parts: RetriesParts;
  readonly #waiting = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(parts: RetriesParts) {
    this.#parts = parts;
  }

  /** Whether work on this feed is still to be done. */
  has(feedId: string): boolean {
    return this.#waiting.has(feedId);
  }

  /** Tries `work` again, at growing intervals of up to a minute; `why` it failed just now. At most one for a feed. */
  later(feedId: string, why: unknown, work: () => Promise<void>): void {
    this.#parts.warn(`feed ${feedId} cannot be opened or closed yet`, why);
    if (this.#waiting.has(feedId) || this.#stopping.signal.aborted) return;
    this.#waiting.add(feedId);
    this.#untilDone(feedId, work)
      // Only the end of the process ends the waiting early; its next start does the work.
      .catch(() => undefined)
      .finally(() => this.#waiting.delete(feedId));
  }

  stop(): void {
    this.#stopping.abort(new Error("the feeds are stopping"));
  }

  async #untilDone(feedId: string, work: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#parts;
    const { signal } = this.#stopping;
    const backOff = new BackOff(clock, random);
    while (!signal.aborted) {
      await backOff.wait(signal);
      try {
        await work();
        return;
      } catch (error) {
        this.#parts.warn(`feed ${feedId} still cannot be opened or closed`, error);
      }
    }
  }
}
