import type { Prng } from "./prng.ts";

interface Kept {
  readonly path: string;
  readonly body: string;
}

/** Bodies that were served before, so that an old one can be served again. */
export class ServedSnapshots {
  readonly #keep: number;
  readonly #byKey = new Map<string, Kept[]>();

  /** Keeps the newest `keep` of each key; 0 keeps none. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** Keeps what was just served. */
  add(key: string, path: string, body: string): void {
    if (this.#keep === 0) return;
    const kept = this.#byKey.get(key) ?? [];
    kept.push({ path, body });
    if (kept.length > this.#keep) kept.shift();
    this.#byKey.set(key, kept);
  }

  /** One of the bodies that were served for the same path, if any. */
  older(key: string, path: string, random: Prng): string | undefined {
    const same = (this.#byKey.get(key) ?? []).filter((kept) => kept.path === path);
    return same.length > 0 ? random.pick(same).body : undefined;
  }
}
