import {
  type APIGuild,
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
      // An outage may keep the gateway from telling of a guild. Without its roles nobody would have any rights.
      const { ownerId, permissionsOf } = guild.available ? told(guild) : await asked(rest, guildId);
      const bits = [guildId, ...roles].reduce((sum, id) => sum | permissionsOf(id), 0n);
      return { roleIds: roles, manageGuild: ownerId === userId || (bits & MANAGES) !== 0n };
    },
  };
}

/** Who owns a guild, and what its roles allow there. */
interface Powers {
  readonly ownerId: string;
  permissionsOf(roleId: string): bigint;
}

function told({ ownerId, roles }: Guild): Powers {
  return { ownerId, permissionsOf: (roleId) => roles.cache.get(roleId)?.permissions.bitfield ?? 0n };
}

async function asked(rest: REST, guildId: string): Promise<Powers> {
  const found: unknown = await rest.get(Routes.guild(guildId)).catch((cause: unknown) => {
    throw notRead(cause);
  });
  if (!isGuild(found)) throw notRead(undefined);
  const byRole = new Map(found.roles.map(({ id, permissions }) => [id, BigInt(permissions)]));
  return { ownerId: found.owner_id, permissionsOf: (roleId) => byRole.get(roleId) ?? 0n };
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

function isGuild(value: unknown): value is Pick<APIGuild, "owner_id" | "roles"> {
  if (typeof value !== "object" || value === null || !("owner_id" in value) || !("roles" in value))
    return false;
  return typeof value.owner_id === "string" && Array.isArray(value.roles) && value.roles.every(isRole);
}

function isRole(value: unknown): value is Pick<APIRole, "id" | "permissions"> {
  if (typeof value !== "object" || value === null || !("id" in value) || !("permissions" in value))
    return false;
  return typeof value.id === "string" && /^\d+$/.test(String(value.permissions));
}

function isMember(value: unknown): value is Pick<APIGuildMember, "roles"> {
  if (typeof value !== "object" || value === null || !("roles" in value)) return false;
  return (
    Array.isArray(value.roles) &&
    value.roles.every((id: unknown): id is APIRole["id"] => typeof id === "string")
  );
}
