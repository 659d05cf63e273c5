import type { SessionEnd } from "../../domain/history.ts";
import { VISIT, type VisitKind } from "../database/schema.ts";

/** A row of `visits`, of one person and server. */
export interface Visit {
  readonly at_s: number;
  readonly kind: VisitKind;
  readonly after_s: number | null;
}

export interface Session {
  readonly start: SessionEnd;
  readonly end?: SessionEnd;
}

/**
 * The sessions of one person on one server by their rows, oldest first; the rows in the order of their time. A second
 * has no order: who was inside left first, who was outside joined first. Pure.
 */
export function sessionsOf(visits: readonly Visit[]): readonly Session[] {
  const sessions: Session[] = [];
  let open: { readonly start: SessionEnd; lastS: number } | undefined;
  let endedS: number | undefined;

  const close = (end: SessionEnd) => {
    if (open !== undefined) sessions.push({ start: open.start, end });
    open = undefined;
    endedS = end.atS;
  };
  for (const { kind, at_s: atS, after_s: lookS } of inOrder(visits, false)) {
    const afterS = latest(lookS ?? undefined, open === undefined ? endedS : open.lastS);
    switch (kind) {
      case VISIT.joined:
        // A join of somebody inside: their leave was missed.
        if (open !== undefined) close({ atS, isSure: false, afterS: open.lastS });
        open = { start: { atS, isSure: true }, lastS: atS };
        break;
      case VISIT.appeared:
        if (open === undefined) open = { start: unsure(atS, afterS), lastS: atS };
        else open.lastS = Math.max(open.lastS, atS);
        break;
      case VISIT.seenAgain:
        // Nobody could see whether they were there in the gap: nothing of it is a part of their time.
        if (open !== undefined) close({ ...unsure(atS, afterS), isUnseen: true });
        open = { start: unsure(atS, latest(afterS, endedS)), lastS: atS };
        break;
      case VISIT.left:
        // A leave of somebody outside: the join was missed, and how long they stayed is not known.
        open ??= { start: unsure(atS, afterS), lastS: atS };
        close({ atS, isSure: true });
        break;
      case VISIT.vanished:
        if (open !== undefined) close(unsure(atS, afterS));
        break;
    }
  }
  if (open !== undefined) sessions.push({ start: open.start });
  return sessions;
}

/** Whether the person is inside after these rows. Pure. */
export function isInside(visits: readonly Visit[], wasInside: boolean): boolean {
  const last = inOrder(visits, wasInside).at(-1);
  return last === undefined ? wasInside : isEntry(last);
}

function isEntry({ kind }: Visit): boolean {
  return kind === VISIT.joined || kind === VISIT.appeared || kind === VISIT.seenAgain;
}

function inOrder(visits: readonly Visit[], wasInside: boolean): readonly Visit[] {
  const ordered: Visit[] = [];
  let inside = wasInside;
  const sorted = [...visits].sort((a, b) => a.at_s - b.at_s);
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (sorted[to]?.at_s === sorted[from]?.at_s && to < sorted.length) to += 1;
    const ofSecond = sorted.slice(from, to);
    // It says who was there before anything else of its second.
    const again = ofSecond.filter(({ kind }) => kind === VISIT.seenAgain);
    const rows = ofSecond.filter(({ kind }) => kind !== VISIT.seenAgain);
    ordered.push(...again);
    inside ||= again.length > 0;
    const entries = rows.filter(isEntry);
    const exits = rows.filter((visit) => !isEntry(visit));
    // One of the two kinds each time, beginning with the one that fits.
    for (let next = inside ? exits : entries; entries.length + exits.length > 0; ) {
      const visit = next.shift();
      if (visit !== undefined) ordered.push(visit);
      next = next === entries ? exits : entries;
    }
    const last = ordered.at(-1);
    inside = last === undefined ? inside : isEntry(last);
    from = to;
  }
  return ordered;
}

function unsure(atS: number, afterS: number | undefined): SessionEnd {
  return afterS === undefined
    ? { atS, isSure: false }
    : { atS, isSure: false, afterS: Math.min(afterS, atS) };
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
