import type { MapCorners } from "../../../domain/map.ts";
import type { Spot } from "../../../domain/track.ts";
import { pictureText } from "../picture-text.ts";
import { type MapTheme, type Room, widthOf, words } from "./map-marks.ts";
import { isInView, type MapView, onPicture, tenth } from "./map-view.ts";

/** What lies under the marks: plain ground or the operator's picture, and the names of streets where they were seen. Pure. */

/** The operator's picture of the map, small enough to be drawn each time. */
export interface MapImage extends MapCorners {
  /** `data:image/png;base64,...` */
  readonly url: string;
}

const STREET_SIZE = 12.5;
const POSTAL_SIZE = 11;
const MOST_STREETS = 14;
const MOST_POSTALS = 16;
const LONGEST_STREET = 24;
const LONGEST_POSTAL = 6;

/** Cut to the frame, so that nothing of it stands beside the map. */
export function ground(theme: MapTheme, view: MapView, image: MapImage | undefined): string {
  const { left, top, side } = view.frame;
  const base = `<rect x="${left}" y="${top}" width="${side}" height="${side}" rx="6" fill="${theme.ground}"/>`;
  if (image === undefined) return base;
  const from = onPicture(view, { x: image.x1, z: image.z1 });
  const to = onPicture(view, { x: image.x2, z: image.z2 });
  return `${base}<clipPath id="map"><rect x="${left}" y="${top}" width="${side}" height="${side}" rx="6"/></clipPath><g clip-path="url(#map)"><image href="${image.url}" x="${from.left}" y="${from.top}" width="${tenth(to.left - from.left)}" height="${tenth(to.top - from.top)}" preserveAspectRatio="none"/></g>`;
}

/** Streets and postal codes at a place where somebody was seen on them. */
export function groundLabels(
  theme: MapTheme,
  view: MapView,
  { spots, room }: { readonly spots: readonly Spot[]; readonly room: Room },
): string {
  const seen = spots.filter((spot) => isInView(view, spot));
  const label = (kind: "street" | "postal", size: number, most: number) =>
    middles(seen, kind)
      .slice(0, most)
      .map(({ text, x, z }) => {
        const shown = pictureText(text, kind === "street" ? LONGEST_STREET : LONGEST_POSTAL);
        const { left, top } = onPicture(view, { x, z });
        const width = widthOf(shown, size);
        const box = (dy: number) => ({ left: left - width / 2, top: top + dy, width, height: size + 1 });
        const free = room.find([10, -size - 11, 26, -size - 27].map(box));
        if (free === undefined) return "";
        return words({
          left: free.left + width / 2,
          top: free.top + size - 1,
          text: shown,
          size,
          color: theme.label,
          anchor: "middle",
          halo: theme.ground,
        });
      })
      .join("");
  return label("street", STREET_SIZE, MOST_STREETS) + label("postal", POSTAL_SIZE, MOST_POSTALS);
}

/** For each name the seen place that lies most in the middle of it; those seen most come first. */
function middles(spots: readonly Spot[], kind: "street" | "postal") {
  const named = spots.filter((spot) => (spot[kind] ?? "").trim() !== "");
  const groups = [...Map.groupBy(named, (spot) => spot[kind] ?? "")];
  groups.sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  return groups.map(([text, its]) => {
    const mean = { x: meanOf(its.map(({ x }) => x)), z: meanOf(its.map(({ z }) => z)) };
    const away = ({ x, z }: Spot) => Math.hypot(x - mean.x, z - mean.z);
    const { x, z } = its.reduce((best, spot) => (away(spot) < away(best) ? spot : best));
    return { text, x, z };
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
