import type { Lists, Player, PlayerRef, Vehicle } from "../domain/model.ts";
import type { Rule } from "../domain/rule.ts";
import { readsAsWord } from "./named-in-full.ts";

/** Players as one answer shows them, and which of them a rule is about. Pure. */

/** Here nobody chose the team. */
export const JAIL = "jail";

export interface Present {
  readonly player: Required<PlayerRef>;
  readonly team: string;
  readonly callsign: string;
  readonly permission: string;
  /** Names of the vehicles that are theirs beyond doubt. */
  readonly vehicles: readonly string[];
  /** When they joined or died last, as far as the logs say, epoch seconds; 0: not known. */
  readonly lifeS: number;
  /** When they joined, as far as the logs say; 0: not known. */
  readonly joinedS: number;
}

type Seen = Pick<Lists, "players"> & Partial<Pick<Lists, "vehicles" | "joinLogs" | "killLogs">>;

/** Everybody with an id. */
export function presentOf({
  players,
  vehicles = [],
  joinLogs = [],
  killLogs = [],
}: Seen): readonly Present[] {
  const owned = vehiclesByOwner(players, vehicles);
  const joined = new Map<number, number>();
  const died = new Map<number, number>();
  for (const { player, joined: isJoin, atS } of joinLogs) if (isJoin) later(joined, player.id, atS);
  for (const { killed, atS } of killLogs) later(died, killed.id, atS);
  return players.flatMap(({ player: { name, id }, team, callsign = "", permission }) => {
    if (id === undefined) return [];
    const joinedS = joined.get(id) ?? 0;
    const lifeS = Math.max(joinedS, died.get(id) ?? 0);
    const vehicles = owned.get(name) ?? [];
    return { player: { name, id }, team, callsign, permission, vehicles, lifeS, joinedS };
  });
}

function later(times: Map<number, number>, id: number | undefined, atS: number): void {
  if (id !== undefined) times.set(id, Math.max(atS, times.get(id) ?? 0));
}

/** Of owners whose whole name exactly one player has. */
function vehiclesByOwner(
  players: readonly Player[],
  vehicles: readonly Vehicle[],
): ReadonlyMap<string, readonly string[]> {
  const count = new Map<string, number>();
  for (const { player } of players) {
    const name = player.name.toLowerCase();
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  const owned = new Map<string, string[]>();
  for (const { owner, name } of vehicles) {
    if (count.get(owner.toLowerCase()) === 1) owned.set(owner, [...(owned.get(owner) ?? []), name].sort());
  }
  return owned;
}

/** What has to stay the same. */
export function stateKey({ player, team, callsign, vehicles, lifeS }: Present): string {
  return JSON.stringify([player.name, lifeS, team, callsign, vehicles]);
}

/** Whether a rule is about this player as they are; whether they keep it is a matter of roles. */
export function isAbout({ kind, what }: Rule, { player, team, callsign, vehicles }: Present): boolean {
  const wanted = what.toLowerCase();
  switch (kind) {
    case "team":
      return team.toLowerCase() === wanted && wanted !== JAIL;
    case "vehicle":
      return isFree(team) && vehicles.some((name) => name.toLowerCase() === wanted);
    case "callsign":
      return isFree(team) && callsign.toLowerCase().startsWith(wanted);
    case "name":
      return readsAsWord(player.name);
    default:
      return kind satisfies never;
  }
}

/** An answer without their team does not say that they are not in jail. */
function isFree(team: string): boolean {
  const known = team.trim().toLowerCase();
  return known !== "" && known !== JAIL;
}
