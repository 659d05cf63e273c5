import { VISIT, type VisitKind } from "../database/schema.ts";
import type { Change, Presence } from "./scope-state.ts";
import type { StoredVisit } from "./store-logs.ts";

export interface InferredVisit {
  readonly person: number;
  readonly at_s: number;
  readonly kind: VisitKind;
  readonly after_s: number | null;
}

export interface NotedVisits {
  /** Persons whose rows came out of order: who of them is inside has to be read from all of their rows. */
  readonly unclear: readonly number[];
  /** Who joined while inside had left before, and no row will tell it; and who was there on both sides of a gap. */
  readonly missed: readonly InferredVisit[];
}

/** Rows of the join log may be missing up to this second. */
export function noteGap({ wholeAgainS }: Presence, atS: number): void {
  wholeAgainS.push(atS);
  wholeAgainS.sort((a, b) => a - b);
}

/** Takes in new rows of the join log. */
export function noteVisits(presence: Presence, rows: readonly StoredVisit[]): NotedVisits {
  const unclear = new Set<number>();
  const missed: InferredVisit[] = [];
  for (const { person, at_s: atS, kind } of [...rows].sort((a, b) => a.at_s - b.at_s)) {
    const lastS = presence.lastRowS.get(person) ?? presence.knownFromS;
    const isJoin = kind === VISIT.joined || kind === VISIT.appeared;
    if (atS <= lastS) unclear.add(person);
    else if (isJoin && presence.inside.has(person)) missed.push(missedLeave(presence, person, atS));
    else missed.push(...seenAgain(presence, person, atS));
    presence.lastRowS.set(person, Math.max(lastS, atS));
    setInside(presence, person, isJoin);
  }
  return { unclear: [...unclear], missed };
}

/**
 * They left after the last look before their join that listed them. A log may be a moment behind: a list that is later
 * than the join may show the new visit.
 */
function missedLeave(presence: Presence, person: number, joinedS: number): InferredVisit {
  const { vanishing, listedS, listedBeforeS } = presence;
  const gone = vanishing.get(person) ?? { atS: joinedS, afterS: listedS };
  const afterS = [gone.afterS, listedBeforeS].find((lookS) => lookS !== undefined && lookS < joinedS);
  return { person, kind: VISIT.vanished, at_s: Math.min(gone.atS, joinedS), after_s: afterS ?? null };
}

/**
 * Who was inside before a gap and still is at `untilS`, without a join since, may have been away in between: nobody could
 * see it. Answers the row that says so, where there is such a gap.
 */
function seenAgain(presence: Presence, person: number, untilS: number): readonly InferredVisit[] {
  const { inside, lastRowS, listedS, vanishing, wholeAgainS } = presence;
  const at_s = wholeAgainS.findLast((wholeS) => wholeS <= untilS);
  if (at_s === undefined || !inside.has(person)) return [];
  const lookS = vanishing.get(person)?.afterS ?? listedS;
  const seenS = Math.max(...[lookS, lastRowS.get(person)].filter((atS) => atS !== undefined));
  if (!Number.isFinite(seenS) || seenS >= at_s) return [];
  lastRowS.set(person, at_s);
  return [{ person, kind: VISIT.seenAgain, at_s, after_s: seenS }];
}

export function setInside(presence: Presence, person: number, isInside: boolean): void {
  if (isInside) presence.inside.add(person);
  else presence.inside.delete(person);
  presence.appearing.delete(person);
  presence.vanishing.delete(person);
}

/**
 * What a list of players shows that the log does not: a player is there without a join, or gone without a leave. Two
 * lists have to agree, since a log may be a moment behind. Answers the rows to be stored; `listed` are persons.
 */
export function lookAt(
  presence: Presence,
  listed: ReadonlySet<number>,
  atS: number,
): readonly InferredVisit[] {
  const rows: InferredVisit[] = [];
  const look: Change = { atS, afterS: presence.listedS };
  const rowOf = (person: number, kind: VisitKind, change: Change): InferredVisit => {
    presence.lastRowS.set(person, Math.max(presence.lastRowS.get(person) ?? 0, change.atS));
    return { person, kind, at_s: change.atS, after_s: change.afterS ?? null };
  };

  for (const person of listed) {
    const seen = presence.appearing.get(person);
    if (presence.inside.has(person)) {
      rows.push(...seenAgain(presence, person, atS));
      presence.vanishing.delete(person);
    } else if (seen === undefined) presence.appearing.set(person, look);
    else {
      rows.push(rowOf(person, VISIT.appeared, seen));
      setInside(presence, person, true);
    }
  }
  for (const person of [...presence.inside].filter((one) => !listed.has(one))) {
    const missed = presence.vanishing.get(person);
    if (missed === undefined) presence.vanishing.set(person, look);
    else {
      rows.push(rowOf(person, VISIT.vanished, missed));
      setInside(presence, person, false);
    }
  }
  for (const person of presence.appearing.keys()) {
    if (!listed.has(person)) presence.appearing.delete(person);
  }
  // Whom this list lacks the next one may have.
  if (presence.vanishing.size === 0) presence.wholeAgainS.length = 0;
  presence.lastLookS = atS;
  presence.listedBeforeS = presence.listedS;
  presence.listedS = atS;
  return rows;
}
