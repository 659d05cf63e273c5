import type { JoinEntry } from "../domain/model.ts";

/** More joins than any server has places: leaves that were never seen would otherwise pile up. */
const KEPT = 500;

/**
 * Who joined when, so that a leave can say how long they stayed. Kept with the journal: the
 * answer must be the same however often an entry is rendered.
 */
export class VisitDurations {
  readonly #joined: Map<string, number>;

  constructor(joined: Iterable<readonly [who: string, atS: number]>) {
    this.#joined = new Map(joined);
  }

  /** Takes entries oldest first; returns how long the player who leaves was there, in seconds, where that is known. */
  note(entry: JoinEntry): number | undefined {
    const who = entry.player.id === undefined ? `~${entry.player.name}` : String(entry.player.id);
    const joinedAtS = this.#joined.get(who);
    if (entry.joined) {
      // A late row of an earlier visit must not set back the start of this one.
      if (joinedAtS === undefined || joinedAtS < entry.atS) {
        this.#joined.delete(who);
        this.#joined.set(who, entry.atS);
      }
      return undefined;
    }
    if (joinedAtS === undefined || joinedAtS > entry.atS) return undefined;
    this.#joined.delete(who);
    return entry.atS - joinedAtS;
  }

  /** After a gap: leaves may be among what is missing. */
  forget(): void {
    this.#joined.clear();
  }

  entries(): readonly (readonly [who: string, atS: number])[] {
    return [...this.#joined].slice(-KEPT);
  }
}
