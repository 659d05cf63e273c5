import type { RESTOptions } from "@discordjs/rest";
import {
  Client,
  Events,
  GatewayIntentBits,
  type Guild,
  type Interaction,
  type WebSocketOptions,
} from "discord.js";
import type { Log } from "../../log.ts";
import { cachesOfGuilds } from "./caches.ts";
import { type ToldRoles, toldRoles } from "./known-roles.ts";
import { describeClose } from "./log-in.ts";
import type { RequestLimits } from "./request-limits.ts";
import { steadyRest } from "./within-limits.ts";

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
  /** Sends one request, whatever the limits say. */
  readonly send: RESTOptions["makeRequest"];
  /** What all requests of this bot share. */
  readonly limits: RequestLimits;
  onInteraction(interaction: Interaction): void;
  /** The bot was added to a guild while it was connected. */
  onGuildJoined(guild: Guild): void;
  /** An outage of a guild is over: until then nothing was known of it. */
  onGuildBack(guild: Guild): void;
  /** What the bot may do in a guild may have changed: its roles, a channel, a thread. */
  onPermissionsChanged(guildId: string): void;
  /** The bot was removed; not called for a guild that is only unavailable. */
  onGuildRemoved(guildId: string): void;
  /** The audit log says that somebody's roles were changed; only told where the bot may view it. */
  onRolesTold(told: ToldRoles): void;
  /** Discord refuses this bot until its operator acts; `reason` says what happened, in words. */
  onEnded(reason: string): void;
}

/** Makes a discord.js client that caches only guilds, their roles and channels, and the bot itself. */
export function createClient({ apiUrl, shards, crowd, log, send, limits, ...on }: BotOptions): Client {
  const client = new Client({
    // The second tells of changed roles where Marshal may view the audit log. Others would only bring traffic.
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildModeration],
    rest: { api: apiUrl, ...steadyRest(limits, send) },
    ...(crowd && { ws: { buildIdentifyThrottler: (manager) => identifyTurns(manager, crowd) } }),
    ...(shards === "auto" ? { shards } : { shards: [...shards.ids], shardCount: shards.count }),
    allowedMentions: { parse: [] },
    makeCache: cachesOfGuilds(),
  });
  client.on(Events.InteractionCreate, (interaction) => on.onInteraction(interaction));
  client.on(Events.GuildCreate, (guild) => on.onGuildJoined(guild));
  client.on(Events.GuildAvailable, (guild) => {
    // A login tells of each guild so, too; what is to be done then is done after it.
    if (client.isReady()) on.onGuildBack(guild);
  });
  client.on(Events.GuildDelete, (guild) => on.onGuildRemoved(guild.id));
  const changed = on.onPermissionsChanged;
  client.on(Events.GuildRoleUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.GuildRoleDelete, ({ guild }) => changed(guild.id));
  client.on(Events.GuildMemberUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.GuildAuditLogEntryCreate, (entry, guild) => {
    const told = toldRoles(guild.id, entry);
    if (told !== undefined) on.onRolesTold(told);
  });
  client.on(Events.ThreadUpdate, ({ guild }) => changed(guild.id));
  client.on(Events.ChannelUpdate, (channel) => {
    if (!channel.isDMBased()) changed(channel.guild.id);
  });
  // Without a listener an "error" would end the process; the client reconnects by itself.
  client.on(Events.Error, (error) => log.error({ err: error }, "discord.js met an error"));
  client.on(Events.Warn, (message) => log.warn({}, message));
  client.on(Events.ShardDisconnect, ({ code }) => on.onEnded(describeClose(code)));
  client.on(Events.ShardResume, (shard, replayed) => log.info({ shard, replayed }, "a shard resumed"));
  client.on(Events.Invalidated, () => on.onEnded("Discord ended the session. Restart Marshal."));
  return client;
}

/** Requests a second that Discord allows one bot. */
export const DISCORD_PER_S = 50;

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
