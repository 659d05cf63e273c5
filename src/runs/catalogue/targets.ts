import type { Tier } from "../../domain/guild.ts";
import type { Player, PlayerRef, ServerState, Staff } from "../../domain/model.ts";
import type { ResolvedTarget } from "../../domain/run.ts";
import { higherTier } from "../../domain/tiers.ts";
import { isMassWord } from "./parse-command.ts";

/** What is known of the people of a server: who is in it, and who is staff of the game. */
export interface People {
  readonly players: readonly Player[];
  readonly staff: Staff;
  readonly ownerId: number;
  readonly coOwnerIds: readonly number[];
  /** Names by id of people whom the logs show; they need not be in the server. */
  readonly seen: ReadonlyMap<number, string>;
  /** How old the older of the two lists is. */
  readonly ageMs: number;
}

/** The people of a server; undefined unless both lists are known, because ranks need the staff list. */
export function peopleOf(state: ServerState | undefined, nowMs: number): People | undefined {
  const players = state?.lists.players;
  const staff = state?.lists.staff;
  if (state === undefined || players === undefined || staff === undefined) return undefined;
  return {
    players: players.value,
    staff: staff.value,
    ownerId: state.status.ownerId,
    coOwnerIds: state.status.coOwnerIds,
    seen: seenIn(state),
    ageMs: Math.max(0, nowMs - Math.min(players.atMs, staff.atMs)),
  };
}

/** The names by id of everybody in the logs. */
function seenIn({ lists }: ServerState): ReadonlyMap<number, string> {
  const refs: readonly PlayerRef[] = [
    ...(lists.joinLogs?.value ?? []).map(({ player }) => player),
    ...(lists.killLogs?.value ?? []).flatMap(({ killer, killed }) => [killer, killed]),
    ...(lists.commandLogs?.value ?? []).map(({ player }) => player),
    ...(lists.modCalls?.value ?? []).map(({ caller }) => caller),
  ];
  return new Map(refs.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name] as const])));
}

/** Whom each target text hits, as the game finds them: by prefix, `all`, `others`, or by id. Pure. */
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
  const absent = absentStaff(people);
  // Absent staff may be banned, or join, so one who is named whole or by id counts beside the players who match.
  const found = [
    ...online.filter((player) => player.name.toLowerCase().startsWith(prefix) || hasId(player, prefix)),
    ...absent.filter((player) => player.name.toLowerCase() === prefix || hasId(player, prefix)),
  ];
  if (found.length > 0) return found;
  return absent.filter(({ name }) => name.toLowerCase().startsWith(prefix));
}

function hasId({ id }: PlayerRef, digits: string): boolean {
  return id !== undefined && String(id) === digits;
}

/** Staff of the game, the owners among them, who are not in the server. */
function absentStaff({ players, staff, ownerId, coOwnerIds, seen }: People): readonly PlayerRef[] {
  const online = new Set(players.map(({ player }) => player.id));
  const listed = new Map([...staff.helpers, ...staff.mods, ...staff.admins]);
  // The service gives owners by id alone; where no log names one, the digits serve as the name.
  for (const id of [ownerId, ...coOwnerIds]) {
    if (!listed.has(id)) listed.set(id, seen.get(id) ?? String(id));
  }
  return [...listed].filter(([id]) => !online.has(id)).map(([id, name]) => ({ id, name }));
}

/** A player of whom both name and id are known, by either; undefined: nobody of that whole name or id was seen. */
export function findPerson(nameOrId: string, people: People): Required<PlayerRef> | undefined {
  const wanted = nameOrId.toLowerCase();
  const known = new Map([...people.seen, ...absentStaff(people).map(({ id, name }) => [id, name] as const)]);
  for (const { player } of people.players) known.set(player.id, player.name);
  for (const [id, name] of known) {
    const named = id !== undefined && name !== String(id);
    if (named && (name.toLowerCase() === wanted || String(id) === wanted)) return { id, name };
  }
  return undefined;
}

const TIER_OF_PERMISSION: Readonly<Record<string, Tier>> = {
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
  const shown = held === undefined ? undefined : TIER_OF_PERMISSION[held];
  const { admins, mods, helpers } = people.staff;
  const listed = holds(admins, player)
    ? "administrator"
    : holds(mods, player)
      ? "moderator"
      : holds(helpers, player)
        ? "viewer"
        : undefined;
  return higherTier(shown, listed);
}

function same(a: PlayerRef, b: PlayerRef): boolean {
  return a.id === undefined || b.id === undefined ? a.name === b.name : a.id === b.id;
}

function holds(list: ReadonlyMap<number, string>, player: PlayerRef): boolean {
  if (player.id !== undefined) return list.has(player.id);
  return [...list.values()].includes(player.name);
}
