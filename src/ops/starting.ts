/** A start, step by step. A stop lets the step that runs end, and no other one begins. */
export class Starting {
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  /** Rejects as the step does, or, where a stop was asked for, without beginning it. */
  async step<T>(begin: () => Promise<T> | T): Promise<T> {
    this.#stop.signal.throwIfAborted();
    const running = Promise.resolve(begin());
    this.#running = running;
    return await running;
  }

  /** Waits for what may take for ever, such as Discord; a stop does not wait for it. Rejects when one is asked for. */
  async wait<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const stopped = Promise.withResolvers<never>();
    const onStopped = () => stopped.reject(signal.reason);
    signal.addEventListener("abort", onStopped, { once: true });
    try {
      return await Promise.race([work, stopped.promise]);
    } finally {
      signal.removeEventListener("abort", onStopped);
    }
  }

  /** Resolves when the step that runs has ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("a stop was asked for while it started"));
    await this.#running.catch(() => undefined);
  }
}
