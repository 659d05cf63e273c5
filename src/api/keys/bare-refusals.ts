import type { SourceId } from "../../domain/model.ts";

const SUSPICION_MS = 60_000;

/** First refusals without a code, of the last minute: two of them may mean us. Pure; times are monotonic. */
export class BareRefusals {
  #atMs = new Map<SourceId, number>();

  /** A key was refused without a code, linked or typed. */
  note(source: SourceId, nowMs: number): void {
    const recent = [...this.#atMs].filter(([, atMs]) => nowMs - atMs <= SUSPICION_MS);
    this.#atMs = new Map(recent).set(source, nowMs);
  }

  /** Whether another key was refused within the minute. */
  hasOther(source: SourceId, nowMs: number): boolean {
    return [...this.#atMs].some(([other, atMs]) => other !== source && nowMs - atMs <= SUSPICION_MS);
  }

  /** When this key was refused first; a minute ago where that is forgotten. */
  sinceMs(source: SourceId, nowMs: number): number {
    return this.#atMs.get(source) ?? nowMs - SUSPICION_MS;
  }

  clear(): void {
    this.#atMs.clear();
  }
}
