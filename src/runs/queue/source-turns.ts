import type { SourceId } from "../../domain/model.ts";

/**
 * One run at a time for each server, whichever guilds link it: a run that waited in the gate behind another's would
 * be sent on a permission that was checked long before.
 */
export class SourceTurns {
  readonly #taken = new Set<SourceId>();
  readonly #freed: (source: SourceId) => void;

  constructor(freed: (source: SourceId) => void) {
    this.#freed = freed;
  }

  busy(source: SourceId): boolean {
    return this.#taken.has(source);
  }

  take(source: SourceId): boolean {
    if (this.#taken.has(source)) return false;
    this.#taken.add(source);
    return true;
  }

  release(source: SourceId): void {
    this.#taken.delete(source);
    this.#freed(source);
  }
}
