import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";

/**
 * The linked servers of which somebody is a Moderator; what is kept of players is theirs to see. `what`: what they
 * asked for, as the refusal names it.
 * @throws Failure "not-linked" where there is no server, "denied" where they are Moderator of none.
 */
export async function moderatedServers(
  { bindings, permissions }: Pick<Services, "bindings" | "permissions">,
  actor: Actor,
  what = "see player records",
): Promise<readonly Binding[]> {
  const all = await bindings.list(actor.guildId);
  const decisions = await Promise.all(
    all.map(async (binding) => ({ binding, decision: await permissions.decideModerator(actor, binding) })),
  );
  const moderated = decisions.filter(({ decision }) => decision.allowed).map(({ binding }) => binding);
  if (moderated.length > 0) return moderated;
  const [refused] = decisions;
  if (refused === undefined || refused.decision.allowed) {
    throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server", isRead: true });
  }
  throw notModerator(refused.binding, what);
}

/** Only a higher tier helps. */
export function notModerator({ id }: Pick<Binding, "id">, what: string): Failure {
  const details = { isRead: true, wants: "tier", bindingId: id } as const;
  return new Failure("denied", `Only Moderators can ${what}.`, details);
}

/** The one of them that is meant, or the only one; undefined: several, and none was named. */
export function serverMeant(servers: readonly Binding[], nameOrId: string | undefined): Binding | undefined {
  if (nameOrId === undefined || nameOrId === "") return servers.length === 1 ? servers[0] : undefined;
  const wanted = nameOrId.toLowerCase();
  const found = servers.find(({ id, name }) => id === nameOrId || name.toLowerCase() === wanted);
  if (found === undefined) throw new Failure("not-linked", "That server is not linked here.");
  return found;
}
