import type { Clock } from "../../domain/ports/clock.ts";

/** A channel that takes no messages is tried again after this time, or when permissions change. */
const CLOSED_AGAIN_MS = 5 * 60_000;

/** Whether the channel of a message may have been opened since the message was tried last. */
export class ClosedChannel {
  readonly #clock: Clock;
  #isOpened = false;
  #wake: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An attempt begins. What changes from here on may come too late for it. */
  onAttempt(): void {
    this.#isOpened = false;
  }

  onMayBeOpen(): void {
    this.#isOpened = true;
    this.#wake();
  }

  /** Resolves when the channel may take messages again, or with the signal. */
  async untilOpen(signal: AbortSignal): Promise<void> {
    if (this.#isOpened) return;
    const opened = new AbortController();
    this.#wake = () => opened.abort();
    const either = AbortSignal.any([opened.signal, signal]);
    await this.#clock.sleep(CLOSED_AGAIN_MS, either).catch(() => undefined);
    this.#wake = () => undefined;
  }
}
