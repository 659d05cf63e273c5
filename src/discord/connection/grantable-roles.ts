import { type Client, PermissionFlagsBits } from "discord.js";
import type { GrantableRoles } from "../../domain/ports/member-roles.ts";

/** Who holds one of these can do harm: they are given by people. */
const POWERS = [
  PermissionFlagsBits.Administrator,
  PermissionFlagsBits.ManageGuild,
  PermissionFlagsBits.ManageRoles,
  PermissionFlagsBits.ManageChannels,
  PermissionFlagsBits.ManageMessages,
  PermissionFlagsBits.ManageThreads,
  PermissionFlagsBits.ManageWebhooks,
  PermissionFlagsBits.ManageNicknames,
  PermissionFlagsBits.ManageEvents,
  PermissionFlagsBits.ManageGuildExpressions,
  PermissionFlagsBits.KickMembers,
  PermissionFlagsBits.BanMembers,
  PermissionFlagsBits.ModerateMembers,
].reduce((all, bit) => all | bit, 0n);
const MAY_GIVE = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageRoles;

/** Says which roles may be given, by the roles that the gateway told of. */
export function createGrantableRoles({ guilds }: Pick<Client, "guilds">): GrantableRoles {
  return {
    isOwner: (guildId, userId) => guilds.cache.get(guildId)?.ownerId === userId,
    roleBar(guildId, roleId, by) {
      if (roleId === guildId) return "everyone";
      const guild = guilds.cache.get(guildId);
      const role = guild?.roles.cache.get(roleId);
      const me = guild?.members.me;
      if (guild === undefined || role === undefined || me === null || me === undefined) return "unknown";
      if (role.managed) return "managed";
      if ((role.permissions.bitfield & POWERS) !== 0n) return "powers";
      if (!me.permissions.has(PermissionFlagsBits.ManageRoles)) return "marshal-lacks";
      if (me.roles.highest.comparePositionTo(role) <= 0) return "above-marshal";
      if (by === undefined || by.userId === guild.ownerId) return undefined;
      const held = by.roleIds.flatMap((id) => guild.roles.cache.get(id) ?? []);
      const bits = [guild.roles.everyone, ...held].reduce((all, one) => all | one.permissions.bitfield, 0n);
      if ((bits & MAY_GIVE) === 0n) return "asker-lacks";
      return held.some((one) => one.comparePositionTo(role) > 0) ? undefined : "above-asker";
    },
  };
}
