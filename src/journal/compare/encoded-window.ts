import { Buffer } from "node:buffer";
import type { Retained } from "./retained.ts";

/** 53 bits, rounded up to bytes. */
const HASH_BYTES = 7;
const LOW_VALUES = 2 ** 32;
/** A varint of the largest whole number has 8 bytes. */
const MOST_ROW_BYTES = 8 + HASH_BYTES + 8;
const VARINT_VALUES = 128;
const LEAST_ROW_BYTES = 1 + HASH_BYTES + 1;

/** What is stored: the columns of `Retained` in one text. */
export interface StoredRetained {
  readonly floorS?: number | undefined;
  readonly longest: number;
  readonly calm: number;
  readonly reachedS?: number | undefined;
  /** Base64 of, for each row: seconds since the row before, the hash in 7 bytes, the count; varints, low bits first. */
  readonly rows: string;
}

/**
 * `Retained` as it is kept between polls: about 9 bytes an identity in memory and 12 in the store. As columns of
 * numbers it would be 24 bytes in memory and 36 in the store, and a busy server's four logs alone would pass the
 * 40 KB that all of its feeds may cost. Seconds and counts are whole numbers, not negative.
 */
export class PackedRetained {
  readonly floorS?: number;
  readonly longest: number;
  readonly calm: number;
  readonly reachedS?: number;
  /** The bytes that are stored as base64, each a character below 256: V8 keeps such a text in one byte a character. */
  readonly bytes: string;

  private constructor({ floorS, longest, calm, reachedS }: Omit<StoredRetained, "rows">, bytes: Buffer) {
    if (floorS !== undefined) this.floorS = floorS;
    if (reachedS !== undefined) this.reachedS = reachedS;
    this.longest = longest;
    this.calm = calm;
    this.bytes = bytes.toString("latin1");
  }

  /** Throws a RangeError where `rows` ends in the middle of one. */
  static stored({ rows, ...rest }: StoredRetained): PackedRetained {
    const packed = new PackedRetained(rest, Buffer.from(rows, "base64"));
    packed.unpacked();
    return packed;
  }

  static of({ floorS, longest, calm, reachedS, seconds, hashes, counts }: Retained): PackedRetained {
    const bytes = Buffer.allocUnsafe(seconds.length * MOST_ROW_BYTES);
    let end = 0;
    let beforeS = 0;
    for (let index = 0; index < seconds.length; index++) {
      const atS = seconds[index] ?? 0;
      end = putVarint(bytes, end, atS - beforeS);
      end = putHash(bytes, end, hashes[index] ?? 0);
      end = putVarint(bytes, end, counts[index] ?? 0);
      beforeS = atS;
    }
    return new PackedRetained({ floorS, longest, calm, reachedS }, bytes.subarray(0, end));
  }

  /** About how many rows there are. */
  get size(): number {
    return this.bytes.length / LEAST_ROW_BYTES;
  }

  /** What is stored: the store writes JSON. */
  toJSON(): StoredRetained {
    const { bytes, ...rest } = this;
    return { ...rest, rows: Buffer.from(bytes, "latin1").toString("base64") };
  }

  /** Of every row, oldest first; for a single look. */
  get seconds(): readonly number[] {
    return this.unpacked().seconds;
  }

  unpacked(): Retained {
    const { bytes } = this;
    const seconds: number[] = [];
    const hashes: number[] = [];
    const counts: number[] = [];
    const reader = new RowReader(bytes);
    while (reader.next()) {
      seconds.push(reader.atS);
      hashes.push(reader.hash);
      counts.push(reader.count);
    }
    const { longest, calm, floorS, reachedS } = this;
    return {
      longest,
      calm,
      seconds,
      hashes,
      counts,
      ...(floorS === undefined ? {} : { floorS }),
      ...(reachedS === undefined ? {} : { reachedS }),
    };
  }
}

/** Goes through packed rows, oldest first. */
class RowReader {
  readonly #bytes: string;
  #at = 0;
  atS = 0;
  hash = 0;
  count = 0;

  constructor(bytes: string) {
    this.#bytes = bytes;
  }

  /** Goes on to the next row; false behind the last. Throws a RangeError where the bytes end in the middle of one. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    this.atS += this.#varint();
    this.hash = this.#hash();
    this.count = this.#varint();
    return true;
  }

  #hash(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + HASH_BYTES;
    if (this.#at > bytes.length) throw cutOff();
    // Bits as far as they go: numbers above 32 bits cost several times that.
    const low =
      bytes.charCodeAt(at) |
      (bytes.charCodeAt(at + 1) << 8) |
      (bytes.charCodeAt(at + 2) << 16) |
      (bytes.charCodeAt(at + 3) << 24);
    const high =
      bytes.charCodeAt(at + 4) | (bytes.charCodeAt(at + 5) << 8) | (bytes.charCodeAt(at + 6) << 16);
    return high * LOW_VALUES + (low >>> 0);
  }

  #varint(): number {
    const bytes = this.#bytes;
    let value = 0;
    // Multiplied, not shifted: a first second has more than 31 bits from 2038 on.
    for (let scale = 1; this.#at < bytes.length; scale *= VARINT_VALUES) {
      const byte = bytes.charCodeAt(this.#at++);
      if (byte < VARINT_VALUES) return value + byte * scale;
      value += (byte - VARINT_VALUES) * scale;
    }
    throw cutOff();
  }
}

function cutOff(): RangeError {
  return new RangeError("the retained rows of a journal end in the middle of one");
}

function putVarint(bytes: Buffer, from: number, value: number): number {
  let at = from;
  let left = value;
  for (; left >= VARINT_VALUES; left = Math.floor(left / VARINT_VALUES))
    bytes[at++] = (left % VARINT_VALUES) + VARINT_VALUES;
  bytes[at++] = left;
  return at;
}

function putHash(bytes: Buffer, from: number, hash: number): number {
  const low = hash >>> 0;
  const at = bytes.writeUInt32LE(low, from);
  return bytes.writeUIntLE((hash - low) / LOW_VALUES, at, 3);
}
