import { defaultSettings, type Feed, type GuildSettings } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { Settings } from "../domain/ports/settings.ts";

export interface SettingsStore extends Settings {
  /** For good: who invites the bot after that starts with nobody allowed anything. */
  forgetGuild(guildId: string): Promise<void>;
  /** The guilds that have ever set anything. */
  guilds(): AsyncIterable<string>;
}

/** One document a guild; a guild that set nothing has the defaults. */
export function createSettings(documents: Documents<GuildSettings>): SettingsStore {
  const turns = new KeyedMutex();
  const of = async (guildId: string): Promise<GuildSettings> =>
    (await documents.get(guildId)) ?? defaultSettings;
  return {
    of,
    change: (guildId, edit) =>
      turns.take(guildId, async () => {
        const changed = edit(await of(guildId));
        await documents.set(guildId, changed);
        return changed;
      }),
    forgetGuild: (guildId) => turns.take(guildId, () => documents.delete(guildId)),
    async *guilds() {
      for await (const [guildId] of documents.entries()) yield guildId;
    },
  };
}

/**
 * One document a feed, by its id. The feeds of a guild are few and the list of all is read at start anyway, so an
 * index in memory is kept instead of a second document that could disagree.
 */
export function createFeedStore(documents: Documents<Feed>): FeedStore & { load(): Promise<void> } {
  const idsOf = new Map<string, Set<string>>();
  const note = (feed: Feed): void => {
    idsOf.set(feed.guildId, (idsOf.get(feed.guildId) ?? new Set()).add(feed.id));
  };
  return {
    async load() {
      for await (const [, feed] of documents.entries()) note(feed);
    },
    async list(guildId) {
      const feeds = await Promise.all([...(idsOf.get(guildId) ?? [])].map((id) => documents.get(id)));
      return feeds.filter((feed) => feed !== undefined).sort((a, b) => a.createdAtMs - b.createdAtMs);
    },
    async *all() {
      for await (const [, feed] of documents.entries()) yield feed;
    },
    async save(feed) {
      // Before it is written: a store that took it and said that it did not must not hide it until a restart.
      note(feed);
      await documents.set(feed.id, feed);
    },
    async remove(guildId, feedId) {
      const ids = idsOf.get(guildId);
      // Ids come back from buttons and options: one of another guild removes nothing.
      if (!ids?.has(feedId)) return;
      await documents.delete(feedId);
      ids.delete(feedId);
      if (ids.size === 0) idsOf.delete(guildId);
    },
  };
}
