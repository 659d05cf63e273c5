import type { SourceId } from "../../domain/model.ts";

/**
 * Lets one run at a time through for each server, over all guilds that link it. A run that waited in the gate behind
 * another guild's would be sent on a permission that was checked long before.
 */
export class ServerLocks {
  readonly #taken = new Set<SourceId>();
  readonly #onFreed: (source: SourceId) => void;

  constructor(onFreed: (source: SourceId) => void) {
    this.#onFreed = onFreed;
  }

  isHeld(source: SourceId): boolean {
    return this.#taken.has(source);
  }

  tryTake(source: SourceId): boolean {
    if (this.#taken.has(source)) return false;
    this.#taken.add(source);
    return true;
  }

  release(source: SourceId): void {
    this.#taken.delete(source);
    this.#onFreed(source);
  }
}
