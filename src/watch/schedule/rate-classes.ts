import { Heap } from "./heap.ts";

/** Ratio from one class to the next. Rates in one class differ by less, which costs hardly any delay. */
const CLASS_STEP = 2 ** 0.25;

/** An item that is put into a class by its expected rate. */
export interface Rated {
  /** Weighed entries a second; more than zero. */
  readonly perS: number;
  /** When it was asked last, monotonic milliseconds. */
  readonly polledAtMs: number;
}

/** Items in classes of rate, each a queue by age, so that a choice compares only the heads of a few dozen classes. */
export class RateClasses<T extends Rated> {
  readonly #classes = new Map<number, Heap<T>>();
  /** The queue of each item, because its rate may have changed since it was put in. */
  readonly #standing = new Map<T, Heap<T>>();

  get size(): number {
    return this.#standing.size;
  }

  add(item: T): void {
    const number = Math.round(Math.log(item.perS) / Math.log(CLASS_STEP));
    let queue = this.#classes.get(number);
    if (queue === undefined) {
      queue = new Heap();
      this.#classes.set(number, queue);
    }
    queue.set(item, item.polledAtMs);
    this.#standing.set(item, queue);
  }

  delete(item: T): void {
    this.#standing.get(item)?.delete(item);
    this.#standing.delete(item);
  }

  /** The head with the greatest score; undefined when there are no items. */
  best(score: (item: T) => number): { readonly item: T; readonly score: number } | undefined {
    let best: { readonly item: T; readonly score: number } | undefined;
    for (const queue of this.#classes.values()) {
      const head = queue.first()?.item;
      if (head === undefined) continue;
      const its = score(head);
      if (best === undefined || its > best.score) best = { item: head, score: its };
    }
    return best;
  }
}
