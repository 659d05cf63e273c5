import type { Prng } from "../prng.ts";
import type { Path } from "./map.ts";
import type { PlayerRef } from "./record.ts";
import { CIVILIAN_VEHICLES, COLOURS, DOT_VEHICLES, FIRE_VEHICLES, POLICE_VEHICLES } from "./vehicles.ts";

/** The teams of the game. */
export type Team = "Civilian" | "Sheriff" | "Police" | "Fire" | "DOT" | "Jail";

/** What someone may do in the game, from most to least. */
export type Role = "owner" | "co-owner" | "admin" | "mod" | "helper";

/** A vehicle that stands on the map. Null where the service gives null. */
interface Vehicle {
  readonly name: string;
  readonly owner: string;
  readonly plate: string;
  readonly texture: string | null;
  readonly colour: { readonly hex: string; readonly name: string } | null;
}

/** Someone who is in the server now. */
export interface Player {
  readonly ref: PlayerRef;
  team: Team;
  callsign: string | null;
  wantedStars: number;
  downed: boolean;
  /** The team to return to after jail. */
  teamBeforeJail: Team;
  path: Path;
  vehicle: Vehicle | null;
}

const TEAM_VEHICLES: Readonly<Record<Team, readonly string[]>> = {
  Civilian: CIVILIAN_VEHICLES,
  Jail: CIVILIAN_VEHICLES,
  Sheriff: POLICE_VEHICLES,
  Police: POLICE_VEHICLES,
  Fire: FIRE_VEHICLES,
  DOT: DOT_VEHICLES,
};

/** The team of somebody who comes in. */
export function someTeam(random: Prng): Team {
  const roll = random.next();
  if (roll < 0.55) return "Civilian";
  if (roll < 0.7) return "Police";
  if (roll < 0.82) return "Sheriff";
  return roll < 0.93 ? "Fire" : "DOT";
}

export function someCallsign(random: Prng, team: Team): string | null {
  const number = random.int(100, 599);
  if (team === "Sheriff") return `5D-${number}`;
  if (team === "Police") return `2P-${number}`;
  if (team === "Fire") return `E-${number}`;
  if (team === "DOT") return `D-${number}`;
  return null;
}

/** A vehicle such as the player's team drives. */
export function someVehicle(random: Prng, { team, ref }: Player): Vehicle {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + random.int(0, 25))).join("");
  return {
    name: random.pick(TEAM_VEHICLES[team]),
    owner: ref.name,
    plate: `${letters}-${random.int(100, 999)}`,
    texture: random.chance(0.2) ? null : "Standard",
    colour: random.chance(0.15) ? null : random.pick(COLOURS),
  };
}
