import type { Watch } from "../case.ts";

/** The watchlist of a Discord server. @throws Failure "store" where the history is off or does not answer. */
export interface Watches {
  /** In place of an earlier one for the same player. @throws Failure "bad-command" when there are as many as may be. */
  put(watch: Watch): Promise<void>;
  /** What was ended; undefined: they were not watched. */
  remove(guildId: string, playerId: number): Promise<Watch | undefined>;
  of(guildId: string, playerId: number): Promise<Watch | undefined>;
  /** Those that have not expired, newest first. */
  list(guildId: string): Promise<readonly Watch[]>;
}
