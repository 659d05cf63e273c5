import type { Documents, Rows, WriteTogether } from "../domain/ports/documents.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import { itemsBefore } from "./form-before.ts";
import type {
  JournalChange,
  JournalChunk,
  JournalHead,
  JournalRow,
  Marks,
  RowState,
  StoredHead,
} from "./journal-records.ts";
import { type Advance, replayed } from "./next-head.ts";
import type { Open } from "./open-journal.ts";

export interface StoredJournalsParts {
  readonly heads: Documents<StoredHead>;
  /** Items that the release before kept in documents of their own. */
  readonly chunks: Documents<JournalChunk>;
  readonly rows: Rows<JournalRow>;
  readonly write: WriteTogether<JournalChange>;
  warn(message: string, error: unknown): void;
}

interface Loaded {
  readonly head: JournalHead;
  readonly marks: Marks | undefined;
}

/** What a write needs to know besides. */
export interface Beside {
  readonly marks: Marks | undefined;
  /** Rows below this number go, when the head is written. */
  readonly neededSeq: number;
}

/** Items of one row. */
const MOST_IN_ROW = 256;
const ROWS_AT_ONCE = 200;
/** A head is written anew after so many items, or an eighth of what it retains: a fraction of its size an item. */
const HEAD_EVERY = 32;
const RETAINED_AN_ITEM = 8;
const ALL = Number.POSITIVE_INFINITY;

/**
 * Journals in the store: a head now and then, and after it a row for what each answer brought. Nothing that is large is
 * written anew for the next entry.
 */
export class StoredJournals {
  readonly #parts: StoredJournalsParts;

  constructor(parts: StoredJournalsParts) {
    this.#parts = parts;
  }

  /** Reads a journal into memory; undefined where none is stored. Rejects when the store fails. */
  async load(open: Open): Promise<Loaded | undefined> {
    const stored = await this.#parts.heads.get(open.key);
    if (stored === undefined) return undefined;
    if (stored.tail !== undefined) return await this.#loadFormBefore(open, stored);
    let { marks, ...state } = stored;
    let head: JournalHead = { ...state, tail: [], tailFrom: state.nextSeq };
    for await (const [seq, row] of this.#rowsFrom(open.key, state.nextSeq)) {
      head = replayed(head, seq, row);
      marks = row.marks ?? marks;
    }
    open.sinceHead = head.nextSeq - state.nextSeq;
    adopt(open, head);
    return { head, marks };
  }

  /** Stores what an answer made of a journal, all or nothing. Rejects when the store fails. */
  async append(open: Open, { head, added, isPlain }: Advance, beside: Beside): Promise<void> {
    const sinceHead = open.sinceHead + added.length;
    const isHeadDue = sinceHead >= Math.max(HEAD_EVERY, (head.retained?.size ?? 0) / RETAINED_AN_ITEM);
    // What is derived from rows again is derived row by row, so an answer of several has its head with them.
    const isHead = !isPlain || isHeadDue || open.isUnsure || added.length > MOST_IN_ROW;
    const state = isHead ? undefined : stateOf(head);
    const marks = isHead ? undefined : beside.marks;
    const rows = rowsOf(open.key, { items: added, from: open.writtenSeq, state, marks });
    await this.#write(open, isHead ? [...rows, ...headOf(open.key, head, beside)] : rows);
    open.sinceHead = isHead ? 0 : sinceHead;
    adopt(open, head);
  }

  /** Stores a journal as it is now. Rejects when the store fails. */
  async writeHead(open: Open, head: JournalHead, beside: Beside): Promise<void> {
    await this.#write(open, headOf(open.key, head, beside));
    open.sinceHead = 0;
    adopt(open, head);
  }

  /** Stores one under the key of another that has none. Rejects when the store fails. */
  async copy(from: Open, head: JournalHead, to: Open, beside: Beside): Promise<void> {
    const rows: JournalChange[] = [];
    for await (const [seq, row] of this.#rowsFrom(from.key, 0))
      rows.push({ table: "journal-rows", list: to.key, seq, from: firstOf(seq, row), row });
    await this.#write(to, [...rows, ...headOf(to.key, head, beside)]);
    to.sinceHead = 0;
    adopt(to, head);
  }

  /** Rejects when the store fails. */
  async delete(open: Open): Promise<void> {
    await this.#write(open, [
      { namespace: "journal-heads", key: open.key, deleted: true },
      { table: "journal-rows", list: open.key, below: ALL },
    ]);
  }

  /** Rows from a number on, at most `limit`, each with the first number that it speaks of. */
  async read(open: Open, fromSeq: number, limit: number) {
    const found = await this.#parts.rows.read(open.key, fromSeq, limit);
    return found.map(([seq, row]) => ({ firstSeq: firstOf(seq, row), seq, row }));
  }

  /** All rows that are kept, each with the first number that it speaks of. */
  async *all(open: Open) {
    let isFirst = true;
    for await (const [seq, row] of this.#rowsFrom(open.key, 0)) {
      yield { firstSeq: firstOf(seq, row), row, isFirst };
      isFirst = false;
    }
  }

  /** Once for each stretch. */
  warnLost(open: Open, seq: number): void {
    if (open.lostSeq >= seq) return;
    open.lostSeq = seq;
    const what = new Error(`entries of journal ${open.list} up to number ${seq} are not in the store`);
    this.#parts.warn("entries that waited to be posted are lost; their channels are told", what);
  }

  /** What failed may have been done: the next write speaks of everything again. */
  async #write(open: Open, changes: readonly JournalChange[]): Promise<void> {
    try {
      await this.#parts.write(changes);
      open.isUnsure = false;
    } catch (error) {
      open.isUnsure = true;
      throw error;
    }
  }

  async *#rowsFrom(list: string, fromSeq: number): AsyncGenerator<readonly [seq: number, row: JournalRow]> {
    for (let from = fromSeq; ; ) {
      const page = await this.#parts.rows.read(list, from, ROWS_AT_ONCE);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS_AT_ONCE) return;
      from = last[0] + 1;
    }
  }

  /** What the release before wrote gets today's form, in one write. */
  async #loadFormBefore(open: Open, stored: StoredHead): Promise<Loaded> {
    const { items, state, chunkKeys } = await itemsBefore(open.key, stored, this.#parts.chunks);
    const { marks } = stored;
    const head: JournalHead = { ...state, tail: [], tailFrom: state.nextSeq };
    const chunks = chunkKeys.map((key) => ({ namespace: "journal-chunks", key, deleted: true }) as const);
    const rows = rowsOf(open.key, { items, from: items[0]?.seq ?? 0 });
    await this.#write(open, [...rows, ...headOf(open.key, head, { marks, neededSeq: 0 }), ...chunks]);
    adopt(open, head);
    return { head, marks };
  }
}

function adopt(open: Open, head: JournalHead): void {
  open.head = head;
  open.writtenSeq = head.nextSeq;
}

function headOf(key: string, head: JournalHead, { marks, neededSeq }: Beside): readonly JournalChange[] {
  const { tail: _, tailFrom: __, ...state } = head;
  const value: StoredHead = marks === undefined ? state : { ...state, marks };
  return [
    { namespace: "journal-heads", key, value },
    { table: "journal-rows", list: key, below: neededSeq },
  ];
}

function stateOf({ retained, fullest }: JournalHead): RowState | undefined {
  if (retained === undefined) return undefined;
  const { longest, calm, reachedS } = retained;
  return {
    longest,
    calm,
    ...(reachedS === undefined ? {} : { reachedS }),
    ...(fullest === undefined ? {} : { fullest }),
  };
}

interface NewRows {
  readonly items: readonly JournalItem[];
  /** The number after the last that is stored. */
  readonly from: number;
  readonly state?: RowState | undefined;
  readonly marks?: Marks | undefined;
}

/** A row for the items of each answer; numbers that were left out before one are its own. */
function rowsOf(list: string, { items, state, marks, ...news }: NewRows): JournalChange[] {
  const rows: JournalChange[] = [];
  let { from } = news;
  for (let at = 0; at < items.length; ) {
    const [first, end] = [items[at], endOfRow(items, at)];
    const part = items.slice(at, end);
    const seq = part.at(-1)?.seq;
    if (first === undefined || seq === undefined) break;
    const row: JournalRow = {
      items: part.map(({ seq: _, seenAtMs: __, ...item }) => item),
      seenAtMs: first.seenAtMs,
      ...(first.seq === from ? {} : { from }),
      ...(state === undefined ? {} : { state }),
      ...(marks === undefined ? {} : { marks }),
    };
    rows.push({ table: "journal-rows", list, seq, from, row });
    [at, from] = [end, seq + 1];
  }
  return rows;
}

/** Where the row that begins with one item ends: numbers follow each other, and all came with one answer. */
function endOfRow(items: readonly JournalItem[], start: number): number {
  const first = items[start];
  let end = start + 1;
  while (end < items.length && end - start < MOST_IN_ROW) {
    const next = items[end];
    if (next?.seenAtMs !== first?.seenAtMs || next?.seq !== (first?.seq ?? 0) + end - start) break;
    end += 1;
  }
  return end;
}

function firstOf(seq: number, { from, items }: JournalRow): number {
  return from ?? seq - items.length + 1;
}
