import type { DatabaseSync, StatementSync } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** What fills a page of the file to its end, but for what sqlite adds: a text of this size is written over in its place. */
const PAGE_BYTES = 4_048;
/** Of each page: the number of the text, which part of it this is, and how many bytes of it stand here. */
const HEAD_BYTES = 16;
const PART_BYTES = PAGE_BYTES - HEAD_BYTES;
/** Texts up to this number have their places: what stands in pages under it counts no more. */
const MARK_SLOT = 0;
/** New pages are made several at once: each time sqlite writes two pages more, which say where they are. */
const LEAST_GROWTH = 8;
const MOST_GROWTH = 256;
/** Quick, and a quarter of the size: texts of records repeat the names of their fields. */
const PACKED = { level: 1 } as const;

export function createPendingPages(database: DatabaseSync): void {
  database.exec(
    "CREATE TABLE IF NOT EXISTS pending_pages (slot INTEGER PRIMARY KEY, page BLOB NOT NULL) STRICT",
  );
}

/** A text that stands in the table once its transaction is committed. */
export interface WrittenText {
  readonly number: number;
  readonly slots: readonly number[];
  /** The pages that are free beside it. */
  readonly free: number[];
}

/**
 * Texts that wait, each in pages of its own, which are used again and again: a page costs one write of its size, and a table
 * whose rows come and go two to three more. Every method throws sqlite's error and belongs into a transaction, but for
 * `keep` and `release`, which are called once that is committed.
 */
export class PendingPages {
  readonly #insert: StatementSync;
  readonly #overwrite: StatementSync;
  #free: number[] = [];
  #held: WrittenText[] = [];
  #pages = 0;
  #lastNumber = 0;

  /** The table is empty. */
  constructor(database: DatabaseSync) {
    this.#insert = database.prepare("INSERT OR REPLACE INTO pending_pages (slot, page) VALUES (?, ?)");
    this.#overwrite = database.prepare("UPDATE pending_pages SET page = ? WHERE slot = ?");
  }

  write(text: string): WrittenText {
    const bytes = deflateRawSync(text, PACKED);
    const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
    const free = [...this.#grown(parts - this.#free.length), ...this.#free];
    const slots = free.splice(-parts);
    const number = this.#lastNumber + 1;
    for (const [part, slot] of slots.entries()) {
      const some = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      this.#overwrite.run(pageOf(number, part, some), slot);
    }
    return { number, slots, free };
  }

  keep(written: WrittenText): void {
    this.#free = written.free;
    this.#lastNumber = written.number;
    this.#held.push(written);
    this.#pages = Math.max(this.#pages, ...written.slots, ...written.free.slice(0, 1));
  }

  /** Texts up to this number have their places. */
  drop(untilNumber: number): void {
    this.#insert.run(MARK_SLOT, pageOf(untilNumber, 0, Buffer.alloc(0)));
  }

  release(untilNumber: number): void {
    this.#free.push(
      ...this.#held.filter(({ number }) => number <= untilNumber).flatMap(({ slots }) => slots),
    );
    this.#held = this.#held.filter(({ number }) => number > untilNumber);
  }

  /** Makes pages where so many are missing; the newest of them first. */
  #grown(missing: number): readonly number[] {
    if (missing <= 0) return [];
    const growth = Math.max(missing, LEAST_GROWTH, Math.min(this.#pages, MOST_GROWTH));
    const slots = Array.from({ length: growth }, (_, at) => this.#pages + growth - at);
    for (const slot of slots.toReversed()) this.#insert.run(slot, pageOf(0, 0, Buffer.alloc(0)));
    return slots;
  }
}

/** The texts that a process which ended anyhow has left, in the order of writing. Throws sqlite's error. */
export function textsLeft(database: DatabaseSync): readonly string[] {
  const pages = database.prepare("SELECT slot, page FROM pending_pages").all().map(partOf);
  const dropped = pages.find(({ slot }) => slot === MARK_SLOT)?.number ?? 0;
  const left = pages.filter(({ slot, number }) => slot !== MARK_SLOT && number > dropped);
  const texts = [...Map.groupBy(left, ({ number }) => number)].sort(([one], [other]) => one - other);
  return texts.map(([, parts]) => {
    const inOrder = parts.sort((one, other) => one.part - other.part).map(({ bytes }) => bytes);
    return inflateRawSync(Buffer.concat(inOrder)).toString();
  });
}

/** No text waits any more. */
export function dropPages(database: DatabaseSync): void {
  database.exec("DELETE FROM pending_pages");
}

function pageOf(number: number, part: number, bytes: Uint8Array): Uint8Array {
  const page = Buffer.alloc(PAGE_BYTES);
  page.writeDoubleLE(number, 0);
  page.writeUInt32LE(part, 8);
  page.writeUInt32LE(bytes.length, 12);
  page.set(bytes, HEAD_BYTES);
  return page;
}

function partOf(row: Readonly<Record<string, unknown>>) {
  const page = Buffer.from(row.page as Uint8Array);
  const bytes = page.subarray(HEAD_BYTES, HEAD_BYTES + page.readUInt32LE(12));
  return { slot: Number(row.slot), number: page.readDoubleLE(0), part: page.readUInt32LE(8), bytes };
}
