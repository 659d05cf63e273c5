import {
  ChannelType,
  type Client,
  DiscordAPIError,
  type GuildBasedChannel,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
} from "discord.js";
import type { ChannelAccess, Guilds } from "../../domain/ports/guilds.ts";

/** What a log channel needs, as Discord's settings name it. */
const NEEDED = [
  ["View Channel", PermissionFlagsBits.ViewChannel],
  ["Send Messages", PermissionFlagsBits.SendMessages],
  ["Embed Links", PermissionFlagsBits.EmbedLinks],
  ["Attach Files", PermissionFlagsBits.AttachFiles],
  ["Read Message History", PermissionFlagsBits.ReadMessageHistory],
] as const;
/** What the channel of private threads needs. */
const NEEDED_FOR_TALKS = [
  ["View Channel", PermissionFlagsBits.ViewChannel],
  ["Create Private Threads", PermissionFlagsBits.CreatePrivateThreads],
  ["Send Messages in Threads", PermissionFlagsBits.SendMessagesInThreads],
] as const;
/** In a thread this permission replaces Send Messages. */
const IN_THREADS = ["Send Messages in Threads", PermissionFlagsBits.SendMessagesInThreads] as const;

const GONE: ReadonlySet<string | number> = new Set([RESTJSONErrorCodes.UnknownChannel]);
const HIDDEN: ReadonlySet<string | number> = new Set([RESTJSONErrorCodes.MissingAccess]);

/** Says what the bot may do in the guilds of this process. Threads are not cached, so they are read over REST. */
export function createGuildView(client: Client): Guilds {
  async function channelAccess(
    guildId: string,
    channelId: string,
    purpose: "posts" | "talks" = "posts",
  ): Promise<ChannelAccess> {
    const guild = client.guilds.cache.get(guildId);
    const me = guild?.members.me;
    if (guild === undefined || me === null || me === undefined) return { kind: "unknown" };
    let channel = guild.channels.cache.get(channelId);
    if (channel === undefined) {
      try {
        channel = (await guild.channels.fetch(channelId)) ?? undefined;
      } catch (error) {
        return accessAfter(error);
      }
    }
    if (channel === undefined) return { kind: "gone" };
    const held = channel.permissionsFor(me);
    // Discord archives a quiet thread by itself, and the next message revives it, unless somebody has locked it.
    const isLocked = channel.isThread() && channel.locked === true;
    if (isLocked && !held.has(PermissionFlagsBits.ManageThreads)) return { kind: "closed" };
    // A timeout goes before what roles allow, except for administrators.
    const untilMs = me.communicationDisabledUntilTimestamp;
    if (untilMs !== null && me.isCommunicationDisabled() && !held.has(PermissionFlagsBits.Administrator))
      return { kind: "timed-out", untilMs };
    const needed = purpose === "talks" ? NEEDED_FOR_TALKS : neededToPost(channel);
    const permissions = needed.filter(([, bit]) => !held.has(bit)).map(([name]) => name);
    return permissions.length === 0
      ? { kind: "open", isPublic: isPublic(channel) }
      : { kind: "missing", permissions };
  }

  return {
    channelAccess,
    channelName: (guildId, channelId) =>
      client.guilds.cache.get(guildId)?.channels.cache.get(channelId)?.name,
    hasRole: (guildId, roleId) => client.guilds.cache.get(guildId)?.roles.cache.has(roleId) === true,
    joinedAtMs: (guildId) => client.guilds.cache.get(guildId)?.joinedTimestamp ?? undefined,
    topRole(guildId, roleIds) {
      const guild = client.guilds.cache.get(guildId);
      const [top] = roleIds
        .filter((id) => id !== guildId)
        .flatMap((id) => guild?.roles.cache.get(id) ?? [])
        .filter(({ managed }) => !managed)
        .sort((a, b) => b.position - a.position);
      return top && { id: top.id, name: top.name };
    },
  };
}

function neededToPost(channel: GuildBasedChannel): readonly (readonly [name: string, bit: bigint])[] {
  if (!channel.isThread()) return NEEDED;
  return NEEDED.map((one) => (one[1] === PermissionFlagsBits.SendMessages ? IN_THREADS : one));
}

/** A thread is read by whoever reads its channel, a private one by those who are in it. */
function isPublic(channel: GuildBasedChannel): boolean {
  if (channel.type === ChannelType.PrivateThread) return false;
  return channel.permissionsFor(channel.guild.roles.everyone).has(PermissionFlagsBits.ViewChannel);
}

function accessAfter(error: unknown): ChannelAccess {
  if (!(error instanceof DiscordAPIError)) return { kind: "unknown" };
  if (GONE.has(error.code)) return { kind: "gone" };
  return HIDDEN.has(error.code)
    ? { kind: "missing", permissions: NEEDED.map(([name]) => name) }
    : { kind: "unknown" };
}

/** Whether the bot may read a channel's history; undefined where it is not known. */
export async function mayReadHistory(client: Client, channelId: string): Promise<boolean | undefined> {
  const channel =
    client.channels.cache.get(channelId) ?? (await client.channels.fetch(channelId).catch(() => null));
  // For a channel that cannot be fetched the read itself gives Discord's own code.
  if (channel === null) return undefined;
  if (channel.isDMBased()) return true;
  const me = channel.guild.members.me;
  return me === null ? undefined : channel.permissionsFor(me)?.has(PermissionFlagsBits.ReadMessageHistory);
}
