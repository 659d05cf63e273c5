import type { Rows, RowsChange } from "../../src/domain/ports/documents.ts";

/** Rows in memory, as JSON like the real ones. */
export class MemoryRows<T> implements Rows<T> {
  readonly #parse: (value: unknown) => T;
  readonly #texts: Map<string, string>;
  /** Rows that were written. */
  writes = 0;

  /** `texts` outlives this object when a test restarts the process: by list and number, with a space between. */
  constructor(parse: (value: unknown) => T, texts = new Map<string, string>()) {
    this.#parse = parse;
    this.#texts = texts;
  }

  async read(list: string, from: number, limit: number): Promise<readonly (readonly [number, T])[]> {
    const numbers = this.#numbers(list).filter((seq) => seq >= from);
    return numbers.slice(0, limit).map((seq) => [seq, this.#row(list, seq)] as const);
  }

  async *entries(): AsyncIterable<readonly [list: string, seq: number, row: T]> {
    const lists = new Set([...this.#texts.keys()].map((key) => key.slice(0, key.lastIndexOf(" "))));
    for (const list of lists) for (const seq of this.#numbers(list)) yield [list, seq, this.#row(list, seq)];
  }

  apply(change: RowsChange): void {
    const { list } = change;
    const isBelow = "below" in change;
    for (const seq of this.#numbers(list))
      if (isBelow ? seq < change.below : seq >= change.from) this.#texts.delete(`${list} ${seq}`);
    if (isBelow) return;
    this.writes += 1;
    this.#texts.set(`${list} ${change.seq}`, JSON.stringify(change.row));
  }

  #numbers(list: string): readonly number[] {
    const start = `${list} `;
    const numbers: number[] = [];
    for (const key of this.#texts.keys())
      if (key.startsWith(start)) numbers.push(Number(key.slice(start.length)));
    return numbers.sort((a, b) => a - b);
  }

  #row(list: string, seq: number): T {
    return this.#parse(JSON.parse(this.#texts.get(`${list} ${seq}`) ?? "null"));
  }
}
