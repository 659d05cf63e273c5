import { distanceWord } from "../../domain/map.ts";
import type { KillEntry, Player, PlayerRef, ServerState } from "../../domain/model.ts";
import type { CallKill, CallSituation, NearbyStaff } from "../../domain/ports/feed-renderer.ts";
import { placeOf } from "../../domain/track.ts";

/** What a card tells of the moment around a call. Pure. */

/** Kills that may be the reason for a call. */
const KILLS_BEFORE_S = 120;
/** More would hide what matters; the log has them all. */
const MOST_KILLS = 5;
const MOST_STAFF = 3;
const MOST_NEAR = 4;
/** Older lists say nothing about where people are now. */
const LONGEST_AGE_MS = 120_000;

export interface Called {
  readonly caller: PlayerRef;
  readonly firstAtS: number;
}

/**
 * The situation by the latest that is known. `before`: what was known until now; kills and the last known place stay
 * when the lists that told them are gone.
 */
export function situationOf(
  called: Called,
  {
    state,
    nowMs,
    serviceMs,
    before,
  }: {
    readonly state: ServerState | undefined;
    readonly nowMs: number;
    /** The present by the service's clock, by which calls are dated; undefined: not known. */
    readonly serviceMs: number | undefined;
    readonly before: CallSituation | undefined;
  },
): CallSituation {
  const { caller, firstAtS } = called;
  const kills = withKills(before?.kills ?? [], state?.lists.killLogs?.value ?? [], called);
  const list = state?.lists.players;
  if (list === undefined || nowMs - list.atMs > LONGEST_AGE_MS) return { ...before, kills };

  const row = list.value.find(({ player }) => isSame(player, caller));
  // A list from before the call, without its caller, is of another moment.
  const listAtMs = (serviceMs ?? nowMs) - (nowMs - list.atMs);
  if (row === undefined && listAtMs < firstAtS * 1_000) return { ...before, kills };
  const staff = nearestStaff(list.value, caller, row);
  const near = nearPlayers(list.value, caller, row);
  const seen = row === undefined ? before?.caller : shownCaller(row);
  const left = row === undefined ? before?.left : undefined;
  return {
    ...(seen === undefined ? {} : { caller: seen }),
    ...(left === undefined ? {} : { left }),
    staff,
    ...(near === undefined ? {} : { near }),
    kills,
  };
}

/** Whether the players of this answer hold the caller; undefined: it does not tell. */
export function isInGame(caller: PlayerRef, players: readonly Player[] | undefined): boolean | undefined {
  return players?.some(({ player }) => isSame(player, caller));
}

/** Whether a reader would see another situation: distances alone are no change. */
export function differs(a: CallSituation | undefined, b: CallSituation): boolean {
  return readable(a) !== readable(b);
}

function readable(situation: CallSituation | undefined): string {
  if (situation === undefined) return "";
  const { caller, left, staff, kills } = situation;
  return JSON.stringify([caller, left === true, staff?.map(({ name }) => name).sort(), kills]);
}

function shownCaller({
  team,
  wantedStars,
  location,
  permission,
}: Player): NonNullable<CallSituation["caller"]> {
  const { postalCode, streetName } = location ?? {};
  return {
    team,
    wantedStars,
    ...(postalCode === undefined ? {} : { postal: postalCode }),
    ...(streetName === undefined ? {} : { street: streetName }),
    ...(isStaff(permission) ? { isStaff: true } : {}),
  };
}

function nearestStaff(
  players: readonly Player[],
  caller: PlayerRef,
  row: Player | undefined,
): readonly NearbyStaff[] {
  const staff = players
    .filter(({ player, permission }) => isStaff(permission) && !isSame(player, caller))
    .map(({ player, location }) => {
      const [from, to] = [placeOf(row?.location), placeOf(location)];
      const isKnown = from !== undefined && to !== undefined;
      return {
        ...player,
        ...(isKnown ? { away: distanceWord(from, to) } : {}),
        units: unitsBetween(from, to),
      };
    });
  return byDistance(staff)
    .slice(0, MOST_STAFF)
    .map(({ units: _, ...one }) => one);
}

/** Others who are near the caller; undefined: nobody knows where the caller is. */
function nearPlayers(
  players: readonly Player[],
  caller: PlayerRef,
  row: Player | undefined,
): readonly PlayerRef[] | undefined {
  const from = placeOf(row?.location);
  if (from === undefined) return undefined;
  const others = players.flatMap(({ player, permission, location }) => {
    const to = placeOf(location);
    const isMeant = !isSame(player, caller) && !isStaff(permission) && to !== undefined;
    return isMeant && distanceWord(from, to) !== "far" ? [{ ...player, units: unitsBetween(from, to) }] : [];
  });
  return byDistance(others)
    .slice(0, MOST_NEAR)
    .map(({ units: _, ...player }) => player);
}

type Place = ReturnType<typeof placeOf>;

function unitsBetween(a: Place, b: Place): number {
  return a === undefined || b === undefined ? Number.POSITIVE_INFINITY : Math.hypot(a.x - b.x, a.z - b.z);
}

function byDistance<T extends { readonly name: string; readonly units: number }>(
  all: readonly T[],
): readonly T[] {
  return all.toSorted((a, b) => (a.units === b.units ? (a.name < b.name ? -1 : 1) : a.units - b.units));
}

/** Anything but an ordinary player; the game may have ranks that are not known here. */
function isStaff(permission: string): boolean {
  return permission !== "" && permission !== "Normal";
}

/** A log that began anew shows fewer rows than were known: none of those is forgotten. */
function withKills(
  before: readonly CallKill[],
  rows: readonly KillEntry[],
  { caller, firstAtS }: Called,
): readonly CallKill[] {
  const found = rows.flatMap(({ atS, killer, killed }): CallKill[] => {
    if (atS < firstAtS - KILLS_BEFORE_S) return [];
    if (isSame(killer, caller)) return [{ atS, other: killed, what: "killed" }];
    return isSame(killed, caller) ? [{ atS, other: killer, what: "died" }] : [];
  });
  const all = new Map([...before, ...found].map((kill) => [JSON.stringify(keyOf(kill)), kill] as const));
  return [...all.values()].sort((a, b) => a.atS - b.atS).slice(-MOST_KILLS);
}

function keyOf({ atS, other, what }: CallKill): readonly unknown[] {
  return [atS, what, other.id, other.name];
}

function isSame(a: PlayerRef, b: PlayerRef): boolean {
  return a.id === undefined || b.id === undefined ? a.name === b.name : a.id === b.id;
}
