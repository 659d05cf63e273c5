/**
 * Calls one request back. What an AbortController does, without its events: to make one and to listen to it costs as much
 * as the whole gate does for a poll.
 */
export class CancelToken {
  #reason: unknown;
  #isCalled = false;
  #onCalled: () => void = () => {};

  get isCalled(): boolean {
    return this.#isCalled;
  }

  /** Why, once it was called. */
  get reason(): unknown {
    return this.#reason;
  }

  /** `work` runs at once when it is called; not if it was called before. Only the latest `work` is kept. */
  listen(work: () => void): void {
    this.#onCalled = work;
  }

  /** The first call counts. */
  call(reason: unknown): void {
    if (this.#isCalled) return;
    this.#isCalled = true;
    this.#reason = reason;
    this.#onCalled();
  }
}
