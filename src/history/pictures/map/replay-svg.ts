import {
  isJump,
  isMoving,
  type ReplayEvent,
  type ReplayPerson,
  type ReplayPicture,
} from "../../../domain/map.ts";
import type { Spot } from "../../../domain/track.ts";
import { pictureText } from "../picture-text.ts";
import { ground, groundLabels, type MapImage } from "./map-ground.ts";
import { type MapTheme, mapTheme, mark, placesAround, Room, teamColor, widthOf, words } from "./map-marks.ts";
import { svg } from "./map-svg.ts";
import { type Frame, isInView, type MapView, onPicture, tenth, viewOf } from "./map-view.ts";
import { bang, barOf, cross, listOf } from "./replay-signs.ts";

/**
 * Two minutes as drawings: first all of it, then one for each look. What lies between two looks nobody saw: it is dashed,
 * and where somebody cannot have gone that way there is no line. Pure.
 */

const REPLAY_WIDTH = 480;
const REPLAY_HEIGHT = 496;
const FRAME: Frame = { left: 8, top: 34, side: 400 };
const TITLE_SIZE = 18;
const TEXT_SIZE = 13;
const LONGEST_NAME = 14;
/** Looks whose way stays visible behind somebody. */
const TAIL_LOOKS = 4;
const LEAST_UNITS = 320;
/** Those who the picture is about move on a map that is this much wider than their own ways. */
const R = 6;
const MOST_NAMES = 12;

interface Drawing {
  readonly theme: MapTheme;
  readonly view: MapView;
  readonly picture: ReplayPicture;
  readonly image: MapImage | undefined;
  /** The ground with its labels, the same in every drawing. */
  readonly under: string;
}

/** The poster, and where there are enough looks a drawing of each. */
export function replaySvgs(picture: ReplayPicture, image: MapImage | undefined): readonly string[] {
  const theme = mapTheme(picture.look);
  const meant = picture.people.filter(({ isMeant }) => isMeant);
  const isKnown = meant.some(({ spots }) => spots.some((spot) => spot !== null));
  const about = isKnown
    ? meant.flatMap((person) => aroundEvent(picture, person))
    : picture.people.flatMap(spotsOf);
  const view = viewOf(about, FRAME, LEAST_UNITS);
  const labels = new Room({ left: FRAME.left, top: FRAME.top, width: FRAME.side, height: FRAME.side });
  const spots = picture.people.flatMap(spotsOf);
  const under = ground(theme, view, image) + groundLabels(theme, view, { spots, room: labels });
  const drawing = { theme, view, picture, image, under };
  const poster = posterOf(drawing);
  return isMoving(picture) ? [poster, ...picture.looksS.map((_, look) => lookOf(drawing, look))] : [poster];
}

/** Where somebody was without a jump or a hole around what happened: who comes back elsewhere does not widen the map. */
function aroundEvent({ looksS, events }: ReplayPicture, { spots }: ReplayPerson): readonly Spot[] {
  const eventS = events[0]?.atS ?? looksS.at(-1) ?? 0;
  const middle = spots.findLastIndex((spot, look) => spot !== null && (looksS[look] ?? 0) <= eventS);
  const start = middle < 0 ? spots.findIndex((spot) => spot !== null) : middle;
  const reached = (step: 1 | -1) => {
    const found: Spot[] = [];
    for (let look = start; ; look += step) {
      const [now, next] = [spots[look] ?? null, spots[look + step] ?? null];
      if (now !== null) found.push(now);
      const seconds = Math.abs((looksS[look + step] ?? 0) - (looksS[look] ?? 0));
      if (now === null || next === null || isJump(now, next, seconds)) return found;
    }
  };
  return start < 0 ? [] : [...reached(1), ...reached(-1)];
}

function spotsOf({ spots }: ReplayPerson): readonly Spot[] {
  return spots.filter((spot) => spot !== null);
}

/** All ways with numbered looks of those it is about, and what happened. */
function posterOf(drawing: Drawing): string {
  const { picture, view, theme } = drawing;
  const { people, looksS } = picture;
  const parts: string[] = [];
  for (const person of byWeight(people)) {
    parts.push(wayOf(drawing, person, { from: 0, to: looksS.length - 1 }));
    if (!person.isMeant) {
      const last = person.spots.findLast((spot) => spot !== null);
      if (last != null && isInView(view, last)) parts.push(markAt(drawing, person, last));
    }
  }
  const room = new Room({ left: FRAME.left, top: FRAME.top, width: FRAME.side, height: FRAME.side });
  for (const person of people.filter(({ isMeant }) => isMeant)) parts.push(numbersOf(drawing, person, room));
  for (const event of picture.events) parts.push(eventMark(drawing, event, room));
  const lastSpots = people.map(({ spots }) => spots.findLast((spot) => spot !== null) ?? null);
  parts.push(namesOf(drawing, lastSpots, room));
  const range = `${picture.times[0] ?? ""} to ${picture.times.at(-1) ?? ""}`;
  const said = looksS.length === 0 ? "No positions were recorded" : range;
  return page(drawing, { parts, said, look: undefined, color: theme.text });
}

/** One look, held: where people were then, with the looks before behind them. */
function lookOf(drawing: Drawing, look: number): string {
  const { picture, theme, view } = drawing;
  const { people, looksS, times } = picture;
  const parts: string[] = [];
  const from = Math.max(0, look - TAIL_LOOKS);
  for (const person of byWeight(people)) {
    parts.push(wayOf(drawing, person, { from, to: look }));
    const spot = person.spots[look] ?? null;
    if (spot !== null && isInView(view, spot)) parts.push(markAt(drawing, person, spot));
    const before = look === 0 ? null : (person.spots[look - 1] ?? null);
    // Gone since the look before: hollow, where they were last.
    if (spot === null && before !== null && isInView(view, before))
      parts.push(markAt(drawing, person, before, true));
  }
  const room = new Room({ left: FRAME.left, top: FRAME.top, width: FRAME.side, height: FRAME.side });
  const atS = looksS[look] ?? 0;
  const sinceS = look === 0 ? Number.NEGATIVE_INFINITY : (looksS[look - 1] ?? 0);
  const news = picture.events.filter((event) => event.atS > sinceS && event.atS <= atS);
  for (const event of picture.events.filter((one) => one.atS <= atS))
    parts.push(eventMark(drawing, event, room));
  parts.push(
    namesOf(
      drawing,
      people.map(({ spots }) => spots[look] ?? null),
      room,
    ),
  );
  const said = [`${times[look] ?? ""}`, ...news.map(({ words: what }) => what)].join("  ");
  return page(drawing, { parts, said, look, color: news.length > 0 ? theme.mark : theme.text });
}

/** Others first, those it is about on top of them. */
function byWeight(people: readonly ReplayPerson[]): readonly ReplayPerson[] {
  return people.toSorted((a, b) => Number(a.isMeant) - Number(b.isMeant));
}

interface Page {
  readonly parts: readonly string[];
  readonly said: string;
  /** undefined: all of them. */
  readonly look: number | undefined;
  readonly color: string;
}

function page(drawing: Drawing, { parts, said, look, color }: Page): string {
  const { theme, picture, under } = drawing;
  const { left, top, side } = FRAME;
  return svg(
    REPLAY_HEIGHT,
    [
      `<rect width="${REPLAY_WIDTH}" height="${REPLAY_HEIGHT}" fill="${theme.background}"/>`,
      words({
        left,
        top: 23,
        text: picture.title,
        size: TITLE_SIZE,
        color: theme.text,
        weight: 600,
        most: 44,
      }),
      under,
      `<clipPath id="frame"><rect x="${left}" y="${top}" width="${side}" height="${side}"/></clipPath>`,
      `<g clip-path="url(#frame)">${parts.join("")}</g>`,
      words({ left, top: 449, text: said, size: 15, color, weight: 600, most: 56 }),
      barOf(theme, picture, look),
      ...picture.caption.map((text, nth) =>
        words({ left, top: 476 + 14 * nth, text, size: 12, color: theme.faint, most: 80 }),
      ),
      listOf(theme, picture),
    ],
    REPLAY_WIDTH,
  );
}

/**
 * Beside the last place at which that person was seen before it. A look in the second of a kill shows where the killed
 * starts again.
 */
function eventMark({ theme, view, picture }: Drawing, event: ReplayEvent, room: Room): string {
  const person = event.person === undefined ? undefined : picture.people[event.person];
  const isBefore = (atS: number) => (event.kind === "kill" ? atS < event.atS : atS <= event.atS);
  const look = picture.looksS.findLastIndex(isBefore);
  const spot = person?.spots.slice(0, look + 1).findLast((one) => one !== null);
  if (spot == null || !isInView(view, spot)) return "";
  const { left, top } = onPicture(view, spot);
  room.take({ left: left - 8, top: top - 22, width: 16, height: 16 });
  return event.kind === "kill" ? cross(theme, left, top) : bang(theme, left, tenth(top - 16));
}

/** Dashed from look to look; nothing where a look is missing or somebody jumped. */
function wayOf(
  { theme, view, picture }: Drawing,
  { spots, isMeant }: ReplayPerson,
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const lines: string[] = [];
  for (let look = from + 1; look <= to; look += 1) {
    const [before, now] = [spots[look - 1] ?? null, spots[look] ?? null];
    if (before === null || now === null || (!isInView(view, before) && !isInView(view, now))) continue;
    const seconds = (picture.looksS[look] ?? 0) - (picture.looksS[look - 1] ?? 0);
    if (isJump(before, now, seconds)) continue;
    const [a, b] = [onPicture(view, before), onPicture(view, now)];
    const style = isMeant ? `stroke-width="2.2" opacity="0.95"` : `stroke-width="1.2" opacity="0.4"`;
    lines.push(
      `<line x1="${a.left}" y1="${a.top}" x2="${b.left}" y2="${b.top}" stroke="${teamColor(theme, now.team)}" stroke-dasharray="4 4" ${style}/>`,
      `<circle cx="${a.left}" cy="${a.top}" r="${isMeant ? 2.6 : 1.6}" fill="${teamColor(theme, before.team)}"/>`,
    );
  }
  return lines.join("");
}

function markAt({ theme, view }: Drawing, person: ReplayPerson, spot: Spot, isHollow = false): string {
  const { left, top } = onPicture(view, spot);
  const { isStaff, isMeant } = person;
  return mark(theme, {
    left,
    top,
    team: spot.team,
    r: isMeant ? R + 1.5 : R - 1.5,
    isStaff,
    isMeant,
    isHollow,
  });
}

/** Each look of somebody with its number, where it is not the place of the one before. */
function numbersOf({ theme, view, picture }: Drawing, person: ReplayPerson, room: Room): string {
  let before: Spot | null = null;
  const parts: string[] = [];
  for (const [look, spot] of person.spots.entries()) {
    if (spot === null) continue;
    const isSame = before !== null && Math.hypot(before.x - spot.x, before.z - spot.z) < view.units / 60;
    before = spot;
    if (!isInView(view, spot)) continue;
    const { left, top } = onPicture(view, spot);
    const isEnd = look === picture.looksS.length - 1;
    if (isEnd) parts.push(markAt({ theme, view, picture } as Drawing, person, spot));
    else parts.push(mark(theme, { left, top, team: spot.team, r: 4 }));
    if (isSame) continue;
    const text = String(look + 1);
    const width = widthOf(text, 12) + 2;
    const free = room.find(placesAround(left, top, { r: 4, width, size: 12 }));
    if (free === undefined) continue;
    parts.push(
      words({
        left: free.left + 1,
        top: free.top + 11,
        text,
        size: 12,
        color: teamColor(theme, spot.team),
        weight: 600,
        halo: theme.ground,
      }),
    );
  }
  return parts.join("");
}

function namesOf({ theme, view, picture }: Drawing, spots: readonly (Spot | null)[], room: Room): string {
  const shown = picture.people
    .map((person, index) => ({ person, spot: spots[index] ?? null }))
    .filter(({ spot }) => spot !== null && isInView(view, spot))
    .sort((a, b) => Number(b.person.isMeant) - Number(a.person.isMeant));
  for (const { spot, person } of shown) {
    if (spot === null) continue;
    const { left, top } = onPicture(view, spot);
    const r = person.isMeant ? R + 2 : R - 1;
    room.take({ left: left - r, top: top - r, width: 2 * r, height: 2 * r });
  }
  const limit = Math.max(MOST_NAMES, picture.people.filter(({ isMeant }) => isMeant).length);
  return shown
    .slice(0, limit)
    .map(({ person, spot }) => {
      if (spot === null) return "";
      const { left, top } = onPicture(view, spot);
      const text = pictureText(person.name, LONGEST_NAME);
      const width = widthOf(text, TEXT_SIZE);
      const r = R + (person.isStaff ? 6 : 4);
      const free = room.find(placesAround(left, top, { r, width, size: TEXT_SIZE }));
      if (free === undefined) return "";
      const weight = person.isMeant ? 600 : 400;
      const color = person.isMeant ? theme.text : theme.faint;
      return words({
        left: free.left,
        top: free.top + TEXT_SIZE - 2,
        text,
        size: TEXT_SIZE,
        color,
        weight,
        halo: theme.ground,
      });
    })
    .join("");
}
