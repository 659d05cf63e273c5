import { Buffer } from "node:buffer";
import type { Retained } from "./diff.ts";

/** 53 bits, rounded up to bytes. */
const hashBytes = 7;
const byteValues = 256;
const varintValues = 128;

/** What is stored: the columns of `Retained` in one text. */
export interface StoredRetained {
  readonly floorS?: number | undefined;
  readonly longest: number;
  readonly calm: number;
  /** Base64 of, for each row: seconds since the row before, the hash in 7 bytes, the count; varints, low bits first. */
  readonly rows: string;
}

/**
 * `Retained` as it is kept between polls, in memory and in the store: about 12 bytes an identity. As columns of
 * numbers it would be 24 bytes in memory and 36 in the store, and a busy server's four logs alone would pass what
 * all of its feeds may cost (design 9, footprint). Seconds and counts are whole numbers, not negative.
 */
export class PackedRetained implements StoredRetained {
  readonly floorS?: number;
  readonly longest: number;
  readonly calm: number;
  readonly rows: string;

  /** Throws a RangeError where `rows` is not what `pack` writes. */
  constructor({ floorS, longest, calm, rows }: StoredRetained) {
    if (floorS !== undefined) this.floorS = floorS;
    this.longest = longest;
    this.calm = calm;
    this.rows = rows;
  }

  static of({ floorS, longest, calm, seconds, hashes, counts }: Retained): PackedRetained {
    const bytes: number[] = [];
    let beforeS = 0;
    for (const [index, atS] of seconds.entries()) {
      putVarint(bytes, atS - beforeS);
      let hash = hashes[index] ?? 0;
      for (let put = 0; put < hashBytes; put++) {
        bytes.push(hash % byteValues);
        hash = Math.floor(hash / byteValues);
      }
      putVarint(bytes, counts[index] ?? 0);
      beforeS = atS;
    }
    return new PackedRetained({ floorS, longest, calm, rows: Buffer.from(bytes).toString("base64") });
  }

  /** Of every row, oldest first; for a single look. */
  get seconds(): readonly number[] {
    return this.unpacked().seconds;
  }

  unpacked(): Retained {
    const bytes = Buffer.from(this.rows, "base64");
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
    const { longest, calm, floorS } = this;
    return { longest, calm, seconds, hashes, counts, ...(floorS === undefined ? {} : { floorS }) };
  }
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

function next(reader: Reader): number {
  const byte = reader.bytes[reader.at++];
  if (byte === undefined) throw new RangeError("the retained rows of a journal end in the middle of one");
  return byte;
}

function varint(reader: Reader): number {
  let value = 0;
  // Multiplied, not shifted: a first second has more than 31 bits from 2038 on.
  for (let scale = 1; ; scale *= varintValues) {
    const byte = next(reader);
    value += (byte % varintValues) * scale;
    if (byte < varintValues) return value;
  }
}

function putVarint(bytes: number[], value: number): void {
  let left = value;
  for (; left >= varintValues; left = Math.floor(left / varintValues))
    bytes.push((left % varintValues) + varintValues);
  bytes.push(left);
}

function hash53(reader: Reader): number {
  let value = 0;
  for (let read = 0, scale = 1; read < hashBytes; read++, scale *= byteValues) value += next(reader) * scale;
  return value;
}
