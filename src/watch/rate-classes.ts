import { Heap } from "./heap.ts";

/** One class to the next: rates of one class differ by less, which costs next to nothing against comparing each. */
const CLASS_STEP = 2 ** 0.25;

/** What is put into a class by how much it is expected to bring. */
export interface Rated {
  /** Weighed entries a second; more than zero. */
  readonly perS: number;
  /** When it was asked last, monotonic milliseconds. */
  readonly polledAtMs: number;
}

/** Items in classes of rate, each a queue by age: only the heads of a few dozen classes are compared for a choice. */
export class RateClasses<T extends Rated> {
  readonly #classes = new Map<number, Heap<T>>();
  /** Where each stands: its rate may have changed since it was put in. */
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

  /** The head with the greatest score. */
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
