import type { SourceId } from "../../domain/model.ts";
import type { Bucket } from "./bucket.ts";
import type { KeyedAnswer } from "./separate-counters.ts";

/**
 * Resets further away than any window so far: one answer alone is a mistake of the service and would stop everything until
 * then. It is believed when the next answer says the same, to any key or to that one, and forgotten when it does not.
 */
export class FarResets {
  /** By key, where the last answer to that key named one. */
  readonly #ofKey = new Map<SourceId, KeyedAnswer>();
  /** The first since an answer named a usual one. */
  #inRow: KeyedAnswer | undefined;

  /** Whether an answer is not believed yet. */
  doubts(answer: KeyedAnswer, bucket: Bucket): boolean {
    const { source, quota } = answer;
    if (!bucket.isFar(quota, answer)) {
      this.#ofKey.delete(source);
      this.#inRow = undefined;
      return false;
    }
    const before = [this.#ofKey.get(source), this.#inRow].filter((one) => one !== undefined);
    if (before.some((one) => confirms(answer, one, bucket.usualMs))) return false;
    if (!this.#ofKey.has(source) || before.every(({ readMs }) => readMs <= answer.sentMs))
      this.#ofKey.set(source, answer);
    this.#inRow ??= answer;
    return true;
  }

  forget(source: SourceId): void {
    this.#ofKey.delete(source);
  }
}

/** Whether it was asked for after the other was read and names about the same reset. */
function confirms({ quota, sentMs }: KeyedAnswer, other: KeyedAnswer, withinMs: number): boolean {
  return sentMs >= other.readMs && Math.abs(quota.resetMs - other.quota.resetMs) <= withinMs;
}
