import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from "discord.js";
import type { MemberRole, MemberRoles, RoleOutcome } from "../../domain/ports/member-roles.ts";
import type { Members } from "../../domain/ports/members.ts";

const GONE: ReadonlySet<string | number> = new Set([
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.UnknownRole,
  RESTJSONErrorCodes.UnknownGuild,
]);
const REASON = "On duty";

/** Roles of members, over REST. */
export function createMemberRoles(rest: REST, members: Members): MemberRoles {
  const route = ({ guildId, userId, roleId }: MemberRole) => Routes.guildMemberRole(guildId, userId, roleId);
  return {
    async has({ guildId, userId, roleId }) {
      return (await members.now(guildId, userId)).roleIds.includes(roleId);
    },
    give: (role) => outcomeOf(rest.put(route(role), { reason: REASON })),
    take: (role) => outcomeOf(rest.delete(route(role), { reason: REASON })),
  };
}

async function outcomeOf(request: Promise<unknown>): Promise<RoleOutcome> {
  try {
    await request;
    return "done";
  } catch (error) {
    if (!(error instanceof DiscordAPIError) || error.status >= 500) throw error;
    return GONE.has(error.code) ? "gone" : "refused";
  }
}
