import type { Feed } from "../guild.ts";

export interface FeedStore {
  list(guildId: string): Promise<readonly Feed[]>;
  /** To be read through once before `list` and `remove`: they find only what it has seen, or what was saved since. */
  all(): AsyncIterable<Feed>;
  save(feed: Feed): Promise<void>;
  remove(guildId: string, feedId: string): Promise<void>;
}
