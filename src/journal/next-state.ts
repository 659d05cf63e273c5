import { isState, type StateList } from "../domain/changes.ts";
import type { Snapshot } from "../domain/model.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { isShownIn, STATES, type StateRow } from "./compare/states.ts";
import { nextHead, remembered, type Step, type Taking } from "./next-head.ts";
import { type LooksAt, looksOf, type Open, type Unnumbered } from "./open-journal.ts";
import type { Answer } from "./server-answer.ts";

/** Gone when this many looks in a row lack it: one may be an old answer, served again. */
const ABSENCES = 2;
/** A longer time without a look is a pause, unless the server is looked at that rarely. */
const PAUSE_S = 120;
/** So many times the usual time between two looks is one. */
const PAUSE_OVER_USUAL = 4;
/** A start knows only when something was written last, and not when the last look was. */
const PAUSE_OF_START_S = 600;
/** How long before the last thing that was written something may have come that was not. */
const UNWRITTEN_S = 300;
const MOST_UNWRITTEN = 500;

interface StateTaking extends Omit<Taking, "list" | "look"> {
  readonly list: StateList;
  readonly looks: LooksAt;
  /** The newest second that any journal of the server has in the store. */
  readonly storedS: number;
  readonly isOld: boolean;
}

/** What a look makes of the journal of a state; changes `looks` alone. */
function nextState(taking: StateTaking): Step {
  const { head, list, snapshot, looks, storedS, isOld } = taking;
  if (isOld || !isShownIn(snapshot.lists, list)) return { whole: false };
  const kind = STATES[list];
  const atS = Math.floor((snapshot.serviceAtMs ?? snapshot.takenAtMs) / 1_000);
  const shown = new Map(kind.rows(snapshot.lists).map((row) => [row.key, row]));
  const { lookS } = looks;
  const pauseS = pauseOf(list, looks);
  noteLookAt(looks, atS);
  const before = looks.unwritten?.rows ?? head.looked?.rows;
  if (before === undefined && kind.tellsFirst !== true) return written(taking, [...shown.values()], []);

  const fromS = lookS ?? storedS;
  const between = { fromS, atS, lists: snapshot.lists };
  const isTold = kind.tellsPauses === true && before !== undefined;
  const gap = isTold ? missed(snapshot, { list, lookS, storedS, atS, pauseS }) : undefined;
  const entries = [];
  const kept: StateRow[] = [];
  const odd = oddRows(snapshot, list);
  const mayHide = odd > looks.odd;
  let isMissing = false;
  let isChanged = gap !== undefined || looks.unwritten !== undefined || before === undefined;
  for (const row of before ?? []) {
    const now = shown.get(row.key);
    shown.delete(row.key);
    if (now !== undefined) {
      looks.absent.delete(row.key);
      const isSame = now.same === row.same;
      kept.push(isSame ? row : now);
      isChanged ||= !isSame;
      if (!isSame) entries.push(kind.changed?.(now, row, between));
      continue;
    }
    const lastS = goneSince(looks, row.key, { fromS, mayHide });
    if (lastS === undefined) {
      kept.push(row);
      isMissing = true;
      continue;
    }
    isChanged = true;
    entries.push(kind.gone?.(row, { ...between, fromS: lastS }));
  }
  looks.odd = isMissing ? Math.min(looks.odd, odd) : odd;
  for (const row of shown.values()) entries.push(kind.came?.(row, between));
  if (!isChanged && shown.size === 0) return { whole: true };
  const { takenAtMs: seenAtMs } = snapshot;
  const items = entries.flatMap((entry): Unnumbered[] => {
    if (entry === undefined) return [];
    return [entry.kind === "call" ? { kind: "call", entry, seenAtMs } : { kind: "change", entry, seenAtMs }];
  });
  return written(taking, [...kept, ...shown.values()], gap === undefined ? items : [gap, ...items]);
}

/** The last look that showed it, where enough looks in a row lack it. Those in which it may be hidden do not count. */
function goneSince(
  { absent }: LooksAt,
  key: string,
  { fromS, mayHide }: { readonly fromS: number; readonly mayHide: boolean },
): number | undefined {
  const known = absent.get(key) ?? { looks: 0, lastS: fromS };
  const looks = known.looks + (mayHide ? 0 : 1);
  if (looks < ABSENCES) {
    absent.set(key, { ...known, looks });
    return undefined;
  }
  absent.delete(key);
  return known.lastS;
}

/** Rows that could not be read, or were set aside: what is known and not shown may be one of them. */
function oddRows({ skippedRows, setAsideRows }: Snapshot, list: StateList): number {
  const counts = STATES[list].lists.map((one) => (skippedRows[one] ?? 0) + (setAsideRows?.[one] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How long without a look is a pause. */
function pauseOf(list: StateList, { lookS, everyS }: LooksAt): number {
  if (lookS === undefined) return STATES[list].tellsStarts === true ? PAUSE_S : PAUSE_OF_START_S;
  return Math.max(PAUSE_S, everyS.length === 0 ? 0 : PAUSE_OVER_USUAL * Math.min(...everyS));
}

/** The usual time is the shorter one of the last two, so that a pause is none. */
function noteLookAt(looks: LooksAt, atS: number): void {
  if (looks.lookS !== undefined) looks.everyS = [...looks.everyS, atS - looks.lookS].slice(-2);
  looks.lookS = atS;
}

interface Missing {
  readonly list: StateList;
  readonly lookS: number | undefined;
  readonly storedS: number;
  readonly atS: number;
  readonly pauseS: number;
}

/** Things that came and went while nobody looked, or that a process saw and did not write before it ended. */
function missed(
  { status, takenAtMs }: Snapshot,
  { list, lookS, storedS, atS, pauseS }: Missing,
): Unnumbered | undefined {
  const isPause = atS - (lookS ?? storedS) > pauseS && status.currentPlayers > 0;
  const isStart = lookS === undefined && STATES[list].tellsStarts === true;
  if (!isStart && !isPause) return undefined;
  const fromS = lookS ?? storedS - UNWRITTEN_S;
  const isOfStart = isPause ? {} : { isOfStart: true };
  return { kind: "gap", fromS: Math.min(fromS, atS), toS: atS, ...isOfStart, seenAtMs: takenAtMs };
}

function written(
  { head, snapshot, looks, neededSeq }: StateTaking,
  rows: readonly StateRow[],
  items: readonly Unnumbered[],
): Step {
  const { unwritten } = looks;
  looks.unwritten = {
    rows,
    items: unwritten === undefined ? items : bounded([...unwritten.items, ...items]),
  };
  const added = looks.unwritten.items.map((item, at): JournalItem => ({ ...item, seq: head.nextSeq + at }));
  const lookS = Math.floor((snapshot.serviceAtMs ?? snapshot.takenAtMs) / 1_000);
  const next = remembered({ ...head, looked: { lookS, rows } }, added, neededSeq);
  return { advance: { head: next, added, isPlain: false, grownBy: 0 }, whole: true };
}

/** Where the store takes nothing for long, a gap stands for the oldest. */
function bounded(items: readonly Unnumbered[]): readonly Unnumbered[] {
  const over = items.slice(0, -MOST_UNWRITTEN);
  const [first, last] = [over[0], over.at(-1)];
  if (first === undefined || last === undefined) return items;
  const fromS = first.kind === "gap" ? first.fromS : first.entry.atS;
  const toS = last.kind === "gap" ? last.toS : last.entry.atS;
  const gap = {
    kind: "gap" as const,
    ...(fromS === undefined ? {} : { fromS }),
    toS,
    seenAtMs: last.seenAtMs,
  };
  return [gap, ...items.slice(-MOST_UNWRITTEN)];
}

/** A look or an answer as the journal of this kind takes it. */
export function stepOf(
  open: Pick<Open, "list" | "looks">,
  taking: Omit<Taking, "list" | "look">,
  { look, storedS }: { readonly look: Taking["look"] & Pick<Answer, "isOld">; readonly storedS: number },
): Step {
  const { list } = open;
  return isState(list)
    ? nextState({ ...taking, list, looks: looksOf(open), storedS, isOld: look.isOld })
    : nextHead({ ...taking, list, look });
}
