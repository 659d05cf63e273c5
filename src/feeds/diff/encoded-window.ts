import { Buffer } from "node:buffer";
import type { Retained } from "./retained.ts";

/** 53 bits, rounded up to bytes. */
const HASH_BYTES = 7;
const BYTE_VALUES = 256;
const VARINT_VALUES = 128;

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

  private constructor({ floorS, longest, calm, reachedS }: Omit<StoredRetained, "rows">, bytes: Uint8Array) {
    if (floorS !== undefined) this.floorS = floorS;
    if (reachedS !== undefined) this.reachedS = reachedS;
    this.longest = longest;
    this.calm = calm;
    this.bytes = Buffer.from(bytes).toString("latin1");
  }

  /** Throws a RangeError where `rows` ends in the middle of one. */
  static stored({ rows, ...rest }: StoredRetained): PackedRetained {
    const packed = new PackedRetained(rest, Buffer.from(rows, "base64"));
    packed.unpacked();
    return packed;
  }

  static of({ floorS, longest, calm, reachedS, seconds, hashes, counts }: Retained): PackedRetained {
    const bytes: number[] = [];
    let beforeS = 0;
    for (const [index, atS] of seconds.entries()) {
      putVarint(bytes, atS - beforeS);
      let hash = hashes[index] ?? 0;
      for (let put = 0; put < HASH_BYTES; put++) {
        bytes.push(hash % BYTE_VALUES);
        hash = Math.floor(hash / BYTE_VALUES);
      }
      putVarint(bytes, counts[index] ?? 0);
      beforeS = atS;
    }
    return new PackedRetained({ floorS, longest, calm, reachedS }, Uint8Array.from(bytes));
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
    const reader = { bytes, at: 0 };
    for (let atS = 0; reader.at < bytes.length; ) {
      atS += varint(reader);
      seconds.push(atS);
      hashes.push(hash53(reader));
      counts.push(varint(reader));
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

interface Reader {
  readonly bytes: string;
  at: number;
}

function next(reader: Reader): number {
  if (reader.at >= reader.bytes.length) {
    throw new RangeError("the retained rows of a journal end in the middle of one");
  }
  return reader.bytes.charCodeAt(reader.at++);
}

function varint(reader: Reader): number {
  let value = 0;
  // Multiplied, not shifted: a first second has more than 31 bits from 2038 on.
  for (let scale = 1; ; scale *= VARINT_VALUES) {
    const byte = next(reader);
    value += (byte % VARINT_VALUES) * scale;
    if (byte < VARINT_VALUES) return value;
  }
}

function putVarint(bytes: number[], value: number): void {
  let left = value;
  for (; left >= VARINT_VALUES; left = Math.floor(left / VARINT_VALUES))
    bytes.push((left % VARINT_VALUES) + VARINT_VALUES);
  bytes.push(left);
}

function hash53(reader: Reader): number {
  let value = 0;
  for (let read = 0, scale = 1; read < HASH_BYTES; read++, scale *= BYTE_VALUES)
    value += next(reader) * scale;
  return value;
}
