import { Heap } from "./heap.ts";

/** What takes turns: its guild's, so that a guild with many gets no more of them. */
export interface Turn {
  readonly guild: object;
}

/**
 * Items that become due, served in turn over their guilds and within one guild in the order in which they became due.
 * Neither waiting nor due ones are scanned.
 */
export class Turns<T extends Turn> {
  readonly #waiting = new Heap<T>();
  /** Guilds with due items, the next one first. */
  readonly #due = new Map<object, Set<T>>();

  /** `key`: the item becomes due once `first` is asked with that key or a greater one. */
  set(item: T, key: number): void {
    this.delete(item);
    this.#waiting.set(item, key);
  }

  /** The item whose turn it is among those due up to `key`, of a guild that may have it. It stays until it is deleted. */
  first(key: number, mayHave: (guild: object) => boolean = () => true): T | undefined {
    for (let next = this.#waiting.first(); next !== undefined && next.key <= key; ) {
      const { item } = next;
      this.#waiting.delete(item);
      this.#due.set(item.guild, (this.#due.get(item.guild) ?? new Set()).add(item));
      next = this.#waiting.first();
    }
    for (const [guild, items] of this.#due) {
      if (!mayHave(guild)) continue;
      const [item] = items;
      return item;
    }
    return undefined;
  }

  /** Its guild's next turn comes after everybody else's. */
  delete(item: T): void {
    this.#waiting.delete(item);
    const items = this.#due.get(item.guild);
    if (items === undefined || !items.delete(item)) return;
    this.#due.delete(item.guild);
    if (items.size > 0) this.#due.set(item.guild, items);
  }
}
