/** Small whole numbers in few bytes: seven bits each, the lowest first. Pure. */

export class BytesOut {
  #bytes = new Uint8Array(256);
  #length = 0;

  /** @param value a whole number from 0 to 2^53 */
  unsigned(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#push(rest);
  }

  /** A small one is small on either side of 0. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** How many there are, and each by what it is more than the one before. */
  rising(values: readonly number[]): void {
    this.unsigned(values.length);
    let before = 0;
    for (const value of values) {
      this.unsigned(value - before);
      before = value;
    }
  }

  text(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    this.unsigned(bytes.length);
    for (const byte of bytes) this.#push(byte);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }
}

/** Reads them in the order in which they were written. */
export function bytesIn(bytes: Buffer) {
  let at = 0;
  const unsigned = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw new RangeError("a chunk of positions ends too early");
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  return {
    unsigned,
    signed(): number {
      const value = unsigned();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    text(): string {
      const length = unsigned();
      at += length;
      return bytes.toString("utf8", at - length, at);
    },
    rising(): readonly number[] {
      let before = 0;
      return Array.from({ length: unsigned() }, () => {
        before += unsigned();
        return before;
      });
    },
    /** As many as the next number says. */
    times<T>(read: () => T): readonly T[] {
      return Array.from({ length: unsigned() }, read);
    },
  };
}
