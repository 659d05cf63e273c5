/** More are not kept: what was posted between the last write that lasted and the end is a few lines. */
const MOST_STANDING = 2_000;

/**
 * Keys of entries that stand in a channel though the record does not know of them, as a multiset: two equal entries
 * are two. Each pending entry that is found here is left out, once.
 */
export class KeyMultiset {
  readonly #counts = new Map<string, number>();

  constructor(keys: readonly string[] = []) {
    this.add(keys);
  }

  /** In no particular order, at most the newest few thousand. */
  get keys(): readonly string[] {
    const all = [...this.#counts].flatMap(([key, count]) => new Array<string>(count).fill(key));
    return all.slice(-MOST_STANDING);
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Takes one of these keys out and returns it; undefined where none of them stands. */
  take(alternatives: readonly string[]): string | undefined {
    const found = alternatives.find((key) => this.#counts.has(key));
    if (found === undefined) return undefined;
    const left = (this.#counts.get(found) ?? 0) - 1;
    if (left > 0) this.#counts.set(found, left);
    else this.#counts.delete(found);
    return found;
  }

  /** Takes out those of the keys that stand; returns those that do not. */
  takeAll(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => this.take([key]) === undefined);
  }
}
