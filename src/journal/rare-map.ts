/** A map that is nearly always empty, of which there are tens of thousands: an empty one takes a tenth of a Map. */
export class RareMap<K, V> {
  #entries: Map<K, V> | undefined;

  get(key: K): V | undefined {
    return this.#entries?.get(key);
  }

  has(key: K): boolean {
    return this.#entries?.has(key) === true;
  }

  set(key: K, value: V): void {
    this.#entries ??= new Map();
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    this.#entries?.delete(key);
    if (this.#entries?.size === 0) this.#entries = undefined;
  }
}
