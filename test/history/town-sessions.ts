import type { PlayerSession, SessionEnd } from "../../src/domain/history.ts";
import type { TownRow } from "./simulated-town.ts";

/** Sessions by the town's own record, beside those that the history tells. */

interface RealSession {
  readonly joinS: number;
  readonly leaveS: number | undefined;
}

/** Of one player, oldest first; the town begins empty. */
export function realSessions(rows: readonly TownRow[], playerId: number): readonly RealSession[] {
  const sessions: RealSession[] = [];
  for (const { log, atS, people, joined } of rows) {
    if (log !== "joins" || people[0]?.id !== playerId) continue;
    if (joined === true) sessions.push({ joinS: atS, leaveS: undefined });
    else sessions.push({ joinS: sessions.pop()?.joinS ?? Number.NaN, leaveS: atS });
  }
  return sessions;
}

/**
 * What a told session says that did not happen so; undefined: it is true as far as it says something. `servedAgain`: by
 * the second of an answer that was one of before, of when it really was.
 */
export function contradiction(
  { start, end }: PlayerSession,
  real: readonly RealSession[],
  servedAgain: ReadonlyMap<number, number>,
): string | undefined {
  const isTrue = (
    { atS, isSure, afterS = Number.NEGATIVE_INFINITY }: SessionEnd,
    times: readonly number[],
  ) => {
    const sinceS = servedAgain.get(afterS) ?? afterS;
    return isSure ? times.includes(atS) : times.some((one) => sinceS <= one && one <= atS);
  };
  const joins = real.map(({ joinS }) => joinS);
  const leaves = real.flatMap(({ leaveS }) => leaveS ?? []);
  if (!isTrue(start, joins)) return `it began ${JSON.stringify(start)}; joins were at ${joins.join(", ")}`;
  if (end === undefined) {
    return real.at(-1)?.leaveS === undefined ? undefined : "it has no end, but they left";
  }
  return isTrue(end, leaves)
    ? undefined
    : `it ended ${JSON.stringify(end)}; leaves were at ${leaves.join(", ")}`;
}

/** Sessions beside a gap of the log, in which they may have stayed, as one. */
export function acrossGaps(told: readonly PlayerSession[]): readonly PlayerSession[] {
  const whole: PlayerSession[] = [];
  for (const session of told) {
    const before = whole.at(-1);
    if (before?.end?.isUnseen !== true) whole.push(session);
    else {
      const { end: _, ...begun } = before;
      whole.splice(-1, 1, { ...begun, ...(session.end === undefined ? {} : { end: session.end }) });
    }
  }
  return whole;
}

/** The same sessions, where each row of the player was seen: both ends are sure. */
export function asTold(real: readonly RealSession[]): readonly Omit<PlayerSession, "bindingId">[] {
  return real.map(({ joinS, leaveS }) => ({
    start: { atS: joinS, isSure: true },
    ...(leaveS === undefined ? {} : { end: { atS: leaveS, isSure: true } }),
  }));
}
