import type { Rows, RowsChange } from "../../src/domain/ports/documents.ts";

/**
 * The texts of rows, by list and number with a space between. Knows the numbers of each list: thousands of rows are read
 * list by list.
 */
export class RowTexts extends Map<string, string> {
  readonly #numbers = new Map<string, Set<number>>();

  constructor(texts: Iterable<readonly [string, string]> = []) {
    super();
    for (const [key, text] of texts) this.set(key, text);
  }

  get lists(): readonly string[] {
    return [...this.#numbers.keys()];
  }

  /** In order. */
  numbersOf(list: string): readonly number[] {
    return [...(this.#numbers.get(list) ?? [])].sort((a, b) => a - b);
  }

  override set(key: string, text: string): this {
    const [list, number] = partsOf(key);
    const numbers = this.#numbers.get(list) ?? new Set();
    this.#numbers.set(list, numbers.add(number));
    return super.set(key, text);
  }

  override delete(key: string): boolean {
    const [list, number] = partsOf(key);
    const numbers = this.#numbers.get(list);
    numbers?.delete(number);
    if (numbers?.size === 0) this.#numbers.delete(list);
    return super.delete(key);
  }

  override clear(): void {
    this.#numbers.clear();
    super.clear();
  }
}

function partsOf(key: string): readonly [list: string, number: number] {
  const at = key.lastIndexOf(" ");
  return [key.slice(0, at), Number(key.slice(at + 1))];
}

/** Rows in memory, as JSON like the real ones. */
export class MemoryRows<T> implements Rows<T> {
  readonly #parse: (value: unknown) => T;
  readonly #texts: RowTexts;
  /** Rows that were written. */
  writes = 0;

  /** `texts` outlives this object when a test restarts the process. */
  constructor(parse: (value: unknown) => T, texts = new RowTexts()) {
    this.#parse = parse;
    this.#texts = texts;
  }

  async read(list: string, from: number, limit: number): Promise<readonly (readonly [number, T])[]> {
    const numbers = this.#texts.numbersOf(list).filter((seq) => seq >= from);
    return numbers.slice(0, limit).map((seq) => [seq, this.#row(list, seq)] as const);
  }

  async *entries(): AsyncIterable<readonly [list: string, seq: number, row: T]> {
    for (const list of this.#texts.lists)
      for (const seq of this.#texts.numbersOf(list)) yield [list, seq, this.#row(list, seq)];
  }

  apply(change: RowsChange): void {
    const { list } = change;
    const isBelow = "below" in change;
    for (const seq of this.#texts.numbersOf(list))
      if (isBelow ? seq < change.below : seq >= change.from) this.#texts.delete(`${list} ${seq}`);
    if (isBelow) return;
    this.writes += 1;
    this.#texts.set(`${list} ${change.seq}`, JSON.stringify(change.row));
  }

  #row(list: string, seq: number): T {
    return this.#parse(JSON.parse(this.#texts.get(`${list} ${seq}`) ?? "null"));
  }
}
