import { isState } from "../domain/changes.ts";
import type { LogEntry, Snapshot } from "../domain/model.ts";
import { Identities } from "./compare/identity.ts";
import { factsOf, logLists } from "./compare/window-facts.ts";
import type { Open } from "./open-journal.ts";

/** Servers last seen empty are polled once in ten minutes at the least. */
const RECENT_MS = 900_000;

/** What an answer says of the server as a whole, which each of its logs needs to know. Seconds are the service's. */
export interface Answer {
  readonly lookId: number;
  /** Since that answer the server has surely not started anew: of each one some log still showed a row in the next. */
  readonly sinceId: number;
  /** The same for the last answer of an earlier process: a row that it stored still stands. */
  readonly continuesStored: boolean;
  /** A log shows a row newer than all that it had shown: the answer is not an old one. */
  readonly isNew: boolean;
  /** A log shows only rows that are older than what it had shown: the answer is served again, from before. */
  readonly isOld: boolean;
  /** The oldest and newest second in any log; undefined where all are empty. */
  readonly oldestS: number | undefined;
  readonly newestS: number | undefined;
  /**
   * A second that the service had surely reached. A row with a senseless time of its own must not tell otherwise, so
   * our clock is the bound; one that is behind makes the second earlier, which harms nothing.
   */
  readonly reachedS: number | undefined;
}

/**
 * Reads an answer against the ones before it, and marks each log's newest row for the next: a start of the game
 * server clears all logs at once. An old answer leaves the marks as they are.
 */
export function readAnswer(opens: readonly Open[], snapshot: Snapshot, lookId: number): Answer {
  let sinceId = lookId;
  let [isNew, isOld] = [false, false];
  const newest = new Map<Open, LogEntry>();
  for (const open of opens) {
    if (isState(open.list)) continue;
    const rows: readonly LogEntry[] = snapshot.lists[open.list] ?? [];
    const newestRow = newestOf(rows);
    if (newestRow === undefined) continue;
    newest.set(open, newestRow);
    const { mark } = open;
    const isThere = (row: LogEntry) => row.atS === mark?.atS && markHash(open, row) === mark.hash;
    if (mark !== undefined && rows.some(isThere)) sinceId = Math.min(sinceId, mark.sinceId);
    else if (mark !== undefined && newestRow.atS < mark.atS) isOld = true;
    open.newestS ??= knownNewestS(open);
    if (newestRow.atS > (open.newestS ?? Number.POSITIVE_INFINITY)) isNew = true;
  }
  if (!isOld) for (const open of opens) noteMark(open, newest.get(open), sinceId);
  const continuesStored =
    opens.some((open) => open.last === undefined) && opens.some((open) => knows(open, snapshot));
  return { lookId, sinceId, continuesStored, isNew: isNew && !isOld, isOld, ...timesOf(snapshot) };
}

/** The answer as one log sees it, against what that log showed before. */
export function lookOf({ last, isEmpty, wholeS }: Open, answer: Answer, monotonicMs: number) {
  return {
    ...answer,
    recent: last !== undefined && monotonicMs - last.monotonicMs <= RECENT_MS,
    continuous: last === undefined ? answer.continuesStored : answer.sinceId <= last.lookId,
    wasEmpty: isEmpty,
    wholeS,
  };
}

/** What came of an answer for one of its logs. */
interface Taken {
  readonly rows: number;
  readonly monotonicMs: number;
  /** Rows that came to those which were known. */
  readonly grownBy: number;
  readonly whole: boolean;
}

/**
 * Notes what the next answer is read against. Returns how long such a log gets before it drops rows, where this answer
 * shows it: new rows came and it got no longer, so old ones fell out.
 */
export function noteLook(
  open: Open,
  { lookId, isNew, isOld, reachedS }: Answer,
  { rows, monotonicMs, grownBy, whole }: Taken,
): number | undefined {
  const full = rows === open.rows && grownBy > 0 ? rows : undefined;
  open.rows = rows;
  if (isOld) return full;
  open.last = { lookId, monotonicMs };
  if (isNew) open.isEmpty = rows === 0;
  if (whole && reachedS !== undefined) open.wholeS = Math.max(open.wholeS ?? reachedS, reachedS);
  return full;
}

function knows({ head, list }: Open, snapshot: Snapshot): boolean {
  if (head?.retained === undefined || isState(list)) return false;
  const hashes = new Set(head.retained.unpacked().hashes);
  return (factsOf(snapshot, list, head.lineage) ?? []).some(({ hash }) => hashes.has(hash));
}

function noteMark(open: Open, row: LogEntry | undefined, sinceId: number): void {
  open.mark = row && { atS: row.atS, hash: markHash(open, row), sinceId };
  if (row !== undefined) open.newestS = Math.max(open.newestS ?? Number.NEGATIVE_INFINITY, row.atS);
}

/** Salted with what no player knows, so that nobody can choose a text that passes for another row. */
function markHash({ key }: Open, row: LogEntry): number {
  return new Identities(key).of(row);
}

/** By what is stored; undefined where nothing was ever seen: any row may then be old. */
function knownNewestS({ head }: Open): number | undefined {
  return head?.retained?.seconds.at(-1) ?? head?.retained?.floorS;
}

function newestOf(rows: readonly LogEntry[]): LogEntry | undefined {
  const [first] = rows;
  return rows.reduce((best, row) => (row.atS > (best?.atS ?? 0) ? row : best), first);
}

function timesOf({ lists, takenAtMs }: Snapshot): Pick<Answer, "oldestS" | "newestS" | "reachedS"> {
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const list of logLists) {
    for (const { atS } of lists[list] ?? []) {
      oldest = Math.min(oldest, atS);
      newest = Math.max(newest, atS);
    }
  }
  if (!Number.isFinite(newest)) return { oldestS: undefined, newestS: undefined, reachedS: undefined };
  const reachedS = Math.floor(Math.min(newest, takenAtMs / 1_000));
  return { oldestS: Math.max(0, Math.floor(oldest)), newestS: Math.floor(newest), reachedS };
}
