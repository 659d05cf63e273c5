/** The world in the words of Discord's API. */
import { isThread } from "./channel.ts";
import { defined } from "./form.ts";
import type { MessageState } from "./message.ts";
import type { Channel, Guild, Member, Role, User } from "./types.ts";
import { isoTime } from "./validate-embeds.ts";
import { ChannelKind, MessageFlag } from "./wire.ts";

type Out = Record<string, unknown>;

export function userJson(user: User): Out {
  return {
    id: user.id,
    username: user.username,
    discriminator: user.bot ? "0001" : "0",
    global_name: user.globalName,
    avatar: user.avatar,
    bot: user.bot,
    system: false,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
    public_flags: 0,
    flags: 0,
  };
}

export function selfJson(user: User): Out {
  return {
    ...userJson(user),
    mfa_enabled: true,
    locale: "en-US",
    premium_type: 0,
    email: null,
    verified: true,
  };
}

export function roleJson(role: Role): Out {
  return defined({
    id: role.id,
    name: role.name,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position: role.position,
    permissions: String(role.permissions),
    managed: role.managedBy !== undefined,
    mentionable: role.mentionable,
    flags: 0,
    tags: role.managedBy === undefined ? undefined : { bot_id: role.managedBy },
  });
}

export function memberJson(member: Member): Out {
  return {
    user: userJson(member.user),
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: member.roles.map((role) => role.id),
    joined_at: isoTime(member.joinedAtMs),
    premium_since: null,
    communication_disabled_until:
      member.timedOutUntilMs === undefined ? null : isoTime(member.timedOutUntilMs),
    pending: false,
    deaf: false,
    mute: false,
    flags: 0,
  };
}

/** A member inside `resolved` and in an interaction: with permissions; without the user in `resolved`. */
export function partialMemberJson(member: Member, channel: Channel): Out {
  const { user: _, mute: _mute, deaf: _deaf, ...rest } = memberJson(member);
  return { ...rest, permissions: String(member.permissionsIn(channel)) };
}

export function channelJson(channel: Channel, lastMessageId: string | null, bot: User): Out {
  const base = { id: channel.id, type: ChannelKind[channel.type], flags: 0, last_message_id: lastMessageId };
  if (channel.recipient !== undefined) return { ...base, recipients: [userJson(channel.recipient)] };
  const guild = {
    ...base,
    guild_id: channel.guild?.id,
    name: channel.name,
    parent_id: channel.parent?.id ?? null,
    rate_limit_per_user: 0,
  };
  if (isThread(channel)) return { ...guild, ...threadFields(channel, bot) };
  return {
    ...guild,
    position: channel.position,
    topic: null,
    nsfw: false,
    permission_overwrites: channel.overwrites.map((one) => ({
      id: one.id,
      type: one.kind === "role" ? 0 : 1,
      allow: String(one.allow),
      deny: String(one.deny),
    })),
    ...(channel.type === "voice" ? { bitrate: 64_000, user_limit: 0, rtc_region: null } : {}),
  };
}

function threadFields(channel: Channel, bot: User): Out {
  return {
    owner_id: channel.openedBy ?? bot.id,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    thread_metadata: {
      archived: channel.archived,
      locked: channel.locked,
      auto_archive_duration: 4320,
      archive_timestamp: isoTime(channel.createdAtMs),
      create_timestamp: isoTime(channel.createdAtMs),
    },
  };
}

/** A guild as REST gives it. */
export function guildJson(guild: Guild): Out {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: guild.owner.id,
    application_id: null,
    region: "deprecated",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: guild.systemChannel?.id ?? null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 1,
    roles: guild.roles.map(roleJson),
    default_message_notifications: 1,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: "en-US",
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

/** A guild as GUILD_CREATE gives it: with channels, threads and the bot as a member. */
export function guildCreateJson(guild: Guild, lastMessageId: (channel: Channel) => string | null): Out {
  const json = (channel: Channel): Out => channelJson(channel, lastMessageId(channel), guild.bot.user);
  return {
    ...guildJson(guild),
    joined_at: isoTime(guild.bot.joinedAtMs),
    large: false,
    unavailable: false,
    member_count: guild.members.length,
    voice_states: [],
    members: [memberJson(guild.bot)],
    channels: guild.channels.filter((channel) => !isThread(channel)).map(json),
    threads: guild.channels.filter((channel) => isThread(channel) && !channel.archived).map(json),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** A message; `users` finds the mentioned ones. The nonce is part of the answer to its creation only. */
export function messageJson(
  message: MessageState,
  users: (id: string) => User | undefined,
  options: { withNonce?: boolean } = {},
): Out {
  const mentioned = message.pings.users.map(users).filter((user) => user !== undefined);
  const answers = message.interaction;
  return defined({
    id: message.id,
    channel_id: message.channel.id,
    type: message.kind,
    author: userJson(message.author),
    content: message.content,
    timestamp: isoTime(message.createdAtMs),
    edited_timestamp: message.editedAtMs === undefined ? null : isoTime(message.editedAtMs),
    tts: false,
    mention_everyone: message.pings.everyone,
    mentions: mentioned.map(userJson),
    mention_roles: [...message.pings.roles],
    attachments: message.attachments.map((one) =>
      defined({
        id: one.id,
        filename: one.filename,
        size: one.size,
        url: one.url,
        proxy_url: one.url,
        content_type: one.contentType,
        description: one.description,
        ephemeral: message.ephemeralFor === undefined ? undefined : true,
      }),
    ),
    embeds: (message.flags & MessageFlag.suppressEmbeds) === 0 ? message.embeds : [],
    components: message.components,
    pinned: false,
    flags: message.flags,
    nonce: options.withNonce === true ? message.nonce : undefined,
    application_id: answers === undefined ? undefined : message.author.id,
    webhook_id: answers === undefined ? undefined : message.author.id,
    message_reference:
      message.repliesTo === undefined
        ? undefined
        : defined({
            type: 0,
            channel_id: message.channel.id,
            message_id: message.repliesTo,
            guild_id: message.channel.guild?.id,
          }),
    interaction_metadata: answers === undefined ? undefined : metadataJson(message, users),
  });
}

function metadataJson(message: MessageState, users: (id: string) => User | undefined): Out | undefined {
  const answers = message.interaction;
  if (answers === undefined) return undefined;
  const user = users(answers.userId);
  const guildId = message.channel.guild?.id;
  const base = {
    id: answers.id,
    type: 2,
    user: user === undefined ? undefined : userJson(user),
    authorizing_integration_owners: guildId === undefined ? {} : { 0: guildId },
  };
  return defined(base);
}
