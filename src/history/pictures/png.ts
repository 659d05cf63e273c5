import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import type { Picture } from "../../domain/stats.ts";
import { svgOf } from "./svg.ts";
import { FONT } from "./theme.ts";

/** Two and a half dots for each one of the drawing: sharp on a phone and when it is opened. */
const ZOOM = 2.5;
/** The picture as PNG. Takes some tens of milliseconds of its thread. */
export function pngOf(picture: Picture): Uint8Array {
  const drawn = new Resvg(svgOf(picture), {
    fitTo: { mode: "zoom", value: ZOOM },
    font: { loadSystemFonts: false, fontFiles: fontFiles(), defaultFontFamily: FONT, sansSerifFamily: FONT },
  }).render();
  // A copy of its own memory, because the whole of it crosses to the other thread.
  return new Uint8Array(drawn.asPng());
}

/** Without a font file no text is drawn at all, silently; those of the system are not there in a container. */
function fontFiles(): string[] {
  return [
    import.meta.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
    import.meta.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
  ].map((file) => fileURLToPath(file));
}
