/** Who may do what: each check throws what Discord answers. */
import { isText, isThread } from "../channel.ts";
import { refuse } from "../errors.ts";
import type { Permission } from "../permissions.ts";
import type { Channel, Guild } from "../types.ts";
import type { World } from "../world.ts";

const idPattern = /^\d{1,20}$/;

/** A guild that the bot is in: else 10004 for an unknown one, 50001 where it is no member. */
export function guildOf(world: World, id: string): Guild {
  const guild = world.guilds.get(id);
  if (!idPattern.test(id) || guild === undefined) throw refuse("unknownGuild");
  if (!guild.hasBot) throw refuse("missingAccess");
  return guild;
}

/** A channel that the bot can see: else 10003, or 50001. */
export function channelOf(world: World, id: string): Channel {
  const channel = world.channels.get(id);
  if (!idPattern.test(id) || channel === undefined) throw refuse("unknownChannel");
  if (channel.guild === undefined) return channel;
  if (!channel.guild.hasBot || !channel.guild.bot.may("ViewChannel", channel)) throw refuse("missingAccess");
  return channel;
}

export function may(channel: Channel, permission: Permission): boolean {
  return channel.guild?.bot.may(permission, channel) ?? true;
}

/** Throws 50013 without the permission. In direct messages there are none to lack. */
export function need(channel: Channel, permission: Permission): void {
  if (!may(channel, permission)) throw refuse("missingPermissions");
}

/** May the bot write there? 50008, 50007, 50278, 50083, 160005 or 50013 if not. */
export function needSending(world: World, channel: Channel): void {
  if (!isText(channel)) throw refuse("notText");
  if (channel.recipient !== undefined) {
    if (!world.sharesGuild(channel.recipient)) throw refuse("noMutualGuilds");
    if (!world.acceptsDms(channel.recipient)) throw refuse("dmsClosed");
    return;
  }
  // A message revives an archived thread, unless a moderator has locked it.
  if (channel.locked && !may(channel, "ManageThreads"))
    throw refuse(channel.archived ? "threadArchived" : "threadLocked");
  need(channel, isThread(channel) ? "SendMessagesInThreads" : "SendMessages");
}

/** Changing what stands in an archived thread is refused. */
export function needOpenThread(channel: Channel): void {
  if (channel.archived) throw refuse("threadArchived");
}
