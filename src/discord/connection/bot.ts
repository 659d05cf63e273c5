import { DefaultRestOptions } from "@discordjs/rest";
import {
  Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
  type Guild,
  type Interaction,
  Options,
  Routes,
  type WebSocketOptions,
} from "discord.js";
import type { Log } from "../../log.ts";
import { isLongWait } from "./long-waits.ts";
import { makeRequest } from "./make-request.ts";
import { withTokenGuard } from "./token-guard.ts";

/** `auto`, or these shards out of `count`. */
export type Shards = "auto" | { readonly ids: readonly number[]; readonly count: number };

/** What processes of one bot have to share at Discord. */
export interface Crowd {
  /** Parts that Discord's limit of requests a second is divided into. */
  readonly blocks: number;
  /** Resolves when a shard may begin a session; at most one in five seconds for each `shard % maxConcurrency`. */
  waitForIdentify(shard: number, maxConcurrency: number, signal: AbortSignal): Promise<void>;
}

export interface BotOptions {
  /** Such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly shards: Shards;
  /** Where other processes of this bot are connected too. @default this one is alone */
  readonly crowd?: Crowd | undefined;
  readonly log: Log;
  onInteraction(interaction: Interaction): void;
  /** The bot was added to a guild while it was connected. */
  onGuildJoined(guild: Guild): void;
  /** What the bot may do in a guild may have changed: its roles, a channel, a thread. */
  onPermissionsChanged(guildId: string): void;
  /** The bot was removed; not called for a guild that is only unavailable. */
  onGuildRemoved(guildId: string): void;
  /** Discord refuses this bot until its operator acts; `reason` says what happened, in words. */
  onEnded(reason: string): void;
}

/** The bot cannot log in; the message tells its operator why. */
export class LoginError extends Error {
  override readonly name = "LoginError";
}

/** Makes a discord.js client that caches only guilds, their roles and channels, and the bot itself. */
export function createClient({ apiUrl, shards, crowd, log, ...on }: BotOptions): Client {
  const client = new Client({
    // Interactions bring everything that we need; other intents would only bring traffic.
    intents: [GatewayIntentBits.Guilds],
    rest: {
      api: apiUrl,
      rejectOnRateLimit: isLongWait,
      ...(crowd && { globalRequestsPerSecond: Math.max(1, Math.floor(DISCORD_PER_S / crowd.blocks)) }),
      makeRequest: withTokenGuard({
        send: makeRequest,
        whoAmIUrl: `${apiUrl}/v${DefaultRestOptions.version}${Routes.user()}`,
        onRefused: () => on.onEnded(TOKEN_REFUSED),
        onWronglyRefused: () =>
          log.warn({}, "Discord answered 401 although the token is good; the request was sent again"),
      }),
    },
    ...(crowd && { ws: { buildIdentifyThrottler: (manager) => identifyTurns(manager, crowd) } }),
    ...(shards === "auto" ? { shards } : { shards: [...shards.ids], shardCount: shards.count }),
    allowedMentions: { parse: [] },
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      ...CACHE_LIMITS,
    }),
  });
  client.on(Events.InteractionCreate, (interaction) => on.onInteraction(interaction));
  client.on(Events.GuildCreate, (guild) => on.onGuildJoined(guild));
  client.on(Events.GuildDelete, (guild) => on.onGuildRemoved(guild.id));
  const changed = on.onPermissionsChanged;
  client.on(Events.GuildRoleUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.GuildRoleDelete, ({ guild }) => changed(guild.id));
  client.on(Events.GuildMemberUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.ThreadUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.ChannelUpdate, (channel) => {
    if (!channel.isDMBased()) changed(channel.guild.id);
  });
  // Without a listener an "error" would end the process; the client reconnects by itself.
  client.on(Events.Error, (error) => log.error({ err: error }, "discord.js met an error"));
  client.on(Events.Warn, (message) => log.warn({}, message));
  client.on(Events.ShardDisconnect, ({ code }) => on.onEnded(describeClose(code)));
  client.on(Events.ShardResume, (shard, replayed) => log.info({ shard, replayed }, "a shard resumed"));
  client.on(Events.Invalidated, () =>
    on.onEnded("Discord ended the session; the bot must be started again."),
  );
  return client;
}

/** Requests a second that Discord allows one bot. */
const DISCORD_PER_S = 50;

type BuildIdentifyThrottler = NonNullable<WebSocketOptions["buildIdentifyThrottler"]>;

async function identifyTurns(
  manager: Parameters<BuildIdentifyThrottler>[0],
  crowd: Crowd,
): Promise<Awaited<ReturnType<BuildIdentifyThrottler>>> {
  const { session_start_limit: limit } = await manager.fetchGatewayInformation();
  return {
    waitForIdentify: (shard, signal) => crowd.waitForIdentify(shard, limit.max_concurrency, signal),
  };
}

/** Of people only the bot itself is cached: its own roles say which channels it may read. */
const ONLY_ITSELF = {
  maxSize: 0,
  keepOverLimit: ({ id, client }: { id: string; client: Client }) => id === client.user?.id,
};

const CACHE_LIMITS = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: ONLY_ITSELF,
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  GuildTextThreadManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadManager: 0,
  ThreadMemberManager: 0,
  UserManager: ONLY_ITSELF,
  VoiceStateManager: 0,
};

const TOKEN_REFUSED = "Discord does not accept DISCORD_TOKEN (Developer Portal, Bot, Reset Token).";

/** Why Discord closed a connection of the gateway for good, and what the operator can do. */
function describeClose(code: number): string {
  switch (code) {
    case 4004:
      return TOKEN_REFUSED;
    case 4010:
    case 4011:
      return `Discord refuses the shards (${code}): check SHARDS; large bots need more of them.`;
    case 4012:
      return "Discord has retired the version of its gateway that this bot speaks (4012): update the bot.";
    case 4013:
    case 4014:
      return `Discord refuses the intents (${code}); the bot needs none but Guilds: is this an old application?`;
    default:
      return `Discord closed the connection for good (${code}); the bot must be started again.`;
  }
}

/** Logs in and resolves when every shard is ready. Rejects with LoginError where the operator can mend it. */
export async function logIn(client: Client, token: string): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  const lost = new Promise<never>((_, reject) =>
    client.once(Events.ShardDisconnect, ({ code }) => reject(new LoginError(describeClose(code)))),
  );
  try {
    await Promise.race([Promise.all([client.login(token), ready]), lost]);
  } catch (error) {
    await client.destroy();
    throw explainLoginError(error);
  }
}

function explainLoginError(error: unknown): unknown {
  if (error instanceof LoginError) return error;
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new LoginError("DISCORD_TOKEN is not a valid bot token (Developer Portal, Bot, Reset Token).");
  }
  if (error instanceof DiscordAPIError && error.status === 401) {
    return new LoginError(TOKEN_REFUSED);
  }
  const why = error instanceof Error ? error.message : String(error);
  return new LoginError(`Discord cannot be reached or refuses the bot: ${why}`, { cause: error });
}
