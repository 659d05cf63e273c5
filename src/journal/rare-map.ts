/**
 * A map that nearly always has no entry or one, of which there are tens of thousands: these two take a quarter of what a
 * `Map` takes.
 */
export class RareMap<K, V> {
  #only: readonly [key: K, value: V] | undefined;
  /** From the second entry on all of them, until they are gone. */
  #many: Map<K, V> | undefined;

  get size(): number {
    return this.#many?.size ?? (this.#only === undefined ? 0 : 1);
  }

  get(key: K): V | undefined {
    if (this.#many !== undefined) return this.#many.get(key);
    return this.#only?.[0] === key ? this.#only[1] : undefined;
  }

  has(key: K): boolean {
    return this.#many?.has(key) ?? (this.#only !== undefined && this.#only[0] === key);
  }

  set(key: K, value: V): void {
    if (this.#many === undefined && (this.#only === undefined || this.#only[0] === key)) {
      this.#only = [key, value];
      return;
    }
    this.#many ??= new Map(this.#only === undefined ? [] : [this.#only]);
    this.#only = undefined;
    this.#many.set(key, value);
  }

  delete(key: K): void {
    if (this.#only?.[0] === key) this.#only = undefined;
    this.#many?.delete(key);
    if (this.#many?.size === 0) this.#many = undefined;
  }

  values(): Iterable<V> {
    if (this.#many !== undefined) return this.#many.values();
    return this.#only === undefined ? [] : [this.#only[1]];
  }
}
