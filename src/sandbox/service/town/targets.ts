import type { Player } from "./player.ts";
import type { PlayerRef } from "./record.ts";
import type { World } from "./world.ts";

/** How a verb reads its targets. */
export interface AimRule {
  /** Takes ids too, and whole names of people who are not here. */
  readonly ids?: true;
  /** Only the first target counts. */
  readonly one?: true;
  /** Without a target it is for whoever typed it. */
  readonly self?: true;
}

/** Who a command is aimed at, and what stands after the targets. */
export interface Aim {
  /** Those of them who are here. */
  readonly players: readonly Player[];
  /** All of them. */
  readonly people: readonly PlayerRef[];
  readonly rest: string;
  /** The target words themselves. */
  readonly words: readonly string[];
}

/**
 * Reads `targets rest...`: commas give several, `all` hits everyone, `others` everyone but the actor, `me` the actor. A
 * name is somebody's whole name, else the beginning of names, both in any case.
 */
export function aim(world: World, actor: PlayerRef, text: string, rule: AimRule = {}): Aim {
  const trimmed = text.trim();
  const space = trimmed.search(/\s/);
  const first = space < 0 ? trimmed : trimmed.slice(0, space);
  const rest = space < 0 ? "" : trimmed.slice(space + 1).trim();
  const all = first.split(",").filter((word) => word !== "");
  const words = rule.one ? all.slice(0, 1) : all;
  const hit = new Map<number, PlayerRef>();
  const meant = words.length === 0 && rule.self ? ["me"] : words;
  for (const word of meant) for (const ref of matching(world, actor, word, rule)) hit.set(ref.id, ref);
  const players = world.players.filter(({ ref }) => hit.has(ref.id));
  return { players, people: [...hit.values()], rest, words };
}

/** Everyone whom one target word names. */
function matching(world: World, actor: PlayerRef, word: string, rule: AimRule): PlayerRef[] {
  const wanted = word.toLowerCase();
  const here = world.players.map(({ ref }) => ref);
  if (wanted === "all") return here;
  if (wanted === "others") return here.filter(({ id }) => id !== actor.id);
  if (wanted === "me") return here.filter(({ id }) => id === actor.id);
  const whole = here.find(({ name }) => name.toLowerCase() === wanted);
  if (whole) return [whole];
  if (rule.ids) {
    if (/^\d{1,15}$/.test(word)) return [personWithId(world, Number(word))];
    const away = everSeen(world).find(({ name }) => name.toLowerCase() === wanted);
    if (away) return [away];
  }
  return here.filter(({ name }) => name.toLowerCase().startsWith(wanted));
}

function personWithId(world: World, id: number): PlayerRef {
  return world.find(id)?.ref ?? everSeen(world).find((ref) => ref.id === id) ?? { id, name: String(id) };
}

/** Everyone who was ever in the server, and its staff, under their latest name. */
function everSeen(world: World): PlayerRef[] {
  const names = new Map([...world.staff].map(([id, { name }]) => [id, name]));
  for (const { player } of world.record.joins) {
    const colon = player.lastIndexOf(":");
    names.set(Number(player.slice(colon + 1)), player.slice(0, colon));
  }
  return [...names].map(([id, name]) => ({ id, name }));
}
