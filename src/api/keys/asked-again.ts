import type { SourceId } from "../../domain/model.ts";

/** How long until a parked key is asked once more, as kept over a restart. */
export interface StoredAgain {
  readonly source: SourceId;
  readonly leftMs: number;
}

/** A parked key is asked once more after this, in case the service erred. */
const ASKED_AGAIN_AFTER_MS = 60 * 60_000;
/** The same, when that request went unanswered. */
const AGAIN_UNANSWERED_MS = 10 * 60_000;

/** When each parked key is asked once more. Pure: monotonic milliseconds come in by arguments. */
export class AskedAgain {
  readonly #atMs = new Map<SourceId, number>();

  get size(): number {
    return this.#atMs.size;
  }

  onParked(source: SourceId, nowMs: number): void {
    this.#atMs.set(source, nowMs + ASKED_AGAIN_AFTER_MS);
  }

  /** It was asked, and no answer came. */
  onUnanswered(source: SourceId, nowMs: number): void {
    if (this.#atMs.has(source)) this.#atMs.set(source, nowMs + AGAIN_UNANSWERED_MS);
  }

  forget(source: SourceId): void {
    this.#atMs.delete(source);
  }

  /** One whose time has come. */
  due(nowMs: number): SourceId | undefined {
    for (const [source, atMs] of this.#atMs) if (atMs <= nowMs) return source;
    return undefined;
  }

  /** When the first one's time comes; infinitely late where there is none. */
  get firstMs(): number {
    let firstMs = Number.POSITIVE_INFINITY;
    for (const atMs of this.#atMs.values()) firstMs = Math.min(firstMs, atMs);
    return firstMs;
  }

  /** Which keys are asked again, and what is left until then. */
  stored(nowMs: number): readonly StoredAgain[] {
    return [...this.#atMs].map(([source, atMs]) => ({ source, leftMs: Math.max(0, atMs - nowMs) }));
  }

  /**
   * Keys that an earlier process parked. All that was left when it was last written is waited, whatever the wall clock
   * says: it may have been set. A key of which nothing is written waits from now on.
   */
  restore(sources: Iterable<SourceId>, stored: readonly StoredAgain[], nowMs: number): void {
    const leftMs = new Map(stored.map((one) => [one.source, one.leftMs]));
    for (const source of sources)
      this.#atMs.set(source, nowMs + Math.min(ASKED_AGAIN_AFTER_MS, leftMs.get(source) ?? Infinity));
  }
}
