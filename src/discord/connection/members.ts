import { type APIGuildMember, type APIRole, PermissionFlagsBits, type REST, Routes } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { Members } from "../../domain/ports/members.ts";

export interface MembersPorts {
  readonly rest: REST;
  /** What the gateway keeps up to date of a guild: its owner, and the permissions of each role (@everyone too). */
  guild(
    guildId: string,
  ): { readonly ownerId: string; permissions(roleId: string): bigint | undefined } | undefined;
}

const MANAGES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;

/** The roles of this moment: an interaction's are as old as the interaction, and somebody may have lost theirs since. */
export function createMembers({ rest, guild }: MembersPorts): Members {
  return {
    async now(guildId, userId) {
      const known = guild(guildId);
      if (known === undefined) throw new Failure("denied", "The bot is not in this Discord server any more.");
      const { roles } = await member(rest, guildId, userId);
      const bits = [guildId, ...roles].reduce((sum, id) => sum | (known.permissions(id) ?? 0n), 0n);
      return { roleIds: roles, manageGuild: known.ownerId === userId || (bits & MANAGES) !== 0n };
    },
  };
}

async function member(rest: REST, guildId: string, userId: string): Promise<Pick<APIGuildMember, "roles">> {
  let found: unknown;
  try {
    found = await rest.get(Routes.guildMember(guildId, userId));
  } catch (cause) {
    throw new Failure("denied", "Your roles could not be read from Discord.", { cause });
  }
  if (!isMember(found)) throw new Failure("denied", "Your roles could not be read from Discord.");
  return found;
}

function isMember(value: unknown): value is Pick<APIGuildMember, "roles"> {
  if (typeof value !== "object" || value === null || !("roles" in value)) return false;
  return (
    Array.isArray(value.roles) &&
    value.roles.every((id: unknown): id is APIRole["id"] => typeof id === "string")
  );
}
