import type { Feed } from "../guild.ts";

export interface FeedStore {
  list(guildId: string): Promise<readonly Feed[]>;
  all(): AsyncIterable<Feed>;
  save(feed: Feed): Promise<void>;
  remove(guildId: string, feedId: string): Promise<void>;
}
