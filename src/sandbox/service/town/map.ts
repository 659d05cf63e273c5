import { placeOnRound } from "./grounds.ts";

/** Units of a side of the map; x grows right, z grows down. */
const MAP_SIDE = 3_121;

interface Street {
  readonly name: string;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

const STREETS: readonly Street[] = [
  { name: "Park Street", from: [900, 2_302], to: [2_100, 2_302] },
  { name: "Main Street", from: [400, 1_560], to: [2_720, 1_560] },
  { name: "Fairfax Road", from: [1_560, 240], to: [1_560, 2_880] },
  { name: "Colonial Drive", from: [420, 420], to: [1_240, 1_240] },
  { name: "Elm Street", from: [620, 300], to: [620, 1_480] },
  { name: "Orchard Boulevard", from: [1_800, 420], to: [2_760, 420] },
  { name: "Riverside Drive", from: [240, 2_640], to: [2_880, 2_640] },
  { name: "Liberty Way", from: [2_060, 1_000], to: [2_060, 2_240] },
  { name: "Highway 6", from: [120, 180], to: [2_980, 2_940] },
  { name: "Industrial Road", from: [2_420, 1_720], to: [2_420, 2_580] },
  { name: "Sandstone Road", from: [300, 1_900], to: [1_320, 1_900] },
  { name: "Academy Place", from: [1_120, 700], to: [1_900, 700] },
  { name: "Maple Street", from: [1_000, 1_180], to: [1_000, 2_180] },
  { name: "Freedom Avenue", from: [1_320, 980], to: [2_640, 980] },
  { name: "Joyner Road", from: [2_700, 560], to: [2_700, 1_480] },
  { name: "Pineview Circle", from: [200, 900], to: [200, 2_300] },
];

const CELLS = 13;

/** How many streets there are; a path names one by its index. */
export const STREET_COUNT = STREETS.length;

/**
 * Someone going up and down a street; whoever is no faster than a walker is off the road, on a round in a block or a park.
 * The place at any second follows from it, so reading moves nobody.
 */
export interface Path {
  readonly street: number;
  readonly startUnits: number;
  readonly unitsPerSecond: number;
  readonly sinceS: number;
  /** A way that is laid out, in the place of all that: points with the second at which each is reached. */
  readonly way?: readonly (readonly [x: number, z: number, atS: number])[];
}

const WALKER_UNITS_PER_S = 4;

/** A place with its address (spec: Location object). */
export interface Place {
  readonly x: number;
  readonly z: number;
  readonly postalCode: string;
  readonly streetName: string;
  readonly buildingNumber: string;
}

/** Where a path leads at this time. */
export function placeOn(path: Path, atS: number): Place {
  if (path.way) return addressOf(pointOnWay(path.way, atS));
  if (path.unitsPerSecond <= WALKER_UNITS_PER_S) {
    const walked = path.startUnits + path.unitsPerSecond * Math.max(0, atS - path.sinceS);
    return addressOf(placeOnRound(path.street * 10_007 + path.startUnits, walked));
  }
  const street = STREETS[path.street % STREETS.length];
  if (!street) throw new RangeError("a path without a street");
  const [x0, z0] = street.from;
  const dx = street.to[0] - x0;
  const dz = street.to[1] - z0;
  const length = Math.hypot(dx, dz);
  const travelled = (path.startUnits + path.unitsPerSecond * Math.max(0, atS - path.sinceS)) % (2 * length);
  const along = travelled <= length ? travelled : 2 * length - travelled;
  const x = round(x0 + (dx * along) / length);
  const z = round(z0 + (dz * along) / length);
  return {
    x,
    z,
    postalCode: postalCodeAt(x, z),
    streetName: street.name,
    buildingNumber: String(1_000 + Math.floor(along / 4)),
  };
}

/** A point off the road has the address of the street that is nearest. */
function addressOf([atX, atZ]: readonly [number, number]): Place {
  const near = STREETS.map((street) => ({ street, ...nearestOn(street, atX, atZ) }));
  const { street, along } = near.reduce((best, one) => (one.away < best.away ? one : best));
  const [x, z] = [round(atX), round(atZ)];
  return {
    x,
    z,
    postalCode: postalCodeAt(x, z),
    streetName: street.name,
    buildingNumber: String(1_000 + Math.floor(along / 4)),
  };
}

/** How far a point is from a street, and how far along the street the nearest point of it lies. */
function nearestOn({ from, to }: Street, x: number, z: number): { away: number; along: number } {
  const [dx, dz] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dz);
  const along = Math.min(length, Math.max(0, ((x - from[0]) * dx + (z - from[1]) * dz) / length));
  const away = Math.hypot(x - from[0] - (dx * along) / length, z - from[1] - (dz * along) / length);
  return { away, along };
}

/** Between two points of a way in a straight line; before it begins and after it ends at its ends. */
function pointOnWay(way: NonNullable<Path["way"]>, atS: number): readonly [number, number] {
  const next = way.findIndex(([, , reachedS]) => reachedS > atS);
  const [x0, z0, from] = way[next < 0 ? way.length - 1 : Math.max(0, next - 1)] ?? [0, 0, 0];
  const [x1, z1, to] = way[Math.max(0, next)] ?? [x0, z0, from];
  if (next <= 0 || to <= from) return [x0, z0];
  const part = (atS - from) / (to - from);
  return [x0 + (x1 - x0) * part, z0 + (z1 - z0) * part];
}

/** The postal code of a point: one for each cell of a grid of 13 by 13. */
function postalCodeAt(x: number, z: number): string {
  const cell = (value: number): number =>
    Math.min(CELLS - 1, Math.max(0, Math.floor((value / MAP_SIDE) * CELLS)));
  return String(101 + cell(z) * CELLS + cell(x));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
