import type { Tier } from "../../domain/guild.ts";
import type { Player, PlayerRef, ServerState, Staff } from "../../domain/model.ts";
import type { ResolvedTarget } from "../../domain/run.ts";
import { isMassWord } from "./parse-command.ts";

/** What is known of the people of a server: who is in it, and who is staff of the game. */
export interface People {
  readonly players: readonly Player[];
  readonly staff: Staff;
  readonly ownerId: number;
  readonly coOwnerIds: readonly number[];
  /** How old the older of the two lists is. */
  readonly ageMs: number;
}

/** Undefined unless both lists are known: without the staff list nobody's rank is. */
export function peopleOf(state: ServerState | undefined, nowMs: number): People | undefined {
  const players = state?.lists.players;
  const staff = state?.lists.staff;
  if (state === undefined || players === undefined || staff === undefined) return undefined;
  return {
    players: players.value,
    staff: staff.value,
    ownerId: state.status.ownerId,
    coOwnerIds: state.status.coOwnerIds,
    ageMs: Math.max(0, nowMs - Math.min(players.atMs, staff.atMs)),
  };
}

/** Whom each target text hits, as the game finds them: by prefix, `all`, `others`, or by id (design 3). Pure. */
export function resolveTargets(targetTexts: readonly string[], people: People): readonly ResolvedTarget[] {
  return targetTexts.map((text) => {
    const players = matches(text, people);
    return { text, players, staff: players.some((player) => rankOf(player, people) !== undefined) };
  });
}

function matches(text: string, people: People): readonly PlayerRef[] {
  const online = people.players.map(({ player }) => player);
  if (isMassWord(text)) return online;
  const prefix = text.toLowerCase();
  const found = online.filter((player) => fits(player, prefix));
  if (found.length > 0) return found;
  // Nobody in the server is meant, so far as we know: then an absent member of staff is, who may be banned, or join.
  return staffRefs(people.staff).filter((player) => fits(player, prefix));
}

function fits(player: PlayerRef, prefix: string): boolean {
  return player.name.toLowerCase().startsWith(prefix) || String(player.id ?? "") === prefix;
}

function staffRefs(staff: Staff): PlayerRef[] {
  const all = new Map([...staff.helpers, ...staff.mods, ...staff.admins]);
  return [...all].map(([id, name]) => ({ id, name }));
}

const permissionTiers: Readonly<Record<string, Tier>> = {
  "Server Owner": "manager",
  "Server Co-Owner": "manager",
  "Server Administrator": "administrator",
  "Server Moderator": "moderator",
  "Server Helper": "viewer",
};

/** The tier that a person's rank in the game stands for; undefined: no staff. */
export function rankOf(player: PlayerRef, people: People): Tier | undefined {
  const { id } = player;
  if (id !== undefined && (id === people.ownerId || people.coOwnerIds.includes(id))) return "manager";
  const held = people.players.find((row) => same(row.player, player))?.permission;
  const shown = held === undefined ? undefined : permissionTiers[held];
  const { admins, mods, helpers } = people.staff;
  const listed = holds(admins, player)
    ? "administrator"
    : holds(mods, player)
      ? "moderator"
      : holds(helpers, player)
        ? "viewer"
        : undefined;
  return higher(shown, listed);
}

function same(a: PlayerRef, b: PlayerRef): boolean {
  return a.id === undefined || b.id === undefined ? a.name === b.name : a.id === b.id;
}

function holds(list: ReadonlyMap<number, string>, player: PlayerRef): boolean {
  if (player.id !== undefined) return list.has(player.id);
  return [...list.values()].includes(player.name);
}

const order: readonly Tier[] = ["viewer", "moderator", "administrator", "manager"];

/** Viewer is 0, Manager 3; nothing at all is -1. */
export function tierLevel(tier: Tier | undefined): number {
  return tier === undefined ? -1 : order.indexOf(tier);
}

export function higher(a: Tier | undefined, b: Tier | undefined): Tier | undefined {
  return tierLevel(a) >= tierLevel(b) ? a : b;
}
