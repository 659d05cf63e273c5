/**
 * Cancels requests when their signal is aborted. It keeps one listener for each signal as long as that lives: the poller
 * gives the same signal to all of its reads, and a new listener for each read costs more than the limits do.
 */
export class AbortWatch<W> {
  readonly #onAborted: (waiter: W, signal: AbortSignal) => void;
  readonly #waiters = new WeakMap<AbortSignal, Set<W>>();

  constructor(onAborted: (waiter: W, signal: AbortSignal) => void) {
    this.#onAborted = onAborted;
  }

  /** The signal must not be aborted yet. */
  add(signal: AbortSignal, waiter: W): void {
    const known = this.#waiters.get(signal);
    if (known !== undefined) {
      known.add(waiter);
      return;
    }
    const waiters = new Set([waiter]);
    this.#waiters.set(signal, waiters);
    const giveUp = () => {
      for (const each of [...waiters]) this.#onAborted(each, signal);
    };
    signal.addEventListener("abort", giveUp, { once: true });
  }

  delete(signal: AbortSignal, waiter: W): void {
    this.#waiters.get(signal)?.delete(waiter);
  }
}
