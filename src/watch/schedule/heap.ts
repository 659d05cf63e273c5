interface Slot<T> {
  readonly item: T;
  readonly key: number;
  /** Of two equal keys the one that came first goes first. */
  readonly order: number;
}

/** A binary heap of distinct items by a number, the smallest first. Each call takes O(log n), also `delete`. */
export class Heap<T> {
  readonly #slots: Slot<T>[] = [];
  readonly #places = new Map<T, number>();
  #order = 0;

  get size(): number {
    return this.#slots.length;
  }

  /** Adds an item, or moves it when it is there already. */
  set(item: T, key: number): void {
    this.delete(item);
    this.#slots.push({ item, key, order: this.#order++ });
    this.#rise(this.#slots.length - 1);
  }

  /** The item with the smallest key. */
  first(): { readonly item: T; readonly key: number } | undefined {
    return this.#slots[0];
  }

  delete(item: T): void {
    const at = this.#places.get(item);
    if (at === undefined) return;
    this.#places.delete(item);
    const last = this.#slots.pop();
    if (last === undefined || last.item === item) return;
    this.#slots[at] = last;
    this.#places.set(last.item, at);
    this.#rise(at);
    this.#sink(this.#places.get(last.item) ?? at);
  }

  #rise(from: number): void {
    const slots = this.#slots;
    const slot = slots[from];
    if (slot === undefined) return;
    let at = from;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = slots[up];
      if (parent === undefined || !isBefore(slot, parent)) break;
      slots[at] = parent;
      this.#places.set(parent.item, at);
      at = up;
    }
    slots[at] = slot;
    this.#places.set(slot.item, at);
  }

  #sink(from: number): void {
    const slots = this.#slots;
    const slot = slots[from];
    if (slot === undefined) return;
    let at = from;
    for (;;) {
      let down = 2 * at + 1;
      let child = slots[down];
      if (child === undefined) break;
      const right = slots[down + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        down += 1;
      }
      if (!isBefore(child, slot)) break;
      slots[at] = child;
      this.#places.set(child.item, at);
      at = down;
    }
    slots[at] = slot;
    this.#places.set(slot.item, at);
  }
}

function isBefore(a: Slot<unknown>, b: Slot<unknown>): boolean {
  return a.key < b.key || (a.key === b.key && a.order < b.order);
}
