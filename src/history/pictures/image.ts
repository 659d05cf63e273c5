import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import type { Picture } from "../../domain/stats.ts";
import { gifOf } from "./map/gif.ts";
import type { MapImage } from "./map/map-ground.ts";
import { mapSvg } from "./map/map-svg.ts";
import { replaySvgs } from "./map/replay-svg.ts";
import { svgOf } from "./svg.ts";
import { FONT } from "./theme.ts";

/** Two and a half dots for each one of the drawing: sharp on a phone and when it is opened. */
const ZOOM = 2.5;
/** A still has no frames that would make it large. */
const STILL_ZOOM = 2;
const FIRST_MS = 3_500;
const LOOK_MS = 900;
const LAST_MS = 2_500;

/** The picture as PNG, or GIF where it moves. Takes some tens of milliseconds of its thread, or a second. */
export function imageOf(picture: Picture, image?: MapImage): Uint8Array {
  switch (picture.kind) {
    case "map":
      return pngOf(mapSvg(picture, image), ZOOM);
    case "replay": {
      const svgs = replaySvgs(picture, image);
      const [poster] = svgs;
      return svgs.length === 1 && poster !== undefined ? pngOf(poster, STILL_ZOOM) : movingOf(svgs);
    }
    default:
      return pngOf(svgOf(picture), ZOOM);
  }
}

function pngOf(svg: string, zoom: number): Uint8Array {
  // A copy of its own memory, because the whole of it crosses to the other thread.
  return new Uint8Array(render(svg, zoom).asPng());
}

function movingOf(svgs: readonly string[]): Uint8Array {
  const drawings = svgs.map((svg, at) => {
    const { pixels, width, height } = render(svg, 1);
    const forMs = at === 0 ? FIRST_MS : at === svgs.length - 1 ? LAST_MS : LOOK_MS;
    return { rgba: new Uint8Array(pixels), width, height, forMs };
  });
  return gifOf(drawings);
}

/** The operator's map, decoded once. @throws where it is no picture after all */
export function shrunkMap(svg: string): Uint8Array {
  const drawn = render(svg, 1);
  // A picture that cannot be decoded is left out without a word: then nothing is drawn at all.
  if (drawn.pixels.every((value) => value === 0)) throw new RangeError("it is damaged");
  return drawn.asPng();
}

function render(svg: string, zoom: number) {
  return new Resvg(svg, {
    fitTo: { mode: "zoom", value: zoom },
    font: { loadSystemFonts: false, fontFiles: fontFiles(), defaultFontFamily: FONT, sansSerifFamily: FONT },
  }).render();
}

/** Without a font file no text is drawn at all, silently; those of the system are not there in a container. */
function fontFiles(): string[] {
  return [
    import.meta.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
    import.meta.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
  ].map((file) => fileURLToPath(file));
}
