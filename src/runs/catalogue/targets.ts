import { type Aim, alsoBegun, type Hit, isSamePlayer, whomItHits } from "../../domain/command-hits.ts";
import type { Tier } from "../../domain/guild.ts";
import type { Player, PlayerRef, ServerState, Staff } from "../../domain/model.ts";
import type { ParsedCommand, ResolvedTarget } from "../../domain/run.ts";
import { higherTier, TIER_NAMES } from "../../domain/tiers.ts";
import { goalText } from "./parse-command.ts";

/** What is known of the people of a server: who is in it, and who is staff of the game. */
export interface People {
  readonly players: readonly Player[];
  readonly staff: Staff;
  readonly ownerId: number;
  readonly coOwnerIds: readonly number[];
  /** Names by id of people whom the logs show; they need not be in the server. */
  readonly seen: ReadonlyMap<number, string>;
  /** People whom the history knows by the names that a command holds. One may stand here under several names. */
  readonly kept: readonly Required<PlayerRef>[];
  /** Who left lately and is not back, as far as the join log tells; the latest first. */
  readonly left: readonly LeftPlayer[];
  /** How old the older of the two lists is. */
  readonly ageMs: number;
}

export interface LeftPlayer {
  readonly player: PlayerRef;
  /** Epoch seconds. */
  readonly atS: number;
}

/** Who left longer ago is no surprise to whoever names them. */
const LEFT_LATELY_S = 600;

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
    kept: [],
    left: leftIn(state, players.value, nowMs),
    ageMs: Math.max(0, nowMs - Math.min(players.atMs, staff.atMs)),
  };
}

function leftIn({ lists }: ServerState, players: readonly Player[], nowMs: number): readonly LeftPlayer[] {
  const fromS = nowMs / 1_000 - LEFT_LATELY_S;
  const rows = (lists.joinLogs?.value ?? []).filter(({ joined, atS }) => !joined && atS >= fromS);
  const gone = rows.filter((row) => !players.some(({ player }) => isSamePlayer(player, row.player)));
  return gone.toSorted((a, b) => b.atS - a.atS).map(({ player, atS }) => ({ player, atS }));
}

/** The one player whom a text means and who left lately; undefined: none, or it may mean several. */
export function leftLately(text: string, { left }: Pick<People, "left">): LeftPlayer | undefined {
  const wanted = text.trim().toLowerCase();
  const isNamed = ({ player: { name, id } }: LeftPlayer) =>
    name.toLowerCase() === wanted || String(id) === wanted;
  const named = left.find(isNamed);
  if (named !== undefined) return named;
  const begun = left.filter(({ player }) => player.name.toLowerCase().startsWith(wanted));
  const [first] = begun;
  return first !== undefined && begun.every(({ player }) => isSamePlayer(player, first.player))
    ? first
    : undefined;
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

/** Whom each target text hits when Remote Server runs the command. Pure. */
export function resolveTargets(command: Aim, people: People): readonly ResolvedTarget[] {
  return whomItHits(command, { present: present(people), absent: knownAbsent(people) }).map((hit) => ({
    ...hit,
    staff: hit.players.filter((player) => rankOf(player, people) !== undefined),
  }));
}

/** The player to whom a command such as :tp moves its targets; undefined: it moves nobody to anybody. */
export function resolveGoal(command: ParsedCommand, people: People): Hit | undefined {
  const text = command.targetTexts.length === 0 ? undefined : goalText(command);
  if (text === undefined) return undefined;
  const aim: Aim = { targetTexts: [text], finds: "present", takesOne: true, authorIfNone: false };
  return whomItHits(aim, { present: present(people), absent: [] })[0];
}

/**
 * Whom each text hits at most. The game may not know who is away by the name that is known here: then it takes the text
 * for the beginning of the name of somebody who is there.
 */
export function mayHit(command: Aim, people: People): readonly ResolvedTarget[] {
  const here = present(people);
  return resolveTargets(command, people).map((hit) => {
    if (command.finds !== "anyone" || !isOnlyAway(hit, here)) return hit;
    const wanted = hit.text.trim().toLowerCase();
    const also = here.filter(({ name }) => name.toLowerCase().startsWith(wanted));
    return { ...hit, players: [...hit.players, ...also] };
  });
}

/** Others in the server whose names begin with one that the command has: the game may take it for theirs. */
export function namedAlike(command: Aim, people: People | undefined): readonly PlayerRef[] {
  if (people === undefined || command.finds === "banned") return [];
  return alsoBegun(command, resolveTargets(command, people), present(people));
}

function isOnlyAway({ text, players }: ResolvedTarget, here: readonly PlayerRef[]): boolean {
  if (players.length === 0 || /^\d+$/.test(text.trim())) return false;
  return players.every((player) => !here.some((other) => isSamePlayer(other, player)));
}

/**
 * Whom a text may mean beside those whom it hits: for rights, where one too many is better than one too few. Everybody
 * of that whole name or id, there or not; else those whose names begin so, of absent staff too, who may have joined.
 */
export function mayMean(text: string, people: People): readonly PlayerRef[] {
  const wanted = text.trim().toLowerCase();
  const named = [...present(people), ...knownAbsent(people)].filter(
    ({ name, id }) => name.toLowerCase() === wanted || String(id) === wanted,
  );
  if (named.length > 0) return named;
  const isMeant = ({ name }: PlayerRef) => name.toLowerCase().startsWith(wanted);
  const here = present(people).filter(isMeant);
  return here.length > 0 ? here : staffAway(people).filter(isMeant);
}

function present({ players }: People): readonly PlayerRef[] {
  return players.map(({ player }) => player);
}

/** Everybody who is known by name and id and is not in the server, under each of their names. */
function knownAbsent(people: People): readonly Required<PlayerRef>[] {
  const here = new Set(people.players.map(({ player }) => player.id));
  const seen = [...people.seen].map(([id, name]) => ({ id, name }));
  // The name that a list shows now stands last, and so is the one that is shown.
  return [...people.kept, ...seen, ...staffAway(people)].filter(({ id }) => !here.has(id));
}

/** Staff of the game, the owners among them, who are not in the server. */
function staffAway({
  players,
  staff,
  ownerId,
  coOwnerIds,
  seen,
  kept,
}: People): readonly Required<PlayerRef>[] {
  const online = new Set(players.map(({ player }) => player.id));
  const listed = new Map([...staff.helpers, ...staff.mods, ...staff.admins]);
  // The service gives owners by id alone; where nothing names one, the digits serve as the name.
  for (const id of [ownerId, ...coOwnerIds]) {
    const name = seen.get(id) ?? kept.find((one) => one.id === id)?.name ?? String(id);
    if (!listed.has(id)) listed.set(id, name);
  }
  return [...listed].filter(([id]) => !online.has(id)).map(([id, name]) => ({ id, name }));
}

/** A player of whom both name and id are known, by either; undefined: nobody of that whole name or id was seen. */
export function findPerson(nameOrId: string, people: People): Required<PlayerRef> | undefined {
  const wanted = nameOrId.toLowerCase();
  for (const { id, name } of [...present(people), ...knownAbsent(people)]) {
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
  const held = heldBy(player, people);
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

/** That rank as lists of staff name it: owners and co-owners count as Managers, and are called what they are. */
export function rankName(player: PlayerRef, people: People): string {
  const rank = rankOf(player, people) ?? "viewer";
  if (rank === "viewer") return "Helper";
  if (rank !== "manager") return TIER_NAMES[rank];
  const isOwner = player.id === people.ownerId || heldBy(player, people) === "Server Owner";
  return isOwner ? "Owner" : "Co-owner";
}

function heldBy(player: PlayerRef, people: People): string | undefined {
  return people.players.find((row) => isSamePlayer(row.player, player))?.permission;
}

function holds(list: ReadonlyMap<number, string>, player: PlayerRef): boolean {
  if (player.id !== undefined) return list.has(player.id);
  return [...list.values()].includes(player.name);
}
