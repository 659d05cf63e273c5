import type { Feed } from "../domain/guild.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";

/**
 * One document per feed, by its id. An index by guild is kept in memory: `all` fills it, which the start calls before anything else, and a
 * second document could disagree with the first.
 */
export function createFeedStore(documents: Documents<Feed>): FeedStore {
  const idsOf = new Map<string, Set<string>>();
  const index = (feed: Feed): void => {
    idsOf.set(feed.guildId, (idsOf.get(feed.guildId) ?? new Set()).add(feed.id));
  };
  return {
    async list(guildId) {
      const feeds = await Promise.all([...(idsOf.get(guildId) ?? [])].map((id) => documents.get(id)));
      return feeds.filter((feed) => feed !== undefined).sort((a, b) => a.createdAtMs - b.createdAtMs);
    },
    async *all() {
      for await (const [, feed] of documents.entries()) {
        index(feed);
        yield feed;
      }
    },
    async save(feed) {
      // Indexed before the write, because a store that rejects may have written it all the same.
      index(feed);
      await documents.set(feed.id, feed);
    },
    async remove(guildId, feedId) {
      const ids = idsOf.get(guildId);
      // Ids come from buttons and options; an id of another guild must remove nothing.
      if (!ids?.has(feedId)) return;
      await documents.delete(feedId);
      ids.delete(feedId);
      if (ids.size === 0) idsOf.delete(guildId);
    },
  };
}
