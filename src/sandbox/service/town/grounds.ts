/** Where there is no road: blocks of houses between the streets, and parks. People walk there. */

type Point = readonly [x: number, z: number];

interface Ground {
  /** Top left and bottom right. */
  readonly from: Point;
  readonly to: Point;
}

const PARKS: readonly Ground[] = [
  { from: [1_120, 1_260], to: [1_500, 1_500] },
  { from: [2_130, 1_640], to: [2_360, 2_200] },
  { from: [700, 2_360], to: [1_180, 2_590] },
  { from: [1_960, 470], to: [2_560, 640] },
];

/** Yards, car parks and back alleys. */
const BLOCKS: readonly Ground[] = [
  { from: [660, 460], to: [960, 660] },
  { from: [1_040, 760], to: [1_280, 940] },
  { from: [1_600, 740], to: [1_860, 930] },
  { from: [1_620, 1_040], to: [2_020, 1_500] },
  { from: [440, 1_620], to: [940, 1_860] },
  { from: [1_060, 1_620], to: [1_500, 1_860] },
  { from: [1_060, 1_950], to: [1_500, 2_260] },
  { from: [1_620, 1_620], to: [2_000, 2_020] },
  { from: [2_120, 1_060], to: [2_620, 1_500] },
  { from: [2_480, 1_760], to: [2_720, 2_120] },
];

const GROUNDS = [...PARKS, ...BLOCKS];
const CORNERS = 5;

/** A number from 0 to 1 that belongs to these two. */
function drawn(seed: number, nth: number): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(nth + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A round of some corners within one of the grounds, the same for the same number. */
function roundOf(seed: number): readonly Point[] {
  const ground = GROUNDS[Math.floor(drawn(seed, 0) * GROUNDS.length)];
  if (!ground) throw new RangeError("a town without grounds");
  const [x0, z0] = ground.from;
  const [x1, z1] = ground.to;
  return Array.from({ length: CORNERS }, (_, corner) => [
    x0 + (x1 - x0) * drawn(seed, 2 * corner + 1),
    z0 + (z1 - z0) * drawn(seed, 2 * corner + 2),
  ]);
}

/** Where somebody is who has walked so far on their round. */
export function placeOnRound(seed: number, walkedUnits: number): Point {
  const corners = roundOf(seed);
  const legs = corners.map((from, at) => {
    const to = corners[(at + 1) % corners.length] ?? from;
    return { from, to, length: Math.hypot(to[0] - from[0], to[1] - from[1]) };
  });
  let left = walkedUnits % legs.reduce((sum, { length }) => sum + length, 0);
  for (const { from, to, length } of legs) {
    if (left <= length) {
      return [from[0] + ((to[0] - from[0]) * left) / length, from[1] + ((to[1] - from[1]) * left) / length];
    }
    left -= length;
  }
  return corners[0] ?? [0, 0];
}
