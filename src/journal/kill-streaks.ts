import type { KillEntry } from "../domain/model.ts";
import type { KillStreak } from "../domain/ports/feed-renderer.ts";

/** A streak ends when its killer kills nobody for this long, seconds. */
const LONGEST_PAUSE_S = 60;
/** A server has some forty players. */
const KEPT = 100;

export type StoredStreak = readonly [killer: string, firstS: number, lastS: number, count: number];

/**
 * Who kills one after the other, so that a kill can say which one it is ("3rd in 40 s"). Kept with the journal: the
 * answer must be the same however often an entry is rendered, and kills of one streak come with several polls.
 */
export class KillStreaks {
  readonly #streaks: Map<string, StoredStreak>;

  constructor(stored: readonly StoredStreak[] = []) {
    this.#streaks = new Map(stored.map((streak) => [streak[0], streak]));
  }

  /** Takes kills oldest first; answers which one of its streak this is, from the second on. */
  note({ killer, atS }: KillEntry): KillStreak | undefined {
    const who = killer.id === undefined ? `~${killer.name}` : String(killer.id);
    const known = this.#streaks.get(who);
    const [, firstS, lastS, count] =
      known !== undefined && Math.abs(atS - known[2]) <= LONGEST_PAUSE_S ? known : [who, atS, atS, 0];
    const next: StoredStreak = [who, Math.min(firstS, atS), Math.max(lastS, atS), count + 1];
    this.#streaks.delete(who);
    this.#streaks.set(who, next);
    return count === 0 ? undefined : { nth: count + 1, withinS: Math.max(1, next[2] - next[1]) };
  }

  /** After a gap: kills may be among what is missing. */
  forget(): void {
    this.#streaks.clear();
  }

  /** Those that may go on. */
  entries(): readonly StoredStreak[] {
    const all = [...this.#streaks.values()];
    const newestS = Math.max(...all.map(([, , lastS]) => lastS));
    return all.filter(([, , lastS]) => newestS - lastS <= LONGEST_PAUSE_S).slice(-KEPT);
  }
}
