/** Who waits under a signal, and what is to be done for each of them when it is aborted. */
interface Watched<W> {
  readonly waiters: Set<W>;
  readonly giveUp: () => void;
}

/**
 * Cancels what waits when its signal is aborted. Thousands may wait under one signal, which has one listener, and only as
 * long as somebody waits: a feed has a signal of its own for as long as the process runs.
 */
export class AbortWatch<W> {
  readonly #onAborted: (waiter: W, signal: AbortSignal) => void;
  readonly #watched = new WeakMap<AbortSignal, Watched<W>>();

  constructor(onAborted: (waiter: W, signal: AbortSignal) => void) {
    this.#onAborted = onAborted;
  }

  /** The signal must not be aborted yet. */
  add(signal: AbortSignal, waiter: W): void {
    const known = this.#watched.get(signal);
    if (known !== undefined) {
      known.waiters.add(waiter);
      return;
    }
    const waiters = new Set([waiter]);
    const giveUp = () => {
      for (const each of [...waiters]) this.#onAborted(each, signal);
    };
    this.#watched.set(signal, { waiters, giveUp });
    signal.addEventListener("abort", giveUp, { once: true });
  }

  delete(signal: AbortSignal, waiter: W): void {
    const watched = this.#watched.get(signal);
    watched?.waiters.delete(waiter);
    if (watched?.waiters.size !== 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener("abort", watched.giveUp);
  }
}
