import type { JoinEntry, KillEntry } from "../domain/model.ts";
import type { KillStreak } from "../domain/ports/feed-renderer.ts";

/** More joins than any server has places: leaves that were never seen would otherwise pile up. */
const MOST_VISITS = 500;

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
    return [...this.#joined].slice(-MOST_VISITS);
  }
}

/** A streak ends when its killer kills nobody for this long, seconds. */
const LONGEST_PAUSE_S = 60;
/** A server has some forty players. */
const MOST_STREAKS = 100;

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
    return all.filter(([, , lastS]) => newestS - lastS <= LONGEST_PAUSE_S).slice(-MOST_STREAKS);
  }
}
