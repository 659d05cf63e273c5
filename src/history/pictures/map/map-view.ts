/** Which part of the map a picture shows, and where a place lies on it. Pure. */

export interface Placed {
  readonly x: number;
  readonly z: number;
}

/** The part of a picture that is the map, in its own points. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/** A square of the map, laid into a square of the picture. */
export interface MapView {
  readonly frame: Frame;
  /** The top left of what is shown, in units of the map. */
  readonly fromX: number;
  readonly fromZ: number;
  /** Units of the map that the side shows. */
  readonly units: number;
}

/** Where everybody stands on one spot the picture shows this much around it. */
const LEAST_UNITS = 240;
/** Around the outermost places. */
const MARGIN = 0.12;

/** Just large enough for all of these places; of none, the whole of a usual map. */
export function viewOf(places: readonly Placed[], frame: Frame, leastUnits = LEAST_UNITS): MapView {
  if (places.length === 0) return { frame, fromX: 0, fromZ: 0, units: 3_121 };
  const [low, high] = [boundsOf(places, Math.min), boundsOf(places, Math.max)];
  const span = Math.max(leastUnits, high.x - low.x, high.z - low.z);
  const units = span * (1 + 2 * MARGIN);
  return { frame, fromX: (low.x + high.x - units) / 2, fromZ: (low.z + high.z - units) / 2, units };
}

function boundsOf(places: readonly Placed[], of: (a: number, b: number) => number): Placed {
  return places.reduce<Placed>((a, b) => ({ x: of(a.x, b.x), z: of(a.z, b.z) }), places[0] ?? { x: 0, z: 0 });
}

/** In points of the picture, to a tenth. */
export function onPicture({ frame, fromX, fromZ, units }: MapView, { x, z }: Placed) {
  const scale = frame.side / units;
  return {
    left: tenth(frame.left + (x - fromX) * scale),
    top: tenth(frame.top + (z - fromZ) * scale),
  };
}

export function isInView({ fromX, fromZ, units }: MapView, { x, z }: Placed): boolean {
  return x >= fromX && x <= fromX + units && z >= fromZ && z <= fromZ + units;
}

export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
