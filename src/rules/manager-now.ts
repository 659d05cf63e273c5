import type { Actor, GuildSettings } from "../domain/guild.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Settings } from "../domain/ports/settings.ts";

/** A Manager in whose name something is done while they are not there. */
export interface AbsentManager {
  readonly byId: string;
  readonly byName: string;
}

export interface ManagerNowPorts {
  readonly members: Members;
  readonly settings: Pick<Settings, "of">;
}

/** Their rights as of now; undefined: they are no Manager any more. Rejects where the member cannot be read. */
export async function managerNow(
  { members, settings }: ManagerNowPorts,
  guildId: string,
  { byId: userId, byName: userName }: AbsentManager,
): Promise<Pick<Actor, "userId" | "userName" | "roleIds" | "manageGuild"> | undefined> {
  const { roleIds, manageGuild } = await members.now(guildId, userId);
  const { policies } = await settings.of(guildId);
  return manageGuild || isManager(policies, roleIds) ? { userId, userName, roleIds, manageGuild } : undefined;
}

function isManager(policies: GuildSettings["policies"], roleIds: readonly string[]): boolean {
  return Object.values(policies).some(({ roleTiers }) =>
    roleIds.some((id) => Object.hasOwn(roleTiers, id) && roleTiers[id] === "manager"),
  );
}
