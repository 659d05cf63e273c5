import { defineAction, type Press, type Reply } from "../src/discord/command.ts";
import { playerCard } from "../src/discord/render/server/player-card.ts";
import { playerValue } from "../src/discord/render/server/players.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import { underItsName } from "../src/domain/server-names.ts";
import { playerAt, showPlayer } from "./player-show.ts";

/**
 * A player out of the menu below `/server players`: for Moderators the card of `/player show`, for others what the
 * latest list in memory shows.
 */

async function openPlayer({ actor, argument, values }: Press, services: Services): Promise<Reply> {
  const binding = await services.bindings.pick(actor.guildId, argument);
  const state = services.snapshots.latest(binding.source);
  const players = state?.lists.players;
  const player = players?.value.find((one) => playerValue(one) === values[0]);
  if (state === undefined || players === undefined || player === undefined) {
    throw new Failure("expired", "This player has left the server.", {
      isRead: true,
    });
  }
  const { id } = player.player;
  const moderator = await services.permissions.decideModerator(actor, binding);
  if (moderator.allowed && id !== undefined) {
    const place = { bindingId: binding.id, playerId: id };
    return await showPlayer(services, actor, await playerAt(services, actor, place));
  }
  const showsPlace = await services.permissions.isStaff(actor, binding);
  return {
    cards: [
      playerCard({ state: underItsName(state, binding), player, seen: { atMs: players.atMs }, showsPlace }),
    ],
  };
}

export const playerActions = {
  "server-player": defineAction({ first: "ephemeral", execute: openPlayer }),
};
