/** An interaction that comes again comes soon: at the latest when a lost connection was resumed. */
const REMEMBERED_MS = 5 * 60_000;

/**
 * Which interactions came already. The gateway may tell one twice, and while Discord confirms no first answer its refusal
 * of a second one ("answered already") is what our own repeat would get, so it cannot tell the two apart.
 */
export class FirstArrivals {
  /** Two generations, so that nothing has to be swept. */
  #young = new Set<string>();
  #old = new Set<string>();
  #bornMs = 0;

  /** Whether this interaction came for the first time. `nowMs`: by the monotonic clock. */
  isFirst(interactionId: string, nowMs: number): boolean {
    if (nowMs - this.#bornMs >= REMEMBERED_MS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#bornMs = nowMs;
    }
    if (this.#young.has(interactionId) || this.#old.has(interactionId)) return false;
    this.#young.add(interactionId);
    return true;
  }
}
