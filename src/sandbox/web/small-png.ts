import { crc32, deflateSync, inflateSync } from "node:zlib";

/**
 * Makes a screenshot small: at most 256 colours instead of millions. A page of few colours has thousands at the edges
 * of its letters, and nobody sees which of two neighbouring greys an edge has.
 */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** `0xRRGGBB`, row by row. */
  readonly colours: Uint32Array;
}

/** The same picture with a palette. @throws Error for a PNG that is not 8 bits RGB or RGBA without interlacing */
export function smallPng(png: Uint8Array): Buffer {
  const { width, height, colours } = decode(Buffer.from(png));
  const { palette, indexOf } = paletteOf(colours);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = indexOf(colours[y * width + x] ?? 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

/** The most frequent colours; every other one becomes the nearest of them. */
function paletteOf(colours: Uint32Array): {
  readonly palette: readonly number[];
  indexOf(colour: number): number;
} {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([a, timesA], [b, timesB]) => timesB - timesA || a - b)
    .slice(0, MOST_COLOURS)
    .map(([colour]) => colour);
  const known = new Map(palette.map((colour, index) => [colour, index]));
  const indexOf = (colour: number): number => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    const index = nearest(colour, palette);
    known.set(colour, index);
    return index;
  };
  return { palette, indexOf };
}

function nearest(colour: number, palette: readonly number[]): number {
  const part = (of: number, shift: number) => (of >> shift) & 255;
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (part(colour, shift) - part(other, shift)) ** 2, 0);
  let best = 0;
  for (const [index, other] of palette.entries())
    if (distance(other) < distance(palette[best] ?? 0)) best = index;
  return best;
}

function decode(png: Buffer): Pixels {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("this is no PNG");
  const parts: Buffer[] = [];
  let header = png;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") header = data;
    if (type === "IDAT") parts.push(data);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, kind, , , interlaced] = header.subarray(8);
  if (bits !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0) throw new Error("an unusual PNG");
  const size = kind === 6 ? 4 : 3;
  const raw = unfiltered(inflateSync(Buffer.concat(parts)), width * size, size);
  const colours = Uint32Array.from({ length: width * height }, (_, n) => raw.readUIntBE(n * size, 3));
  return { width, height, colours };
}

/** Takes back what each row was written as a difference to. */
function unfiltered(rows: Buffer, stride: number, size: number): Buffer {
  const height = rows.length / (stride + 1);
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= size ? (out[at - size] ?? 0) : 0;
      const up = y > 0 ? (out[at - stride] ?? 0) : 0;
      const corner = x >= size && y > 0 ? (out[at - stride - size] ?? 0) : 0;
      out[at] = (rows[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (toLeft === undefined || toUp === undefined || toCorner === undefined) return 0;
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
