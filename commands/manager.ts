import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";

/**
 * For what belongs to the whole guild: a Manager of any of its servers decides it, or whoever manages the guild.
 * @throws Failure "denied" with these words for anyone else.
 */
export async function mustBeManager({ settings }: Services, actor: Actor, words: string): Promise<void> {
  const { policies } = await settings.of(actor.guildId);
  const manager = Object.values(policies).some(({ roleTiers }) =>
    actor.roleIds.some((role) => Object.hasOwn(roleTiers, role) && roleTiers[role] === "manager"),
  );
  if (!manager && !actor.manageGuild) throw new Failure("denied", words);
}
