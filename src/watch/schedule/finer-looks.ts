import { GuildRotation } from "./guild-rotation.ts";
import type { Entry, Guild } from "./schedule-entry.ts";

/** What a guild has had less than an even share of the polls; below 0: more. */
interface Account {
  readonly saved: number;
  /** As of so many polls of an even share. */
  readonly atEvenPolls: number;
}

/** As many polls can be saved up: ten minutes of looks five seconds apart. */
const MOST_SAVED = 120;
/** What a guild had too much is soon forgotten, so that it does not pay for a busy evening when that is over. */
const LEAST_SAVED = -3;
/** What is left is made to last from here on: looks get as many times farther apart, so that no long gap follows. */
const SPARED_BELOW = 30;
const MOST_TIMES = 4;
/** A turn of a guild is given away from here on: it keeps no less than its even share. */
const GIVES_FROM = -1;

/**
 * Servers that are to be looked at more often for a while. Such a look takes nobody's share: it is one of those that its
 * guild had less than an even share of the polls would have given it, and it goes in the place of a server whose guild
 * had more than that, whose turn comes right after.
 */
export class FinerLooks {
  readonly #wanted = new GuildRotation<Entry>();
  readonly #accounts = new WeakMap<Guild, Account>();
  /** How many polls an even share of all polls of servers with players has been. */
  #evenPolls = 0;

  /** Takes in a server that may be polled; it is looked at more often if that is demanded and players are there. */
  set(entry: Entry): void {
    const { stats, finerMs } = entry.candidate;
    if (finerMs === undefined || !stats.occupied || !stats.polled) return;
    const saved = Math.max(1, this.#savedBy(entry.guild));
    const times = Math.min(MOST_TIMES, Math.max(1, SPARED_BELOW / saved));
    this.#wanted.set(entry, stats.polledAtMs + times * finerMs);
  }

  delete(entry: Entry): void {
    this.#wanted.delete(entry);
  }

  /** To be called before the servers of a guild change: time without players earns it nothing. */
  settle(guild: Guild): void {
    this.#accounts.set(guild, { saved: this.#savedBy(guild), atEvenPolls: this.#evenPolls });
  }

  /** Counts a poll of a server with players, while `guilds` share the polls evenly. */
  count(guild: Guild, guilds: number): void {
    if (guilds > 0) this.#evenPolls += 1 / guilds;
    const saved = Math.max(LEAST_SAVED, this.#savedBy(guild) - 1);
    this.#accounts.set(guild, { saved, atEvenPolls: this.#evenPolls });
  }

  /** The server that goes before this one, whose turn it would be; undefined: none does. */
  before(entry: Entry, nowMs: number): Entry | undefined {
    if (this.#savedBy(entry.guild) > GIVES_FROM) return undefined;
    return this.#wanted.first(nowMs, (guild) => this.#savedBy(guild) >= 1);
  }

  #savedBy(guild: Guild): number {
    const account = this.#accounts.get(guild);
    if (account === undefined) return 0;
    const earned = guild.occupied.size === 0 ? 0 : this.#evenPolls - account.atEvenPolls;
    return Math.min(MOST_SAVED, account.saved + earned);
  }
}
