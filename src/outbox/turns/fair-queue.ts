/** Things that wait: groups in turn, those of one group in the order in which they came. */
export class FairQueue<T> {
  /** In the order of their turns. */
  readonly #groups = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(group: string, item: T): void {
    const items = this.#groups.get(group) ?? new Set<T>();
    items.add(item);
    this.#groups.set(group, items);
    this.#size += 1;
  }

  /** It does not wait any more. Its group keeps its place. */
  remove(group: string, item: T): void {
    const items = this.#groups.get(group);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) this.#groups.delete(group);
  }

  /** The first that may go; of one group those that are not minor before the others. */
  find(mayGo: (item: T) => boolean, isMinor: (item: T) => boolean): T | undefined {
    for (const items of this.#groups.values()) {
      let minor: T | undefined;
      for (const item of items) {
        if (minor !== undefined && isMinor(item)) continue;
        if (!mayGo(item)) continue;
        if (!isMinor(item)) return item;
        minor = item;
      }
      if (minor !== undefined) return minor;
    }
    return undefined;
  }

  /** It had its turn: its group goes to the end. */
  onTurn(group: string, item: T): void {
    this.remove(group, item);
    const items = this.#groups.get(group);
    if (items === undefined) return;
    this.#groups.delete(group);
    this.#groups.set(group, items);
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const items of this.#groups.values()) yield* items;
  }
}
