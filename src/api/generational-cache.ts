/**
 * Values by key, each forgotten once nobody has asked for it for a while: after one to two times `forMs`, or when up to
 * twice as many others as `most` were asked for since. There are two generations, so that nothing has to be sorted or
 * swept. Pure: time comes in by arguments.
 */
export class GenerationalCache<K, V> {
  readonly #forMs: number;
  readonly #most: number;
  readonly #make: () => V;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #bornMs = Number.NEGATIVE_INFINITY;

  constructor({ forMs, most }: { readonly forMs: number; readonly most: number }, make: () => V) {
    this.#forMs = forMs;
    this.#most = most;
    this.#make = make;
  }

  /** The value of this key, a new one when there is none (any more). */
  of(key: K, nowMs: number): V {
    if (nowMs - this.#bornMs >= this.#forMs || (this.#young.size >= this.#most && !this.#young.has(key))) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bornMs = nowMs;
    }
    let value = this.#young.get(key);
    if (value === undefined) {
      value = this.#old.get(key) ?? this.#make();
      this.#young.set(key, value);
    }
    return value;
  }

  /** Forgets this key. */
  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
