import type { PictureLook } from "../../../domain/picture-look.ts";
import { type MarkShape, teamMark } from "../../../domain/team-marks.ts";
import { pictureText } from "../picture-text.ts";
import { FONT, THEMES, type Theme } from "../theme.ts";
import { tenth } from "./map-view.ts";

/** What stands on a map: marks of people by shape and colour, words, and the words' room. Pure. */

/** Told apart by those who see no red or green as well: each differs in lightness from its neighbours. */
const TEAM_COLORS: Readonly<Record<PictureLook, Readonly<Record<string, string>>>> = {
  dark: {
    Civilian: "#dfe3ea",
    Police: "#5aa9ff",
    Sheriff: "#e0b060",
    Fire: "#ff7b6b",
    DOT: "#ffd84a",
    Jail: "#9aa0ab",
  },
  light: {
    Civilian: "#444a55",
    Police: "#1457b0",
    Sheriff: "#8a5a00",
    Fire: "#c22a18",
    DOT: "#b08900",
    Jail: "#7a808c",
  },
};

export interface MapTheme extends Theme {
  readonly look: PictureLook;
  readonly ground: string;
  readonly label: string;
}

export function mapTheme(look: PictureLook): MapTheme {
  const theme = THEMES[look];
  return look === "dark"
    ? { ...theme, look, ground: "#26292f", label: "#9aa3ad" }
    : { ...theme, look, ground: "#eef0f3", label: "#5c636e" };
}

export function teamColor(theme: MapTheme, team: string): string {
  const colors = TEAM_COLORS[theme.look];
  return (Object.hasOwn(colors, team) ? colors[team] : undefined) ?? theme.mark;
}

/** Text as SVG takes it: nothing in it is markup. */
function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}

interface Words {
  readonly left: number;
  readonly top: number;
  readonly text: string;
  readonly size: number;
  readonly color: string;
  readonly weight?: 400 | 600;
  readonly anchor?: "start" | "middle" | "end";
  /** Drawn around the letters, so that they are read on anything. */
  readonly halo?: string;
  readonly most?: number;
}

export function words(of: Words): string {
  const { left, top, text, size, color, weight = 400, anchor = "start", halo, most = 60 } = of;
  const shown = escapeXml(pictureText(text, most));
  const at = `x="${tenth(left)}" y="${tenth(top)}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}"`;
  const around =
    halo === undefined
      ? ""
      : ` paint-order="stroke" stroke="${halo}" stroke-width="3" stroke-linejoin="round"`;
  return `<text ${at} fill="${color}"${around}>${shown}</text>`;
}

/** About how wide words are; the font's letters differ. */
export function widthOf(text: string, size: number): number {
  return [...text].length * size * 0.56;
}

type Draw = (left: number, top: number, r: number) => string;

const polygon =
  (...corners: readonly (readonly [number, number])[]): Draw =>
  (left, top, r) =>
    `<polygon points="${corners.map(([x, y]) => `${tenth(left + x * r)},${tenth(top + y * r)}`).join(" ")}"`;

const SHAPES: Readonly<Record<MarkShape, Draw>> = {
  circle: (left, top, r) => `<circle cx="${left}" cy="${top}" r="${tenth(r)}"`,
  square: polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]),
  triangle: polygon([0, -1.2], [1.1, 0.8], [-1.1, 0.8]),
  diamond: polygon([0, -1.25], [1.1, 0], [0, 1.25], [-1.1, 0]),
  hexagon: polygon([-0.55, -1], [0.55, -1], [1.1, 0], [0.55, 1], [-0.55, 1], [-1.1, 0]),
  cross: polygon(
    ...([
      [-0.4, -1.1],
      [0.4, -1.1],
      [0.4, -0.4],
      [1.1, -0.4],
      [1.1, 0.4],
      [0.4, 0.4],
      [0.4, 1.1],
      [-0.4, 1.1],
      [-0.4, 0.4],
      [-1.1, 0.4],
      [-1.1, -0.4],
      [-0.4, -0.4],
    ] as const),
  ),
  drop: polygon([0, 1.2], [1.1, -0.8], [-1.1, -0.8]),
};

export interface Mark {
  readonly left: number;
  readonly top: number;
  readonly team: string;
  readonly r: number;
  /** A ring around it. */
  readonly isStaff?: boolean;
  readonly isHollow?: boolean;
  readonly isMeant?: boolean;
}

/** One person's shape in the colour of the team; staff have a ring. */
export function mark(theme: MapTheme, { left, top, team, r, isStaff, isHollow, isMeant }: Mark): string {
  const color = teamColor(theme, team);
  const fill =
    isHollow === true ? `fill="none" stroke="${color}"` : `fill="${color}" stroke="${theme.background}"`;
  const ring =
    isStaff === true
      ? `<circle cx="${left}" cy="${top}" r="${tenth(r + 3.5)}" fill="none" stroke="${theme.staff}" stroke-width="1.8"/>`
      : "";
  const halo =
    isMeant === true
      ? `<circle cx="${left}" cy="${top}" r="${tenth(r + (isStaff === true ? 7 : 4))}" fill="none" stroke="${theme.text}" stroke-width="1.6" stroke-dasharray="3 2"/>`
      : "";
  return `${SHAPES[teamMark(team).shape](left, top, r)} ${fill} stroke-width="1.2"/>${ring}${halo}`;
}

/** Five points, the first on top. */
const star = polygon(
  ...Array.from({ length: 10 }, (_, nth): readonly [number, number] => {
    const away = nth % 2 === 0 ? 1 : 0.42;
    const turn = (nth * Math.PI) / 5;
    return [away * Math.sin(turn), -away * Math.cos(turn)];
  }),
);

/** The sign of who is wanted, as in the words beside the picture: no team has it. */
export function wantedStar(theme: MapTheme, left: number, top: number, r: number): string {
  return `${star(left, top, r)} fill="${theme.mark}"/>`;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Words take room, and later ones stand beside earlier ones or not at all. */
export class Room {
  readonly #taken: Box[] = [];
  readonly #within: Box;

  constructor(within: Box) {
    this.#within = within;
  }

  take(box: Box): void {
    this.#taken.push(box);
  }

  /** Takes the first of these places that is free. */
  find(places: readonly Box[]): Box | undefined {
    const free = places.find(
      (box) => isInside(box, this.#within) && this.#taken.every((other) => !meet(box, other)),
    );
    if (free !== undefined) this.take(free);
    return free;
  }
}

function meet(a: Box, b: Box): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}

function isInside(a: Box, b: Box): boolean {
  return (
    a.left >= b.left &&
    a.top >= b.top &&
    a.left + a.width <= b.left + b.width &&
    a.top + a.height <= b.top + b.height
  );
}

/** Right of a mark, left, above and below it. */
export function placesAround(
  left: number,
  top: number,
  { r, width, size }: { readonly r: number; readonly width: number; readonly size: number },
) {
  const height = size + 1;
  return [
    { left: left + r + 3, top: top - height / 2, width, height },
    { left: left - r - 3 - width, top: top - height / 2, width, height },
    { left: left - width / 2, top: top - r - 3 - height, width, height },
    { left: left - width / 2, top: top + r + 3, width, height },
  ];
}
