/** A job as p-queue hands it to its queue class. */
type Run = () => Promise<unknown>;

interface Place {
  readonly id: string;
  readonly priority: number;
  readonly run: Run;
}

interface EnqueueOptions {
  readonly id?: string | undefined;
  readonly priority?: number | undefined;
}

/**
 * The waiting jobs of a p-queue in the order in which it will start them: the greater priority first, and within one
 * first come first served. p-queue's own class keeps the same order but does not expose it.
 */
export class LaneOrder {
  #places: Place[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** The ids of the waiting jobs, the next one first. */
  get ids(): readonly string[] {
    return this.#places.map(({ id }) => id);
  }

  enqueue(run: Run, { id = "", priority = 0 }: EnqueueOptions = {}): void {
    const behind = this.#places.findIndex((other) => other.priority < priority);
    this.#places.splice(behind === -1 ? this.#places.length : behind, 0, { id, priority, run });
  }

  dequeue(): Run | undefined {
    return this.#places.shift()?.run;
  }

  remove(id: string): void {
    this.#places = this.#places.filter((place) => place.id !== id);
  }

  filter({ priority }: EnqueueOptions): Run[] {
    return this.#places.filter((place) => place.priority === priority).map(({ run }) => run);
  }

  setPriority(id: string, priority: number): void {
    const place = this.#places.find((one) => one.id === id);
    if (place === undefined) throw new ReferenceError(`nothing with the id "${id}" waits`);
    // Putting it in again would move it behind jobs of the same priority.
    if (place.priority === priority) return;
    this.remove(id);
    this.enqueue(place.run, { id, priority });
  }
}
