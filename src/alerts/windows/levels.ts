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
  /** The first of these answers in a row, and the last answer of all that showed it, epoch seconds. */
  readonly sinceS?: number;
  readonly lastS?: number;
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
const STORED_EVERY_S = 60;

/** `sinceS`: the first answer that showed it; `endedS`: the last one. */
export type LevelStep =
  | { readonly kind: "none" }
  | { readonly kind: "began"; readonly sinceS: number }
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
    const sinceS = level.seen === 0 ? count.atS : (level.sinceS ?? count.atS);
    const shown = { seen, sinceS, lastS: count.atS };
    if (level.isArmed && seen >= ANSWERS_TO_TELL)
      return { level: { isArmed: false, ...shown }, step: { kind: "began", sinceS } };
    return { level: { isArmed: level.isArmed, ...shown }, step: NONE };
  }
  if (level.isArmed) return { level: { isArmed: true, seen: 0 }, step: NONE };
  const over = { isArmed: false, seen: 0, ...(level.lastS === undefined ? {} : { lastS: level.lastS }) };
  if (!isClearlyAway(limit, count)) return { level: over, step: NONE };
  // By a clock that was ahead meanwhile it would be away since a time to come, and not be posted again until then.
  const awayS = Math.min(level.awayS ?? count.atS, count.atS);
  if (count.atS - awayS < AWAY_FOR_S) return { level: { ...over, awayS }, step: NONE };
  return { level: { isArmed: true, seen: 0 }, step: { kind: "ended", endedS: level.lastS ?? awayS } };
}

/** Whether the state after an answer has to be stored: of one that goes on, the last answer is stored once a minute. */
export function isNews(before: Level | undefined, after: Level): boolean {
  const minute = (lastS = 0) => Math.floor(lastS / STORED_EVERY_S);
  return (
    before?.isArmed !== after.isArmed ||
    before.seen !== after.seen ||
    before.awayS !== after.awayS ||
    minute(before.lastS) !== minute(after.lastS)
  );
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
