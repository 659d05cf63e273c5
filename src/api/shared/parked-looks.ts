import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";

const LOOK_EVERY_MS = 10_000;
/** That a key is bad is written at once; one that is not found after this was linked anew by another process. */
const WRITTEN_AFTER_MS = 10_000;

/** Which parked keys another process may have linked anew: looked up now and then, and not before they are written. */
export class ParkedLooks {
  readonly #clock: Clock;
  readonly #sinceMs = new Map<SourceId, number>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those to look up now; mostly none. */
  due(parked: Iterable<SourceId>): readonly SourceId[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < LOOK_EVERY_MS) return [];
    this.#lookedMs = nowMs;
    const present = new Set(parked);
    for (const source of this.#sinceMs.keys()) if (!present.has(source)) this.#sinceMs.delete(source);
    for (const source of present) if (!this.#sinceMs.has(source)) this.#sinceMs.set(source, nowMs);
    return [...present].filter((source) => nowMs - (this.#sinceMs.get(source) ?? nowMs) >= WRITTEN_AFTER_MS);
  }
}
