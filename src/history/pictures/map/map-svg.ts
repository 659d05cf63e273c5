import type { MapCall, MapPicture, MapPoint } from "../../../domain/map.ts";
import { KNOWN_TEAMS } from "../../../domain/team-marks.ts";
import { pictureText } from "../picture-text.ts";
import { SMALL_SIZE, TITLE_SIZE, WIDTH } from "../theme.ts";
import { ground, groundLabels, type MapImage } from "./map-ground.ts";
import {
  type MapTheme,
  mapTheme,
  mark,
  placesAround,
  Room,
  wantedStar,
  widthOf,
  words,
} from "./map-marks.ts";
import { type Frame, type MapView, onPicture, viewOf } from "./map-view.ts";

/** Who is where at one look, as SVG. Pure. */

const EDGE = 10;
const TOP = 36;
const LEGEND_ROW = 22;
const NAME_SIZE = 13;
/** A name of the game is at most 20 letters long; where that has no room, its beginning may. */
const NAME_LENGTHS = [20, 16] as const;
const STAR_R = 6;
/** More names than this hide the places. */
const MOST_NAMES = 45;
const CROWDED = 60;

const FRAME: Frame = { left: EDGE, top: TOP, side: WIDTH - 2 * EDGE };

export function mapSvg(picture: MapPicture, image: MapImage | undefined): string {
  const { look, title, points, calls, isCheck = false } = picture;
  const theme = mapTheme(look);
  const corners =
    isCheck && image !== undefined
      ? [
          { x: image.x1, z: image.z1 },
          { x: image.x2, z: image.z2 },
        ]
      : [];
  const view = viewOf([...points, ...calls, ...corners], FRAME);
  const room = new Room({ left: FRAME.left, top: FRAME.top, width: FRAME.side, height: FRAME.side });
  const r = points.length > CROWDED ? 4.5 : 6;
  for (const point of points) takeRoom(view, point, r, room);
  for (const call of calls) room.take(around(onPicture(view, call), r));
  const marks = points.map((point) => markOf(theme, view, point, r)).join("");
  const called = calls.map((call) => callMark(theme, view, call, room)).join("");
  const names = namesOf(theme, view, { points, r, room });
  const labels = groundLabels(theme, view, { spots: points, room });
  const legend = legendOf(theme, points, calls);
  const height = TOP + FRAME.side + EDGE + legend.rows * LEGEND_ROW;
  const empty =
    points.length === 0
      ? words({
          left: WIDTH / 2,
          top: TOP + FRAME.side / 2,
          text: "Nobody is on the map",
          size: SMALL_SIZE,
          color: theme.faint,
          anchor: "middle",
        })
      : "";
  return svg(height, [
    `<rect width="${WIDTH}" height="${height}" fill="${theme.background}"/>`,
    words({ left: EDGE, top: 24, text: title, size: TITLE_SIZE, color: theme.text, weight: 600, most: 36 }),
    ground(theme, view, image),
    labels,
    marks,
    called,
    names,
    empty,
    legend.text,
  ]);
}

export function svg(height: number, parts: readonly string[], width = WIDTH): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${parts.join("")}</svg>`;
}

function markOf(theme: MapTheme, view: MapView, point: MapPoint, r: number): string {
  const { left, top } = onPicture(view, point);
  const { team, isStaff, wantedStars, isMeant = false } = point;
  const own = mark(theme, { left, top, team, r: isMeant ? r + 2 : r, isStaff, isMeant });
  const wanted = wantedStars > 0 ? wantedStar(theme, left, starTop(top, r), STAR_R) : "";
  return own + wanted;
}

function starTop(top: number, r: number): number {
  return top - r - STAR_R - 1;
}

/** Of its shape with the rings around it. */
function reachOf({ isStaff, isMeant = false }: MapPoint, r: number): number {
  const own = isMeant ? r + 2 : r;
  return isMeant ? own + (isStaff ? 8 : 5) : isStaff ? own + 4 : own;
}

/** What is drawn of somebody: words stand beside all of it. */
function takeRoom(view: MapView, point: MapPoint, r: number, room: Room): void {
  const { left, top } = onPicture(view, point);
  room.take(around({ left, top }, reachOf(point, r)));
  if (point.wantedStars > 0) room.take(around({ left, top: starTop(top, r) }, STAR_R));
}

function around({ left, top }: { readonly left: number; readonly top: number }, r: number) {
  return { left: left - r, top: top - r, width: 2 * r, height: 2 * r };
}

function callMark(theme: MapTheme, view: MapView, call: MapCall, room: Room): string {
  const { left, top } = onPicture(view, call);
  const sign = call.kind === "moderator" ? "!" : "E";
  const badge = `<rect x="${left - 8}" y="${top - 25}" width="16" height="16" rx="4" fill="${theme.mark}"/><path d="M${left - 3} ${top - 9} L${left + 3} ${top - 9} L${left} ${top - 5} Z" fill="${theme.mark}"/>`;
  room.take({ left: left - 8, top: top - 25, width: 16, height: 20 });
  return (
    badge +
    words({
      left,
      top: top - 12.5,
      text: sign,
      size: 13,
      color: theme.background,
      weight: 600,
      anchor: "middle",
    })
  );
}

/** The ones that matter most first, as long as there is room. */
function namesOf(
  theme: MapTheme,
  view: MapView,
  { points, r, room }: { readonly points: readonly MapPoint[]; readonly r: number; readonly room: Room },
): string {
  const weight = ({ isMeant, isStaff, wantedStars }: MapPoint) =>
    (isMeant === true ? 4 : 0) + (isStaff ? 2 : 0) + (wantedStars > 0 ? 1 : 0);
  const byWeight = points.toSorted((a, b) => weight(b) - weight(a));
  let shown = 0;
  return byWeight
    .map((point) => {
      if (shown >= MOST_NAMES) return "";
      const named = nameOf(view, point, { r, room });
      if (named === undefined) return "";
      shown += 1;
      return words({
        left: named.left,
        top: named.top + NAME_SIZE - 2,
        text: named.text,
        size: NAME_SIZE,
        color: theme.text,
        weight: point.isMeant === true ? 600 : 400,
        halo: theme.ground,
      });
    })
    .join("");
}

/** The name, or its beginning, in the first place with room for it; undefined: there is none. */
function nameOf(view: MapView, point: MapPoint, { r, room }: { readonly r: number; readonly room: Room }) {
  const { left, top } = onPicture(view, point);
  for (const most of NAME_LENGTHS) {
    const text = pictureText(point.name, most);
    // Bold letters are wider.
    const width = widthOf(text, NAME_SIZE) * (point.isMeant === true ? 1.1 : 1);
    const free = room.find(placesAround(left, top, { r: reachOf(point, r), width, size: NAME_SIZE }));
    if (free !== undefined) return { ...free, text };
  }
  return undefined;
}

/** The teams that are there, with how many; then what the other signs mean. */
function legendOf(
  theme: MapTheme,
  points: readonly MapPoint[],
  calls: readonly MapCall[],
): { readonly text: string; readonly rows: number } {
  const counts = Map.groupBy(points, ({ team }) => team);
  const teams = [...counts.keys()].sort((a, b) => orderOf(a) - orderOf(b) || (a < b ? -1 : 1));
  const entries: { readonly draw: (left: number, top: number) => string; readonly text: string }[] = [];
  for (const team of teams) {
    const text = `${pictureText(team, 12)} ${counts.get(team)?.length ?? 0}`;
    entries.push({ draw: (left, top) => mark(theme, { left, top, team, r: 5.5 }), text });
  }
  if (points.some(({ isStaff }) => isStaff)) {
    const ring = (left: number, top: number) =>
      `<circle cx="${left}" cy="${top}" r="6.5" fill="none" stroke="${theme.staff}" stroke-width="1.8"/>`;
    entries.push({ draw: ring, text: "staff" });
  }
  if (points.some(({ wantedStars }) => wantedStars > 0)) {
    const draw = (left: number, top: number) => wantedStar(theme, left, top, 6.5);
    entries.push({ draw, text: "wanted" });
  }
  for (const [kind, sign, text] of [
    ["moderator", "!", "moderator call"],
    ["emergency", "E", "emergency call"],
  ] as const) {
    if (calls.every((call) => call.kind !== kind)) continue;
    const badge = (left: number, top: number) =>
      `<rect x="${left - 7}" y="${top - 7}" width="14" height="14" rx="3" fill="${theme.mark}"/>${words({ left, top: top + 4.5, text: sign, size: 12, color: theme.background, weight: 600, anchor: "middle" })}`;
    entries.push({ draw: badge, text });
  }
  let left = EDGE + 6;
  let row = 0;
  const drawn = entries.map(({ draw, text }) => {
    const width = 14 + widthOf(text, SMALL_SIZE) + 14;
    if (left + width > WIDTH && left > EDGE + 6) {
      row += 1;
      left = EDGE + 6;
    }
    const top = TOP + FRAME.side + 16 + row * LEGEND_ROW;
    const own =
      draw(left, top) + words({ left: left + 12, top: top + 5, text, size: SMALL_SIZE, color: theme.text });
    left += width;
    return own;
  });
  return { text: drawn.join(""), rows: entries.length === 0 ? 0 : row + 1 };
}

function orderOf(team: string): number {
  const at = KNOWN_TEAMS.indexOf(team);
  return at < 0 ? KNOWN_TEAMS.length : at;
}
