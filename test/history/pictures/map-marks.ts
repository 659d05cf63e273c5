import assert from "node:assert/strict";
import type { Placed } from "../../../src/history/pictures/map/map-view.ts";

/** Where the marks of people lie in a drawing, read from its SVG and not from what drew it. */

export interface DrawnMark extends Placed {
  readonly r: number;
}

/** The marks on the ground of people of team Civilian, who are circles; in the order in which they are drawn. */
export function marksIn(svg: string): readonly DrawnMark[] {
  // Of a replay what is cut to its frame: the list beside it has marks as well.
  const drawn = /<g clip-path="url\(#frame\)">(.*?)<\/g>/s.exec(svg)?.[1] ?? svg;
  const marks = drawn.matchAll(
    /<circle cx="(-?[\d.]+)" cy="(-?[\d.]+)" r="([\d.]+)" fill="#[0-9a-f]{6}" stroke="#[0-9a-f]{6}" stroke-width="1.2"\/>/g,
  );
  return [...marks].map(([, x, z, r]) => ({ x: Number(x), z: Number(z), r: Number(r) }));
}

/** A drawing lays the map out evenly; two marks whose places are known, and apart, tell how. */
export function scaleOf(marks: readonly Placed[], places: readonly Placed[]) {
  assert.equal(marks.length, places.length);
  const far = (of: readonly Placed[], a: number, b: number) => {
    const [one, other] = [of[a], of[b]];
    return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.z - other.z);
  };
  let pair: readonly [number, number] = [0, 0];
  for (const a of places.keys())
    for (const b of places.keys()) if (far(places, a, b) > far(places, ...pair)) pair = [a, b];
  const units = far(places, ...pair);
  if (units <= 20) return undefined;
  const dots = far(marks, ...pair) / units;
  const [mark, place] = [marks[pair[0]] ?? { x: 0, z: 0 }, places[pair[0]] ?? { x: 0, z: 0 }];
  /** The place in the game that a mark stands for. A mark is at a tenth of a dot. */
  const placeOf = ({ x, z }: Placed): Placed => ({
    x: place.x + (x - mark.x) / dots,
    z: place.z + (z - mark.z) / dots,
  });
  return { placeOf, offUnits: 0.3 / dots };
}
