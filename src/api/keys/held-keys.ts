import type { SourceId } from "../../domain/model.ts";

interface HeldKey {
  isPerson: boolean;
  /** It was asked without an answer: not again before, monotonic. */
  notBeforeMs: number;
}

const HOUR_MS = 60 * 60_000;
const UNANSWERED_MS = 10_000;

/**
 * Keys that somebody wants to use and that wait, since others were refused: which is asked next. A key that a person
 * waits for goes first, once an hour; then the most recently taken. Pure; times are monotonic.
 */
export class HeldKeys {
  readonly #keys = new Map<SourceId, HeldKey>();
  readonly #personTurnsMs = new Map<SourceId, number>();

  get size(): number {
    return this.#keys.size;
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** When the first of them may be asked. */
  get nextAtMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { notBeforeMs } of this.#keys.values()) nextMs = Math.min(nextMs, notBeforeMs);
    return nextMs;
  }

  has(source: SourceId): boolean {
    return this.#keys.has(source);
  }

  note(source: SourceId, isPerson: boolean, nowMs: number): void {
    const turnMs = this.#personTurnsMs.get(source);
    const goesFirst = isPerson && (turnMs === undefined || nowMs - turnMs >= HOUR_MS);
    const known = this.#keys.get(source);
    if (known === undefined) this.#keys.set(source, { isPerson: goesFirst, notBeforeMs: nowMs });
    else if (goesFirst) known.isPerson = true;
  }

  drop(source: SourceId): void {
    this.#keys.delete(source);
  }

  clear(): void {
    this.#keys.clear();
    this.#personTurnsMs.clear();
  }

  /** Who is asked next; it stays until it is dropped. */
  next(nowMs: number, takenMs: (source: SourceId) => number): SourceId | undefined {
    let best: { readonly source: SourceId; readonly key: HeldKey; readonly atMs: number } | undefined;
    for (const [source, key] of this.#keys) {
      if (key.notBeforeMs > nowMs) continue;
      const atMs = takenMs(source);
      const isBetter =
        best === undefined ||
        (key.isPerson && !best.key.isPerson) ||
        (key.isPerson === best.key.isPerson && atMs > best.atMs);
      if (isBetter) best = { source, key, atMs };
    }
    if (best?.key.isPerson) this.#personTurnsMs.set(best.source, nowMs);
    return best?.source;
  }

  /** It was asked and has not answered: others go first. */
  postpone(source: SourceId, nowMs: number): void {
    const key = this.#keys.get(source);
    if (key === undefined) return;
    key.isPerson = false;
    key.notBeforeMs = nowMs + UNANSWERED_MS;
  }
}
