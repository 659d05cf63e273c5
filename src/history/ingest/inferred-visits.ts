import { VISIT, type VisitKind } from "../database/schema.ts";
import type { Change, Presence } from "./scope-state.ts";
import type { StoredVisit } from "./store-logs.ts";

export interface InferredVisit {
  readonly person: number;
  readonly at_s: number;
  readonly kind: VisitKind;
  readonly after_s: number | null;
}

/**
 * Takes in new rows of the join log. Answers the persons whose rows came out of order: who of them is inside has to be
 * read from all of their rows.
 */
export function noteVisits(presence: Presence, rows: readonly StoredVisit[]): readonly number[] {
  const unclear = new Set<number>();
  for (const { person, at_s: atS, kind } of [...rows].sort((a, b) => a.at_s - b.at_s)) {
    const lastS = presence.lastRowS.get(person) ?? presence.knownFromS;
    if (atS <= lastS) unclear.add(person);
    presence.lastRowS.set(person, Math.max(lastS, atS));
    setInside(presence, person, kind === VISIT.joined || kind === VISIT.appeared);
  }
  return [...unclear];
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
    if (presence.inside.has(person)) presence.vanishing.delete(person);
    else if (seen === undefined) presence.appearing.set(person, look);
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
  presence.lastLookS = atS;
  presence.listedS = atS;
  return rows;
}
