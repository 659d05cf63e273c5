import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";

/** The days (UTC, `2026-05-10`) on which a list has anything, ascending. */
export interface DayList {
  readonly days: readonly string[];
}

export interface ListEntry {
  readonly id: string;
  readonly atMs: number;
  /** Lists below this one that hold the same row (`actor/1` for `LIST/actor/1`); removal needs them. */
  readonly also?: readonly string[];
}

/** Part of one day of a list, in the order of writing. */
export interface ListPage {
  /** In a day's open page: how many full pages of that day come before it. */
  readonly sealed?: number;
  readonly entries: readonly ListEntry[];
}

/** Position of an entry in its list. Later entries never change it. */
export interface Place {
  readonly day: string;
  readonly page: number;
  readonly offset: number;
}

export interface PlacedEntry extends ListEntry {
  readonly place: Place;
}

/** A page is rewritten with each entry until it is full, so this bounds the cost of one more entry. */
const PAGE_ENTRIES = 48;
/** The end of the year 9999: beyond it days would no longer sort as text. */
const LAST_DATE_MS = Date.UTC(9999, 11, 31);

/** The UTC day of a time, as text that sorts like time. A time outside the range of dates is the first or last day. */
export function dayOf(atMs: number): string {
  return new Date(Math.max(0, Math.min(atMs, LAST_DATE_MS))).toISOString().slice(0, 10);
}

/**
 * Append-only lists of row ids on a store of documents by key. They need neither an order of keys nor queries, so
 * sqlite and Redis serve alike. A list has days, a day has pages of bounded size: `LIST/DAY` is the open page,
 * `LIST/DAY/0`, `LIST/DAY/1` ... are full and never change. An entry costs two documents of bounded size, however long
 * the list is. Once `append` has resolved the entry is there; after a crash it can be there twice.
 */
export class RowLists {
  readonly #days: Documents<DayList>;
  readonly #pages: Documents<ListPage>;
  readonly #turns = new KeyedMutex();

  constructor(days: Documents<DayList>, pages: Documents<ListPage>) {
    this.#days = days;
    this.#pages = pages;
  }

  /** Adds an entry to the day of its time. Rejects when the store does. */
  async append(list: string, entry: ListEntry): Promise<void> {
    const day = dayOf(entry.atMs);
    const key = `${list}/${day}`;
    await this.#turns.take(list, async () => {
      const open = await this.#pages.get(key);
      if (open === undefined) {
        await this.#addDay(list, day);
        await this.#pages.set(key, { sealed: 0, entries: [entry] });
        return;
      }
      const { sealed = 0, entries } = open;
      if (entries.length < PAGE_ENTRIES) {
        await this.#pages.set(key, { sealed, entries: [...entries, entry] });
        return;
      }
      // A crash between these two writes leaves the page under both keys; the next append repeats the first write.
      await this.#pages.set(`${key}/${sealed}`, { entries });
      await this.#pages.set(key, { sealed: sealed + 1, entries: [entry] });
    });
  }

  /** The days on which the list has anything, ascending. */
  async days(list: string): Promise<readonly string[]> {
    return (await this.#days.get(list))?.days ?? [];
  }

  /** Pages of one day, the newest entries first; only what stands before `below`, where that is given. */
  async *pagesOf(list: string, day: string, below?: Place): AsyncGenerator<readonly PlacedEntry[]> {
    const key = `${list}/${day}`;
    const open = await this.#pages.get(key);
    if (open === undefined) return;
    const { sealed = 0 } = open;
    for (let page = Math.min(sealed, below?.page ?? sealed); page >= 0; page -= 1) {
      const { entries } =
        page === sealed ? open : ((await this.#pages.get(`${key}/${page}`)) ?? { entries: [] });
      const upTo = page === below?.page ? below.offset : entries.length;
      yield entries
        .slice(0, upTo)
        .map((entry, offset) => ({ ...entry, place: { day, page, offset } }))
        .reverse();
    }
  }

  /** Removes one day of a list. What a crash leaves of it, the next removal of that day removes. */
  async removeDay(list: string, day: string): Promise<void> {
    const key = `${list}/${day}`;
    await this.#turns.take(list, async () => {
      const sealed = (await this.#pages.get(key))?.sealed ?? 0;
      for (let page = 0; page < sealed; page += 1) await this.#pages.delete(`${key}/${page}`);
      await this.#pages.delete(key);
      const days = await this.days(list);
      const left = days.filter((one) => one !== day);
      if (left.length === days.length) return;
      if (left.length === 0) await this.#days.delete(list);
      else await this.#days.set(list, { days: left });
    });
  }

  async #addDay(list: string, day: string): Promise<void> {
    const days = await this.days(list);
    if (!days.includes(day)) await this.#days.set(list, { days: [...days, day].sort() });
  }
}
