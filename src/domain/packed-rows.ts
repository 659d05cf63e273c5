import { deflateRawSync, inflateRawSync } from "node:zlib";

const QUICKLY = { level: 1, memLevel: 5, windowBits: 12, chunkSize: 4_096 } as const;

/** Rows that nobody has asked for lately: they take a tenth of the memory, and are made anew for who asks. */
export class PackedRows<T extends object> {
  readonly atMs: number;
  readonly #bytes: string;
  /** Who asks may ask many times in a moment. */
  #made: WeakRef<T> | undefined;

  private constructor(atMs: number, bytes: string) {
    this.atMs = atMs;
    this.#bytes = bytes;
  }

  static of<T extends object>({ atMs, value }: { readonly atMs: number; readonly value: T }): PackedRows<T> {
    return new PackedRows(atMs, deflateRawSync(JSON.stringify(value), QUICKLY).toString("latin1"));
  }

  /** Rows of answers are plain: what was packed comes back equal. */
  get value(): T {
    const made = this.#made?.deref();
    if (made !== undefined) return made;
    const rows: T = JSON.parse(inflateRawSync(Buffer.from(this.#bytes, "latin1")).toString());
    this.#made = new WeakRef(rows);
    return rows;
  }

  /** The same rows at another time. */
  at(atMs: number): PackedRows<T> {
    return new PackedRows(atMs, this.#bytes);
  }
}
