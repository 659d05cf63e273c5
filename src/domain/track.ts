import type { HistoryRow } from "./history.ts";
import type { PlayerLocation, PlayerRef } from "./model.ts";

/** Where people were at each look, as far as it was recorded. Times are epoch seconds, as the service counts them. */

/** Where somebody was at a look. Whole units of the map: x to the right, z downwards. */
export interface Spot {
  readonly x: number;
  readonly z: number;
  readonly team: string;
  readonly street?: string;
  readonly postal?: string;
}

export interface TrackedPlayer {
  readonly player: PlayerRef;
  /** Of staff: the rank in the game. */
  readonly permission?: string;
  /** One for each look; null: not there, or no place was given. */
  readonly spots: readonly (Spot | null)[];
}

export interface Track {
  readonly bindingId: string;
  /** Oldest first. */
  readonly looksS: readonly number[];
  readonly players: readonly TrackedPlayer[];
}

/** What a case keeps of the two minutes before and after it, whatever becomes of the records themselves. */
export interface CaseEvidence {
  readonly atS: number;
  readonly fromS: number;
  readonly toS: number;
  /** Oldest first. */
  readonly rows: readonly HistoryRow[];
  /** Absent where no positions were recorded then. */
  readonly track?: Track;
}

/** How long positions are kept where a Manager says no number. */
export const POSITION_DAYS = 2;
export const MOST_POSITION_DAYS = 30;

/** The map has some thousand units a side; what is far beyond it is an error of the game's. */
const FARTHEST_UNITS = 100_000;

/** The place in whole units; undefined: none was given, or it cannot be one. */
export function placeOf(location: Pick<PlayerLocation, "x" | "z"> | undefined) {
  if (location === undefined) return undefined;
  const { x, z } = location;
  // A comparison with NaN is false.
  if (!(Math.abs(x) <= FARTHEST_UNITS && Math.abs(z) <= FARTHEST_UNITS)) return undefined;
  return { x: Math.round(x) + 0, z: Math.round(z) + 0 };
}
