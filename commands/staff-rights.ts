import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../src/domain/guild.ts";

/**
 * Lets a Manager of any server of the guild pass, and everyone who may manage the guild.
 * @throws Failure "denied" with these words for anyone else.
 */
export async function mustBeManager(services: Services, actor: Actor, words: string): Promise<void> {
  if (!(await isManager(services, actor))) throw new Failure("denied", words);
}

/** A Manager of any server of the guild, or somebody who may manage the guild. */
export async function isManager({ settings }: Services, actor: Actor): Promise<boolean> {
  if (actor.manageGuild) return true;
  const { policies } = await settings.of(actor.guildId);
  return Object.values(policies).some((policy) => isManagerIn(policy, actor));
}

/** The same of one server. */
export async function isManagerOf({ settings }: Services, actor: Actor, bindingId: string): Promise<boolean> {
  const { policies } = await settings.of(actor.guildId);
  return actor.manageGuild || isManagerIn(policies[bindingId] ?? EMPTY_POLICY, actor);
}

function isManagerIn({ roleTiers }: StaffPolicy, { roleIds }: Actor): boolean {
  return roleIds.some((role) => Object.hasOwn(roleTiers, role) && roleTiers[role] === "manager");
}

/** Whether this person may run a text on the server that is meant; where none is, on any of them. */
export async function mayRunFor(
  actor: Actor,
  binding: Binding | undefined,
  { bindings, permissions, accounts }: Services,
): Promise<(text: string) => boolean> {
  const account = await accounts.of(actor.guildId, actor.userId);
  const asker = { ...actor, ownPlayerId: account?.player.id };
  const servers = binding === undefined ? await bindings.list(actor.guildId) : [binding];
  const each = await Promise.all(servers.map((server) => permissions.mayRun(asker, server)));
  return (text) => each.some((may) => may(text));
}

/** The linked servers on which this person is staff. */
export async function staffedServers(services: Services, actor: Actor): Promise<readonly Binding[]> {
  const all = await services.bindings.list(actor.guildId);
  const staff = await Promise.all(all.map((binding) => services.permissions.isStaff(actor, binding)));
  return all.filter((_, index) => staff[index] === true);
}
