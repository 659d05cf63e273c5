import { Heap } from "./heap.ts";

/** An item that is served in the turn of its guild, so that a guild with many items gets no more turns. */
export interface Rotating {
  readonly guild: object;
}

/**
 * Serves due items in turn over their guilds, and within one guild in the order in which they became due. Neither
 * waiting nor due items are scanned.
 */
export class GuildRotation<T extends Rotating> {
  readonly #waiting = new Heap<T>();
  /** Guilds with due items, the next one first. */
  readonly #due = new Map<T["guild"], Set<T>>();

  /** Adds an item that becomes due once `first` is called with `key` or a greater one. */
  set(item: T, key: number): void {
    this.delete(item);
    this.#waiting.set(item, key);
  }

  /** The next item that is due at `key`, of a guild that `mayHave` admits. It stays until it is deleted. */
  first(key: number, mayHave: (guild: T["guild"]) => boolean = () => true): T | undefined {
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

  /** Removes an item and, if it was due, moves its guild behind the others. */
  delete(item: T): void {
    this.#waiting.delete(item);
    const items = this.#due.get(item.guild);
    if (items === undefined || !items.delete(item)) return;
    this.#due.delete(item.guild);
    if (items.size > 0) this.#due.set(item.guild, items);
  }
}
