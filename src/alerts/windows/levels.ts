/**
 * A server that fills or empties. It is posted once, and again only after the players had clearly gone or come back and
 * it stayed so: one player who comes and goes at the border is no news. Pure.
 */

export interface Level {
  /** It may be posted. */
  readonly isArmed: boolean;
  /** Answers in a row that show the state; one alone may be an old answer, served again. */
  readonly seen: number;
  /** Since when it has clearly been over, epoch seconds. */
  readonly awayS?: number;
}

export interface LevelLimit {
  readonly kind: "full" | "empty";
  /** The border in players; absent: as many as the server takes, or none. */
  readonly count?: number | undefined;
}

export interface PlayerCount {
  readonly current: number;
  readonly most: number;
  /** When the service answered, epoch seconds. */
  readonly atS: number;
}

const ANSWERS_TO_TELL = 2;
/** It must be away from the border for this long before it is posted again. */
const AWAY_FOR_S = 300;

/** `endedS`: since when it has clearly been over. */
export type LevelStep =
  | { readonly kind: "none" | "began" }
  | { readonly kind: "ended"; readonly endedS: number };

const NONE: LevelStep = { kind: "none" };

/** The state after one more answer. At first sight a server that is full, or empty, is no news. */
export function afterCount(
  level: Level | undefined,
  limit: LevelLimit,
  count: PlayerCount,
): { readonly level: Level; readonly step: LevelStep } {
  const isIn = isReached(limit, count);
  if (level === undefined) return { level: { isArmed: !isIn, seen: 0 }, step: NONE };
  if (isIn) {
    const seen = Math.min(ANSWERS_TO_TELL, level.seen + 1);
    if (level.isArmed && seen >= ANSWERS_TO_TELL)
      return { level: { isArmed: false, seen }, step: { kind: "began" } };
    return { level: { isArmed: level.isArmed, seen }, step: NONE };
  }
  const isAway = isClearlyAway(limit, count);
  if (level.isArmed || !isAway) return { level: { isArmed: level.isArmed, seen: 0 }, step: NONE };
  const awayS = level.awayS ?? count.atS;
  if (count.atS - awayS < AWAY_FOR_S) return { level: { isArmed: false, seen: 0, awayS }, step: NONE };
  return { level: { isArmed: true, seen: 0 }, step: { kind: "ended", endedS: awayS } };
}

function isReached({ kind, count }: LevelLimit, { current, most }: PlayerCount): boolean {
  if (kind === "empty") return current <= (count ?? 0);
  const full = count ?? most;
  return full > 0 && current >= full;
}

/** Further from the border than a tenth of the server's places. */
function isClearlyAway({ kind, count }: LevelLimit, { current, most }: PlayerCount): boolean {
  const margin = Math.max(1, Math.floor(most / 10));
  return kind === "empty" ? current > (count ?? 0) + margin : current < (count ?? most) - margin;
}
