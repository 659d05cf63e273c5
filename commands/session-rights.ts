import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import { isManager } from "./staff-rights.ts";

/**
 * Managers, and who holds the role for hosts. Resolves with the server that is meant. @throws Failure "denied"; for
 * Managers "bad-command" where sessions are not set up there, with what to do.
 */
export async function hostedServer(
  services: Services,
  actor: Actor,
  server: string | undefined,
): Promise<Binding> {
  const binding = await services.bindings.pick(actor.guildId, server);
  const setup = await services.sessions.setupOf(actor.guildId, binding.id);
  const isHost = setup?.hostRoleId !== undefined && actor.roleIds.includes(setup.hostRoleId);
  if (setup === undefined && (await isManager(services, actor))) {
    const words = "Sessions are not set up yet. Choose a channel for them with /session setup.";
    throw new Failure("bad-command", words, { isRead: true });
  }
  if (isHost || (await isManager(services, actor))) return binding;
  throw new Failure("denied", "Only Managers and session hosts can do that.");
}
