/**
 * Who is to be given up when a signal is aborted. One listener a signal, for as long as the signal lives: the poller
 * gives the same to each of its reads, and to listen anew each time costs more than the limits do.
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
