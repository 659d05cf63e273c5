/**
 * A list of a document: where its rows stand in the text, from where the list begins, and what was read from each. One sign
 * stands between two rows, so a row ends one before the next begins; behind the last start stands where a further row
 * would begin.
 */
interface ReadList {
  readonly from: number;
  readonly starts: ArrayLike<number>;
  readonly rows: readonly unknown[];
}

interface OpenList {
  readonly from: number;
  readonly starts: number[];
  readonly rows: unknown[];
}

const NOTHING_READ: ReadList = { from: 0, starts: [], rows: [] };

/** Stands in a document instead of a list whose rows were read already, each by the reader of its list. */
export class ReadRows {
  readonly rows: readonly unknown[];

  constructor(rows: readonly unknown[]) {
    this.rows = rows;
  }
}

/** What is made of a row of each list, by the list's name. */
export type RowReaders = Readonly<Record<string, (row: unknown) => unknown>>;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_ROW = 123;
const CLOSE_ROW = 125;

/**
 * How many rows of a list may be looked at in vain for where the known ones go on; then a new row is compared with the
 * next two only: the next may itself be the one that has changed.
 */
/** So far before its end a row tells best that it is another one: there are the last digits of an id or a time. */
const TELLING = 3;
const VAIN_LOOKS = 128;
const LEAST_LOOKS = 2;

/**
 * JSON.parse for documents of which each mostly repeats the one before, as the logs of a server do. A row (an object in
 * one of the named lists of the outermost object) whose text stood there before is not read again: what its reader made
 * of it then, which nobody may change, is given again. To read the same rows again and again is most of what a poll
 * costs beyond its transport. Of the rows themselves only the text is kept: their objects would double the memory.
 *
 * The result is JSON.parse's, with `ReadRows` in place of the named lists. What is not written as expected is left to
 * JSON.parse as a whole, lists included: white space between rows, another order of the lists, a name that stands twice.
 * (A name that stands a second time, written with escapes, is not noticed.)
 */
export class RepeatingJson {
  readonly #readers: RowReaders;
  #text = "";
  #lists: ReadonlyMap<string, ReadList> = new Map();

  constructor(readers: RowReaders) {
    this.#readers = readers;
  }

  /** Throws a SyntaxError where JSON.parse does. */
  parse(text: string): unknown {
    return this.#parse(text) ?? JSON.parse(text);
  }

  #parse(text: string): unknown {
    const lists = new Map<string, ReadList>();
    let rest = "";
    let from = 0;
    for (const name of Object.keys(this.#readers)) {
      const head = `"${name}":[`;
      const at = text.indexOf(head, from);
      if (at < 0) continue;
      const read = this.#list(name, text, at + head.length);
      if (read === undefined) return undefined;
      rest += text.slice(from, at + head.length);
      from = endOf(read);
      lists.set(name, read);
    }
    if (lists.size === 0) return undefined;
    const document = documentAround(lists, rest + text.slice(from));
    if (document === undefined) return undefined;
    this.#text = text;
    this.#lists = lists;
    return document;
  }

  /** From its first row to its bracket; undefined where it is not written as expected. */
  #list(name: string, text: string, from: number): ReadList | undefined {
    const before = this.#lists.get(name) ?? NOTHING_READ;
    const reader = this.#readers[name] ?? unread;
    if (text.charCodeAt(from) === CLOSE_LIST) return { ...NOTHING_READ, from };
    if (this.#isSame(before, text, from)) return { ...before, from };
    const read: OpenList = { from, starts: [0], rows: [] };
    let next = 0;
    let looks = VAIN_LOOKS;
    let unreadFrom = -1;
    for (let at = from, sign = COMMA; sign === COMMA; at += 1) {
      const found = this.#find(before, text, at, next, looks);
      let end: number;
      if (found < 0) {
        end = endOfRow(text, at);
        if (end < 0) return undefined;
        looks = Math.max(LEAST_LOOKS, looks - (before.rows.length - next));
        if (unreadFrom < 0) unreadFrom = at;
        read.starts.push(end + 1 - from);
      } else {
        if (unreadFrom >= 0 && !readAnew({ text, from: unreadFrom }, read, reader)) return undefined;
        unreadFrom = -1;
        next = this.#runEnd(before, text, at, found);
        takeRows(before, { from: found, to: next, movedBy: at - from - startOf(before.starts, found) }, read);
        end = endOf(read);
      }
      sign = text.charCodeAt(end);
      if (sign !== COMMA && sign !== CLOSE_LIST) return undefined;
      at = end;
    }
    return unreadFrom < 0 || readAnew({ text, from: unreadFrom }, read, reader) ? closed(read) : undefined;
  }

  /** Whether all of the list before stands here again, and nothing more. */
  #isSame(before: ReadList, text: string, from: number): boolean {
    const length = endOf(before) - before.from;
    return (
      length > 0 &&
      text.charCodeAt(from + length) === CLOSE_LIST &&
      text.slice(from, from + length) === this.#text.slice(before.from, before.from + length)
    );
  }

  // Called for each row or run of rows of each answer: an object for the arguments would be made as often.
  /** Which row of the list before, from `next` on, stands in the text here; -1 for none. */
  #find(before: ReadList, text: string, at: number, next: number, looks: number): number {
    const { starts, from, rows } = before;
    const last = Math.min(rows.length, next + looks);
    for (let row = next; row < last; row++) {
      const [start, end] = [startOf(starts, row), startOf(starts, row + 1) - 1];
      // Most rows end otherwise or within the brace already, and a sign costs less than two slices.
      const behind = at + end - start;
      if (text.charCodeAt(behind - 1) !== CLOSE_ROW) continue;
      if (text.charCodeAt(behind - TELLING) !== this.#text.charCodeAt(from + end - TELLING)) continue;
      // Slices copy nothing, and to compare them costs a tenth of what `startsWith` does.
      if (text.slice(at, behind) === this.#text.slice(from + start, from + end)) return row;
    }
    return -1;
  }

  /** Behind the last of the rows that stand in the text here as they stood before, the row `found` being the first. */
  #runEnd({ starts, from, rows }: ReadList, text: string, at: number, found: number): number {
    const start = startOf(starts, found);
    let to = found + 1;
    // Twice as many at a time, as long as all are the same: mostly all are that are left.
    for (let count = 1; to < rows.length; count *= 2) {
      const last = Math.min(rows.length, to + count);
      const [fromChar, toChar] = [startOf(starts, to) - 1, startOf(starts, last) - 1];
      const isSame =
        text.slice(at + fromChar - start, at + toChar - start) ===
        this.#text.slice(from + fromChar, from + toChar);
      if (!isSame) break;
      to = last;
    }
    return to;
  }
}

/** Known rows, which stand so far from where they stood. */
function takeRows(
  before: ReadList,
  { from, to, movedBy }: { readonly from: number; readonly to: number; readonly movedBy: number },
  read: OpenList,
): void {
  for (let row = from; row < to; row++) {
    read.rows.push(before.rows[row]);
    read.starts.push(startOf(before.starts, row + 1) + movedBy);
  }
}

/** As small as it can be kept: arrays that were pushed to hold half as much again. */
function closed({ from, starts, rows }: OpenList): ReadList {
  return { from, starts: new Uint32Array(starts), rows: rows.slice() };
}

function startOf(starts: ArrayLike<number>, row: number): number {
  return starts[row] ?? 0;
}

function unread(row: unknown): unknown {
  return row;
}

/** Behind its last row. */
function endOf({ from, starts }: Pick<ReadList, "from" | "starts">): number {
  return from + Math.max(0, startOf(starts, starts.length - 1) - 1);
}

/** Reads what stands between `from` and the end of the last row, in one go. */
function readAnew(
  { text, from }: { readonly text: string; readonly from: number },
  read: OpenList,
  reader: (row: unknown) => unknown,
): boolean {
  const { starts, rows } = read;
  const fresh = parsed(`[${text.slice(from, endOf(read))}]`);
  if (!Array.isArray(fresh) || fresh.length !== starts.length - 1 - rows.length) return false;
  for (const row of fresh) rows.push(reader(row));
  return true;
}

/** Behind the brace that ends the object which begins here; -1 where there is none. */
function endOfRow(text: string, from: number): number {
  if (text.charCodeAt(from) !== OPEN_ROW) return -1;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPEN_ROW) depth += 1;
    else if (sign === CLOSE_ROW && --depth === 0) return at + 1;
  }
  return -1;
}

/** The quote that ends the string which begins here; the end of the text where there is none. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) return at;
    if (sign === BACKSLASH) at += 1;
  }
  return text.length;
}

/** The document, whose lists are empty in the text; undefined where a name stands elsewhere than was thought. */
function documentAround(lists: ReadonlyMap<string, ReadList>, text: string): unknown {
  const document = parsed(text);
  if (typeof document !== "object" || document === null) return undefined;
  for (const [name, { rows }] of lists) {
    const quoted = `"${name}"`;
    if (text.indexOf(quoted) !== text.lastIndexOf(quoted) || !Object.hasOwn(document, name)) return undefined;
    Reflect.set(document, name, new ReadRows(rows));
  }
  return document;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
