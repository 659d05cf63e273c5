import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { GameAccount } from "../src/domain/ports/game-accounts.ts";
import { isManagerOf } from "./staff-rights.ts";

/**
 * Without the link Marshal takes back the ranks that it gave: that is for Managers of the servers where they are.
 * @throws Failure "denied"
 */
export async function mayTakeRanks(
  services: Services,
  actor: Actor,
  accounts: readonly Pick<GameAccount, "player">[],
): Promise<void> {
  const players = new Set(accounts.map(({ player }) => player.id));
  for (const { bindingId, raised } of services.ranks.list(actor.guildId)) {
    const one = raised.find(({ playerId }) => players.has(playerId));
    if (one === undefined || (await isManagerOf(services, actor, bindingId))) continue;
    const server = (await services.bindings.list(actor.guildId)).find(({ id }) => id === bindingId);
    throw new Failure(
      "denied",
      `${one.name} has a rank from Marshal on ${server?.name ?? "another server"}. Only its Managers can unlink them.`,
    );
  }
}
