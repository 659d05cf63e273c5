import type { Player } from "./player.ts";
import type { PlayerRef } from "./record.ts";
import type { World } from "./world.ts";

/** Who a command is aimed at, and what stands after the targets. */
export interface Aim {
  readonly players: readonly Player[];
  readonly rest: string;
  /** The target words themselves, for commands that also work on people who are not here. */
  readonly words: readonly string[];
}

/**
 * Reads `targets rest...`: names match by prefix without regard to case, ids match whole, commas give several, `all`
 * hits everyone, `others` everyone but the actor, `me` the actor.
 */
export function aim(world: World, actor: PlayerRef, text: string): Aim {
  const trimmed = text.trim();
  const space = trimmed.search(/\s/);
  const first = space < 0 ? trimmed : trimmed.slice(0, space);
  const rest = space < 0 ? "" : trimmed.slice(space + 1).trim();
  const words = first.split(",").filter((word) => word !== "");
  const hit = new Set<Player>();
  for (const word of words) for (const player of matching(world, actor, word)) hit.add(player);
  return { players: [...hit], rest, words };
}

/** Everyone whom one target word names. */
function matching(world: World, actor: PlayerRef, word: string): Player[] {
  const wanted = word.toLowerCase();
  if (wanted === "all") return [...world.players];
  if (wanted === "others") return world.players.filter((player) => player.ref.id !== actor.id);
  if (wanted === "me") return world.players.filter((player) => player.ref.id === actor.id);
  return world.players.filter(
    (player) => player.ref.name.toLowerCase().startsWith(wanted) || String(player.ref.id) === word,
  );
}
