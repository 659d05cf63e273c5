import { cut, plainText, shownName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { livePlayers, loggedPlayers } from "./player-choice.ts";
import { placeOf } from "./player-show.ts";

/** Whom a form is about, said in its title: it opens before anything can be read. */

/** What Discord takes for a title, in characters. */
const LONGEST_TITLE = 45;

/** `Kick Captain67`; where the name is not known, with `somebody` in its place. */
export function formTitle(what: string, name: string | undefined, somebody = "this player"): string {
  return cut(`${what} ${name === undefined ? somebody : plainText(shownName(name))}`, LONGEST_TITLE);
}

/** Today's name of the player of a button, else the one that the button itself carries. */
export function nameInMemory(
  services: Pick<Services, "bindings" | "snapshots">,
  { guildId, argument }: { readonly guildId: string; readonly argument: string },
): string | undefined {
  const { playerId, rest } = placeOf(argument);
  const linked = services.bindings.linkedOf(guildId);
  const live = livePlayers(services, linked).find(({ player }) => player.id === playerId);
  if (live !== undefined) return live.player.name;
  return rest === "" ? loggedPlayers(services, linked).find(({ id }) => id === playerId)?.name : rest;
}
