import { type CacheFactory, type Client, LimitedCollection, Options } from "discord.js";

/** Of people only the bot itself is cached: its own roles say which channels it may read. */
const ONLY_ITSELF = {
  maxSize: 0,
  keepOverLimit: ({ id, client }: { id: string; client: Client }) => id === client.user?.id,
};

/** Managers of which nothing is cached. */
const EMPTY = new Set([
  "ApplicationCommandManager",
  "ApplicationEmojiManager",
  "AutoModerationRuleManager",
  "BaseGuildEmojiManager",
  "DMMessageManager",
  "EntitlementManager",
  "GuildApplicationCommandManager",
  "GuildBanManager",
  "GuildEmojiManager",
  "GuildForumThreadManager",
  "GuildInviteManager",
  "GuildMessageManager",
  "GuildScheduledEventManager",
  "GuildSoundboardSoundManager",
  "GuildStickerManager",
  "GuildTextThreadManager",
  "MessageManager",
  "PresenceManager",
  "ReactionManager",
  "ReactionUserManager",
  "StageInstanceManager",
  "ThreadManager",
  "ThreadMemberManager",
  "VoiceStateManager",
]);

/**
 * Caches guilds, their roles and channels, and the bot itself. What caches nothing shares one collection: a channel has two
 * such caches and a guild a dozen, and empty ones of their own were 110 MB of ten thousand guilds.
 */
export function cachesOfGuilds(): CacheFactory {
  const nothing = new LimitedCollection<never, never>({ maxSize: 0 });
  const others = Options.cacheWithLimits({
    ...Options.DefaultMakeCacheSettings,
    GuildMemberManager: ONLY_ITSELF,
    UserManager: ONLY_ITSELF,
  });
  return (...[managerType, holds, manager]: Parameters<CacheFactory>) =>
    EMPTY.has(manager.name) || EMPTY.has(managerType.name) ? nothing : others(managerType, holds, manager);
}
