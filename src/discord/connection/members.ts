import {
  type APIGuildMember,
  type APIRole,
  type Client,
  DiscordAPIError,
  type Guild,
  PermissionFlagsBits,
  type REST,
  Routes,
} from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { Members } from "../../domain/ports/members.ts";

const MANAGES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;

/** Reads the roles that a member has now; those of an interaction are as old as the interaction. */
export function createMembers(rest: REST, { guilds }: Pick<Client, "guilds">): Members {
  return {
    async now(guildId, userId) {
      const guild = guilds.cache.get(guildId);
      if (guild === undefined) throw new Failure("denied", "Marshal is no longer in this Discord server.");
      const { roles } = await member(rest, guildId, userId);
      const bits = [guildId, ...roles].reduce((sum, id) => sum | permissionsOf(guild, id), 0n);
      return { roleIds: roles, manageGuild: guild.ownerId === userId || (bits & MANAGES) !== 0n };
    },
  };
}

function permissionsOf(guild: Guild, roleId: string): bigint {
  return guild.roles.cache.get(roleId)?.permissions.bitfield ?? 0n;
}

async function member(rest: REST, guildId: string, userId: string): Promise<Pick<APIGuildMember, "roles">> {
  let found: unknown;
  try {
    found = await rest.get(Routes.guildMember(guildId, userId));
  } catch (cause) {
    // Who has left the server holds none of its roles.
    if (cause instanceof DiscordAPIError && isGone(cause.code)) return { roles: [] };
    throw notRead(cause);
  }
  if (!isMember(found)) throw notRead(undefined);
  return found;
}

/** Not a refusal: whether they may is not known. */
function notRead(cause: unknown): Failure {
  return new Failure("paused", "Marshal can't read your roles right now.", { cause });
}

/** Discord knows no such member, or no such person, any more. */
function isGone(code: string | number): boolean {
  return code === 10_007 || code === 10_013;
}

function isMember(value: unknown): value is Pick<APIGuildMember, "roles"> {
  if (typeof value !== "object" || value === null || !("roles" in value)) return false;
  return (
    Array.isArray(value.roles) &&
    value.roles.every((id: unknown): id is APIRole["id"] => typeof id === "string")
  );
}
