import { readFileSync, statSync } from "node:fs";
import type { MapCorners } from "../../../domain/map.ts";
import type { MapImage } from "./map-ground.ts";

/** The operator's own picture of the map: read once, made small enough to be drawn into each picture. */

export interface MapImageFile extends MapCorners {
  readonly file: string;
}

const MOST_BYTES = 30_000_000;
const MOST_DOTS = 8_192;
/** Dots of the side that is kept: a picture shows a thousand of them. */
const KEPT_DOTS = 1_400;
/** The sides of the picture and of its corners may differ by so much. */
const SKEW = 0.03;

type Shrink = (svg: string) => Uint8Array;

/** The picture, or in words for the operator why there is none. */
export function readMapImage(
  { file, ...corners }: MapImageFile,
  shrink: Shrink,
): MapImage | { readonly why: string } {
  try {
    if (statSync(file).size > MOST_BYTES) return { why: `${file} is larger than 30 MB` };
    const bytes = readFileSync(file);
    const size = sizeOf(bytes);
    if (size === undefined) return { why: `${file} is neither a PNG nor a JPEG` };
    const { width, height, type } = size;
    if (width > MOST_DOTS || height > MOST_DOTS || width < 16 || height < 16)
      return { why: `${file} has ${width} x ${height} dots; each side needs 16 to ${MOST_DOTS}` };
    const wide = Math.abs((corners.x2 - corners.x1) / (corners.z2 - corners.z1));
    if (Math.abs(wide / (width / height) - 1) > SKEW)
      return { why: `${file} has ${width} x ${height} dots, which is not the shape of its corners` };
    const kept = Math.min(1, KEPT_DOTS / Math.max(width, height));
    const [w, h] = [Math.round(width * kept), Math.round(height * kept)];
    const href = `data:image/${type};base64,${bytes.toString("base64")}`;
    const png = shrink(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"><image href="${href}" width="${w}" height="${h}" preserveAspectRatio="none"/></svg>`,
    );
    return { ...corners, url: `data:image/png;base64,${Buffer.from(png).toString("base64")}` };
  } catch (error) {
    return { why: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** By the first bytes of a PNG or JPEG, without decoding it. */
function sizeOf(bytes: Buffer) {
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47)
    return { type: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const kind = bytes[at + 1] ?? 0;
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame)
      return { type: "jpeg", height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
