import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { MapCorners, MapPoint } from "../../../domain/map.ts";
import { cut, escapeMarkdown } from "../escape.ts";

/**
 * Whether the operator's picture and its corners fit what was seen: how many places lie outside of it, and how far apart
 * two streets must be on it, to be compared with the picture itself. Pure.
 */
export function checkWords(points: readonly MapPoint[], corners: MapCorners | undefined): Escaped {
  if (corners === undefined) return md`The host has set no \`MAP_IMAGE\`: the ground is plain.`;
  const { x1, z1, x2, z2 } = corners;
  const outside = points.filter(({ x, z }) => x < x1 || x > x2 || z < z1 || z > z2).length;
  const lines = [
    outside === 0
      ? md`All ${points.length} places lie on the picture.`
      : md`⚠ ${outside} of ${points.length} places lie outside the picture: its corners are wrong.`,
    md`Streets and players should lie on their roads. If they are all off in the same direction, move the corners by that much.`,
  ];
  const pair = farthest(points);
  if (pair === undefined) return joined(lines, "\n");
  const [a, b] = pair;
  const percent = (units: number, side: number) => md`${Math.round((Math.abs(units) / side) * 100)} %`;
  return joined(
    [
      ...lines,
      md`${named(a)} and ${named(b)} were seen ${Math.round(Math.hypot(a.x - b.x, a.z - b.z))} units apart: ${percent(a.x - b.x, x2 - x1)} of the picture's width and ${percent(a.z - b.z, z2 - z1)} of its height.`,
    ],
    "\n",
  );
}

function named({ street = "" }: MapPoint): Escaped {
  return md`**${escapeMarkdown(cut(street, 40))}**`;
}

/** Two people on different streets, as far from each other as any. */
function farthest(points: readonly MapPoint[]): readonly [MapPoint, MapPoint] | undefined {
  const onStreets = points.filter(({ street = "" }) => street.trim() !== "").slice(0, 60);
  let best: readonly [MapPoint, MapPoint] | undefined;
  let most = 0;
  for (const a of onStreets) {
    for (const b of onStreets) {
      const units = Math.hypot(a.x - b.x, a.z - b.z);
      if (a.street === b.street || units <= most) continue;
      best = [a, b];
      most = units;
    }
  }
  return best;
}
