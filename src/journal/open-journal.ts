import type { JournalList } from "../domain/changes.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { isShownIn, type StateRow } from "./compare/states.ts";
import { headKey, type JournalHead } from "./journal-records.ts";
import type { Trial } from "./trials.ts";

const NOTHING: readonly number[] = [];

/**
 * A map that nearly always has no entry or one, of which there are tens of thousands: these two take a quarter of what a
 * `Map` takes.
 */
export class RareMap<K, V> {
  #only: readonly [key: K, value: V] | undefined;
  /** From the second entry on all of them, until they are gone. */
  #many: Map<K, V> | undefined;

  get size(): number {
    return this.#many?.size ?? (this.#only === undefined ? 0 : 1);
  }

  get(key: K): V | undefined {
    if (this.#many !== undefined) return this.#many.get(key);
    return this.#only?.[0] === key ? this.#only[1] : undefined;
  }

  has(key: K): boolean {
    return this.#many?.has(key) ?? (this.#only !== undefined && this.#only[0] === key);
  }

  set(key: K, value: V): void {
    if (this.#many === undefined && (this.#only === undefined || this.#only[0] === key)) {
      this.#only = [key, value];
      return;
    }
    this.#many ??= new Map(this.#only === undefined ? [] : [this.#only]);
    this.#only = undefined;
    this.#many.set(key, value);
  }

  delete(key: K): void {
    if (this.#only?.[0] === key) this.#only = undefined;
    this.#many?.delete(key);
    if (this.#many?.size === 0) this.#many = undefined;
  }

  values(): Iterable<V> {
    if (this.#many !== undefined) return this.#many.values();
    return this.#only === undefined ? [] : [this.#only[1]];
  }
}

/** What a journal of a state remembers between looks, beside what is stored. */
export interface LooksAt {
  /** By key: in how many looks it was missing, and the last look that showed it. */
  readonly absent: RareMap<string, { readonly looks: number; readonly lastS: number }>;
  /** How many rows could not be read while all that was known was shown: what is missing beside no more is not hidden. */
  odd: number;
  /** When it was looked at last, seconds of the service; undefined: not by this process. */
  lookS: number | undefined;
  /** How long after the look before each of the last two was, seconds. */
  everyS: readonly number[];
  /** What looks have shown and the store did not take: no later look need show it again. */
  unwritten: { readonly rows: readonly StateRow[]; readonly items: readonly Unnumbered[] } | undefined;
}

/** An item that has no number yet. */
export type Unnumbered = JournalItem extends infer Item
  ? Item extends JournalItem
    ? Omit<Item, "seq">
    : never
  : never;

/**
 * One open journal, as it is held in memory. `head` is what the store holds, never ahead of it.
 */
export interface Open {
  readonly source: SourceId;
  readonly list: JournalList;
  readonly key: string;
  head: JournalHead | undefined;
  /** By feed: the lowest sequence number that it still needs. */
  readonly feeds: RareMap<string, number>;
  /** By follower: the first number that it has not dealt with. An object, as it is stored: a `Map` takes three times that. */
  readonly marks: Record<string, number>;
  /** By follower: what it does not get done. */
  readonly trials: RareMap<string, Trial>;
  /**
   * Which number the next event had some hours ago, within the last day: in turn a second of the monotonic clock and the
   * number, oldest first. Plain numbers, since objects would be a tenth of what an open journal takes.
   */
  earlier: readonly number[];
  /** Followers that have yet to read a whole window. */
  readonly firsts: RareMap<string, true>;
  /** Its server is linked, and somebody follows all journals. */
  isFollowed: boolean;
  /** The latest answer of its server showed it. */
  isShown: boolean;
  /** It was not shown for long while its server was read: what it shows now is a baseline. */
  isStale: boolean;
  /** When an answer showed it last, monotonic. */
  shownMs: number | undefined;
  /** The number after the last that is stored. */
  writtenSeq: number;
  /** Items that were stored since the head was. */
  sinceHead: number;
  /** Up to here it is logged that items are lost. */
  lostSeq: number;
  /** A write failed, and may have been done all the same: the head is written with the next one. */
  isUnsure: boolean;
  /** The latest answer that was kept. Not stored, so that a poll without news costs no write. */
  last: { readonly lookId: number; readonly monotonicMs: number } | undefined;
  /**
   * The newest row of the latest answer, kept or not; the game server has surely not started anew since look `sinceId`.
   * `hash`: of its identity, which as text is ten times that.
   */
  mark: { readonly atS: number; readonly hash: number; readonly sinceId: number } | undefined;
  /** The newest second that it ever showed; undefined until it is known. */
  newestS: number | undefined;
  /** A second that the service had reached when the log was last seen whole. */
  wholeS: number | undefined;
  /** The latest answer that was surely new showed it empty. */
  isEmpty: boolean;
  /** How many rows it showed. */
  rows: number;
  /** Of a state, from its first look on. */
  looks: LooksAt | undefined;
  /** Work on one journal never interleaves; `queued` counts what is in the chain, which is gone where that is nothing. */
  chain: Promise<unknown> | undefined;
  queued: number;
}

export function opened(source: SourceId, list: JournalList): Open {
  return {
    source,
    list,
    key: headKey(source, list),
    head: undefined,
    feeds: new RareMap(),
    marks: {},
    trials: new RareMap(),
    earlier: NOTHING,
    firsts: new RareMap(),
    isFollowed: false,
    isShown: false,
    isStale: false,
    shownMs: undefined,
    writtenSeq: 1,
    sinceHead: 0,
    lostSeq: 0,
    isUnsure: false,
    last: undefined,
    mark: undefined,
    newestS: undefined,
    wholeS: undefined,
    isEmpty: false,
    rows: 0,
    looks: undefined,
    chain: undefined,
    queued: 0,
  };
}

/** Of a journal of a state. */
export function looksOf(open: Pick<Open, "looks">): LooksAt {
  open.looks ??= { absent: new RareMap(), odd: 0, lookS: undefined, everyS: NOTHING, unwritten: undefined };
  return open.looks;
}

/** A log that nobody asked for, while its server was read, has its next window as a baseline after this time. */
const STALE_MS = 3_600_000;

/** Notes whether an answer shows it; `nowMs` is monotonic. */
export function noteShown(open: Open, { lists }: Snapshot, nowMs: number): void {
  const isShown = isShownIn(lists, open.list);
  const awayMs = nowMs - (open.shownMs ?? nowMs);
  open.isStale = isShown && !open.isShown && awayMs > STALE_MS && open.feeds.size === 0;
  open.isShown = isShown;
  if (isShown) open.shownMs = nowMs;
}

/** Every three hours: of tens of thousands of journals each number a day takes memory. */
const STEP_S = 3 * 3_600;
/** What followers that can derive an event leave unread for longer than a day, or a step more, is given up. */
const STEPS_OF_DAY = 8;

/** The first number that is not older than a day, as far as this process has seen; `nowMs` is monotonic. */
export function seqOfDay(open: Open, nowMs: number): number {
  const nextSeq = open.head?.nextSeq ?? 0;
  const nowS = Math.floor(nowMs / 1_000);
  const [lastS, lastSeq] = open.earlier.slice(-2);
  if (lastS === undefined || lastSeq === undefined || (nowS - lastS >= STEP_S && lastSeq < nextSeq))
    open.earlier = [...open.earlier, nowS, nextSeq].slice(-2 * (STEPS_OF_DAY + 1));
  const at = open.earlier.findLastIndex(
    (atS, index) => index % 2 === 0 && nowS - atS >= STEPS_OF_DAY * STEP_S,
  );
  return at < 0 ? 0 : (open.earlier[at + 1] ?? 0);
}

/** The lowest sequence number that some feed has not dealt with; the head where all have, or where there is none. */
export function neededSeq(open: Open): number {
  let lowest = open.head?.nextSeq ?? 0;
  for (const seq of open.feeds.values()) lowest = Math.min(lowest, seq);
  return lowest;
}

/** What failed of several things that were begun together. */
export function rejections(done: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return done.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

/**
 * A power cut set it behind a feed: numbers go on where the feed is. What had the numbers that are left out is lost where
 * nothing else is known; else the next answer shows it again.
 */
export function goOnAt(open: Open, head: JournalHead, nextSeq: number): void {
  const isLost = head.retained === undefined && head.looked === undefined;
  open.head = { ...head, nextSeq, tailFrom: isLost ? nextSeq : head.tailFrom };
  if (isLost) open.writtenSeq = nextSeq;
}
