// Its main file is of the older kind, whose one export has no names.
import { applyPalette, GIFEncoder, quantize } from "gifenc/dist/gifenc.esm.js";

/** Drawings as one animated picture. Pure. */

export interface Drawn {
  /** Four bytes a dot. */
  readonly rgba: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** How long it is shown. */
  readonly forMs: number;
}

/** One place of the palette means "as it was": what does not change from drawing to drawing costs nearly nothing. */
const COLORS = 255;

/** Loops without end. The palette is that of all drawings together. */
export function gifOf(drawings: readonly Drawn[]): Uint8Array {
  const palette = quantize(sampleOf(drawings), COLORS, { format: "rgb565" });
  const same = palette.length;
  const gif = GIFEncoder();
  let before: Uint8Array | undefined;
  for (const { rgba, width, height, forMs } of drawings) {
    const now = applyPalette(rgba, palette, "rgb565");
    const index = before === undefined ? now : changesOf(before, now, same);
    gif.writeFrame(index, width, height, {
      delay: forMs,
      ...(before === undefined
        ? { palette: [...palette, [0, 0, 0]], repeat: 0 }
        : { transparent: true, transparentIndex: same }),
      dispose: 1,
    });
    before = now;
  }
  gif.finish();
  return gif.bytes();
}

function changesOf(before: Uint8Array, now: Uint8Array, same: number): Uint8Array {
  return now.map((color, at) => (color === before[at] ? same : color));
}

/** Every eighth dot of each: colours that stand for more than a few dots are all in it. */
function sampleOf(drawings: readonly Drawn[]): Uint8Array {
  const EVERY = 8;
  const dots = drawings.map(({ rgba }) => {
    const own = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength / 4);
    return Uint32Array.from({ length: Math.floor(own.length / EVERY) }, (_, at) => own[at * EVERY] ?? 0);
  });
  const all = new Uint32Array(dots.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const some of dots) {
    all.set(some, at);
    at += some.length;
  }
  return new Uint8Array(all.buffer);
}
