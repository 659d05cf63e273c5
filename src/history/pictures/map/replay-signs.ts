import type { ReplayPicture } from "../../../domain/map.ts";
import { type MapTheme, mark, words } from "./map-marks.ts";
import { tenth } from "./map-view.ts";

/** What stands around the map of a replay: the time with its looks, and what the signs mean. Pure. */

const BAR_LEFT = 20;
const BAR_TOP = 456;
/** Beside the map. */
const LIST_LEFT = 414;

/** The looks along the time, the present one filled, and what happened between them. */
export function barOf(theme: MapTheme, picture: ReplayPicture, look: number | undefined): string {
  const { looksS, events } = picture;
  const fromS = looksS[0] ?? 0;
  const spanS = Math.max(1, (looksS.at(-1) ?? fromS) - fromS);
  const width = 380;
  const at = (atS: number) => tenth(BAR_LEFT + Math.min(1, Math.max(0, (atS - fromS) / spanS)) * width);
  const line = `<line x1="${BAR_LEFT}" x2="${BAR_LEFT + width}" y1="${BAR_TOP}" y2="${BAR_TOP}" stroke="${theme.line}" stroke-width="2"/>`;
  const looks = looksS.map((atS, index) => {
    const isNow = index === look;
    return `<circle cx="${at(atS)}" cy="${BAR_TOP}" r="${isNow ? 5 : 2.5}" fill="${isNow ? theme.text : theme.faint}"/>`;
  });
  const marks = events.map(({ atS, kind }) =>
    kind === "kill"
      ? `<path d="M${at(atS) - 4} ${BAR_TOP - 4} L${at(atS) + 4} ${BAR_TOP + 4} M${at(atS) - 4} ${BAR_TOP + 4} L${at(atS) + 4} ${BAR_TOP - 4}" stroke="${theme.mark}" stroke-width="2"/>`
      : bang(theme, at(atS), BAR_TOP, 0.75),
  );
  return looksS.length === 0 ? "" : [line, ...looks, ...marks].join("");
}

/** The signs of those it is about, in words at the side. */
export function listOf(theme: MapTheme, picture: ReplayPicture): string {
  const entries = [
    {
      draw: (top: number) =>
        mark(theme, { left: LIST_LEFT + 6, top, team: "Civilian", r: 4.5, isMeant: true }),
      text: "in focus",
    },
    ...(picture.people.some(({ isStaff }) => isStaff)
      ? [
          {
            draw: (top: number) =>
              mark(theme, { left: LIST_LEFT + 6, top, team: "Civilian", r: 3.5, isStaff: true }),
            text: "staff",
          },
        ]
      : []),
    {
      draw: (top: number) =>
        `<line x1="${LIST_LEFT}" x2="${LIST_LEFT + 12}" y1="${top}" y2="${top}" stroke="${theme.text}" stroke-dasharray="3 3"/>`,
      text: "unseen",
    },
    ...(picture.events.some(({ kind }) => kind === "kill")
      ? [{ draw: (top: number) => cross(theme, LIST_LEFT + 6, top), text: "killed" }]
      : []),
    ...(picture.events.some(({ kind }) => kind === "call")
      ? [{ draw: (top: number) => bang(theme, LIST_LEFT + 6, top), text: "called" }]
      : []),
  ];
  return entries
    .map(({ draw, text }, nth) => {
      const top = 48 + nth * 24;
      return draw(top) + words({ left: LIST_LEFT + 16, top: top + 4, text, size: 11.5, color: theme.text });
    })
    .join("");
}

export function cross(theme: MapTheme, left: number, top: number): string {
  const d = `M${left - 5} ${top - 5} L${left + 5} ${top + 5} M${left - 5} ${top + 5} L${left + 5} ${top - 5}`;
  return `<path d="${d}" stroke="${theme.background}" stroke-width="5"/><path d="${d}" stroke="${theme.mark}" stroke-width="2.6"/>`;
}

/** `scale`: smaller on the time line, beside words. */
export function bang(theme: MapTheme, left: number, top: number, scale = 1): string {
  const [halfWidth, halfHeight] = [6 * scale, 7 * scale];
  return `<rect x="${tenth(left - halfWidth)}" y="${tenth(top - halfHeight)}" width="${2 * halfWidth}" height="${2 * halfHeight}" rx="3" fill="${theme.mark}"/>${words({ left, top: tenth(top + 4.5 * scale), text: "!", size: 12 * scale, color: theme.background, weight: 600, anchor: "middle" })}`;
}
