/** The world's changes as the gateway's events. */
import { isThread } from "./channel.ts";
import { MessageState } from "./message.ts";
import { channelJson, memberJson, messageJson, roleJson } from "./serialize.ts";
import type { Channel, DiscordEvent, Guild, Member, Message } from "./types.ts";
import type { World } from "./world.ts";

/** Gateway intents, by bit. */
export const intent = {
  guilds: 1 << 0,
  members: 1 << 1,
  moderation: 1 << 2,
  messages: 1 << 9,
  directMessages: 1 << 12,
  content: 1 << 15,
} as const;

export interface Announcement {
  readonly guildId: string | undefined;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** A session needs one of these intents. */
  readonly intents: number;
  /** What a session without the content intent gets instead. */
  readonly withoutContent?: Readonly<Record<string, unknown>>;
}

/** What the bot's sessions are told of an event; undefined when that is nothing. Joining a guild is not covered here. */
export function announcementOf(world: World, event: DiscordEvent): Announcement | undefined {
  switch (event.type) {
    case "guild-removed":
      return {
        guildId: event.guild.id,
        name: "GUILD_DELETE",
        data: { id: event.guild.id },
        intents: intent.guilds,
      };
    case "guild-unavailable": {
      const data = { id: event.guild.id, unavailable: true };
      return { guildId: event.guild.id, name: "GUILD_DELETE", data, intents: intent.guilds };
    }
    case "role-created":
    case "role-updated": {
      const name = event.type === "role-created" ? "GUILD_ROLE_CREATE" : "GUILD_ROLE_UPDATE";
      const data = { guild_id: event.guild.id, role: roleJson(event.role) };
      return inGuild(event.guild, { name, data, intents: intent.guilds });
    }
    case "role-deleted": {
      const data = { guild_id: event.guild.id, role_id: event.role.id };
      return inGuild(event.guild, { name: "GUILD_ROLE_DELETE", data, intents: intent.guilds });
    }
    case "member-added":
      return ofMember(event.member, "GUILD_MEMBER_ADD");
    case "member-updated":
      return ofMember(event.member, "GUILD_MEMBER_UPDATE");
    case "member-removed":
      return ofMember(event.member, "GUILD_MEMBER_REMOVE");
    case "audit-entry":
      return event.guild.bot.may("ViewAuditLog")
        ? inGuild(event.guild, {
            name: "GUILD_AUDIT_LOG_ENTRY_CREATE",
            data: { ...event.entry, guild_id: event.guild.id },
            intents: intent.moderation,
          })
        : undefined;
    case "channel-created":
    case "channel-updated":
    case "channel-deleted":
      return ofChannel(world, event.type, event.channel);
    case "message-created":
    case "message-edited":
    case "message-deleted":
      return ofMessage(world, event.type, event.message);
    default:
      return undefined;
  }
}

function inGuild(
  guild: Pick<Guild, "id" | "hasBot" | "isAvailable">,
  rest: Omit<Announcement, "guildId">,
): Announcement | undefined {
  return guild.hasBot && guild.isAvailable ? { guildId: guild.id, ...rest } : undefined;
}

/** A bot always learns of changes to itself; of others only with the members intent. */
function ofMember(member: Member, name: string): Announcement | undefined {
  const intents = member === member.guild.bot ? intent.guilds : intent.members;
  return inGuild(member.guild, { name, data: { ...memberJson(member), guild_id: member.guild.id }, intents });
}

function ofChannel(world: World, type: string, channel: Channel): Announcement | undefined {
  if (channel.guild === undefined) return undefined;
  const verb = { "channel-created": "CREATE", "channel-updated": "UPDATE" }[type] ?? "DELETE";
  const name = `${isThread(channel) ? "THREAD" : "CHANNEL"}_${verb}`;
  const data = channelJson(channel, world.lastMessageId(channel), world.bot);
  return inGuild(channel.guild, { name, data, intents: intent.guilds });
}

function ofMessage(world: World, type: string, message: Message): Announcement | undefined {
  if (!(message instanceof MessageState) || message.ephemeralFor !== undefined) return undefined;
  const { channel } = message;
  const guildId = channel.guild?.id;
  if (channel.guild !== undefined && !(channel.guild.hasBot && channel.guild.bot.may("ViewChannel", channel)))
    return undefined;
  const intents = guildId === undefined ? intent.directMessages : intent.messages;
  if (type === "message-deleted") {
    const data = { id: message.id, channel_id: channel.id, guild_id: guildId };
    return { guildId, name: "MESSAGE_DELETE", data, intents };
  }
  const data = { ...messageJson(message, (id) => world.users.get(id)), guild_id: guildId };
  const name = type === "message-created" ? "MESSAGE_CREATE" : "MESSAGE_UPDATE";
  if (message.author === world.bot || guildId === undefined) return { guildId, name, data, intents };
  const withoutContent = { ...data, content: "", embeds: [], components: [], attachments: [] };
  return { guildId, name, data, intents, withoutContent };
}
