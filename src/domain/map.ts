import type { PictureLook } from "./picture-look.ts";
import type { Spot } from "./track.ts";

/** What pictures of the map show. Names are as they were typed; units are those of the game's map. */

/** Somebody, or something, at a place. */
export interface MapPoint extends Spot {
  readonly name: string;
  readonly isStaff: boolean;
  readonly wantedStars: number;
  /** The picture is about them: drawn larger, and always with the name. */
  readonly isMeant?: boolean;
}

export interface MapCall {
  readonly x: number;
  readonly z: number;
  readonly kind: "moderator" | "emergency";
  readonly name: string;
}

/** Where everybody is at one look. */
export interface MapPicture {
  readonly kind: "map";
  readonly look: PictureLook;
  readonly title: string;
  readonly points: readonly MapPoint[];
  readonly calls: readonly MapCall[];
  /** The points are only to be laid over the operator's picture, to see whether its corners are right. */
  readonly isCheck?: boolean;
}

export interface ReplayPerson {
  readonly name: string;
  readonly isStaff: boolean;
  readonly isMeant: boolean;
  /** One for each look; null: not seen. */
  readonly spots: readonly (Spot | null)[];
}

/** Something that happened between looks. `at` is the index of somebody whose place it happened near. */
export interface ReplayEvent {
  readonly atS: number;
  readonly kind: "kill" | "call";
  readonly words: string;
  readonly person?: number | undefined;
}

/** Where people were at each look of two minutes. */
export interface ReplayPicture {
  readonly kind: "replay";
  readonly look: PictureLook;
  readonly title: string;
  /** Clock times of the looks, as the picture writes them. */
  readonly times: readonly string[];
  readonly looksS: readonly number[];
  readonly people: readonly ReplayPerson[];
  readonly events: readonly ReplayEvent[];
  /** Two lines at most: the zone of its times, how far apart the looks are, and what is not known. */
  readonly caption: readonly string[];
}

/** A replay moves from this many looks on, with no gap longer than this; else it is one still. */
const FEWEST_LOOKS = 6;
const LONGEST_GAP_S = 20;

export function isMoving({ looksS }: Pick<ReplayPicture, "looksS">): boolean {
  const gaps = looksS.slice(1).map((atS, index) => atS - (looksS[index] ?? atS));
  return looksS.length >= FEWEST_LOOKS && gaps.every((gapS) => gapS <= LONGEST_GAP_S);
}

/** Faster than any vehicle: between these looks somebody was brought elsewhere, or came back after dying. */
const FASTEST_UNITS_PER_S = 90;

type Placed = Pick<Spot, "x" | "z">;

/** Whether somebody cannot have gone from one place to the other in that time. */
export function isJump(from: Placed, to: Placed, seconds: number): boolean {
  return Math.hypot(to.x - from.x, to.z - from.z) > FASTEST_UNITS_PER_S * Math.max(1, seconds);
}

/** How long a unit of the map is, nobody has published: about a sixth of the map's side is a short drive. */
const NEAR_UNITS = 500;
const CLOSE_UNITS = 125;
const TOGETHER_UNITS = 30;

export type Distance = "together" | "close" | "near" | "far";

/** In words, since the scale of the map is published nowhere. */
export function distanceWord(a: Placed, b: Placed): Distance {
  const units = Math.hypot(a.x - b.x, a.z - b.z);
  if (units <= TOGETHER_UNITS) return "together";
  if (units <= CLOSE_UNITS) return "close";
  return units <= NEAR_UNITS ? "near" : "far";
}

/** Units of the corners of the operator's picture: its top left and its bottom right. */
export interface MapCorners {
  readonly x1: number;
  readonly z1: number;
  readonly x2: number;
  readonly z2: number;
}
