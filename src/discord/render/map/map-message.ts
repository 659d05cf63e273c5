import { type Escaped, joined, markdownOfOurs, md } from "../../../domain/escaped.ts";
import { distanceWord, type MapCall, type MapPicture, type MapPoint } from "../../../domain/map.ts";
import type { MessageBody, Row } from "../../../domain/message.ts";
import type { Player, ServerState } from "../../../domain/model.ts";
import type { PictureLook } from "../../../domain/picture-look.ts";
import { KNOWN_TEAMS, teamMark } from "../../../domain/team-marks.ts";
import { placeOf } from "../../../domain/track.ts";
import { cut, escapeMarkdown, inlineName, plainText } from "../escape.ts";
import { placeWords } from "../server/player-card.ts";
import { type Freshness, isGameStaff, serverCard, stars } from "../server/view.ts";
import { altText } from "./alt-text.ts";

/** `/server map`: who is where. The picture, and the same in words. Pure. */

/** A button or a press names a player by id; nobody is meant where it is absent. */
export interface MapFilter {
  readonly playerId?: number | undefined;
  readonly team?: string | undefined;
}

const ROOM_FOR_WORDS = 3_300;
const ROOM_FOR_CALLS = 900;
const MOST_NEAR = 10;
/** More has no room in the picture, where the number of players would be cut. */
const LONGEST_TITLE = 36;

export interface MapMessage {
  readonly bindingId: string;
  readonly state: ServerState;
  readonly seen: Freshness;
  readonly filter: MapFilter;
  readonly look: PictureLook;
  readonly isCheck?: boolean;
}

/** What is drawn; around a player those who are near. */
export function mapPicture({ state, filter, look, isCheck = false }: MapMessage): MapPicture {
  const points = pointsOf(state, filter);
  const meant = points.find(({ isMeant }) => isMeant);
  const shown = meant === undefined ? points : points.filter((point) => distanceWord(point, meant) !== "far");
  const many = ` · ${shown.length} ${shown.length === 1 ? "player" : "players"}`;
  const title = `${cut(plainText(state.status.name), LONGEST_TITLE - many.length)}${many}`;
  const calls = meant === undefined && filter.team === undefined ? callsOf(state) : [];
  return { kind: "map", look, title, points: shown, calls, ...(isCheck ? { isCheck } : {}) };
}

export function mapMessage(
  message: MapMessage,
  drawn: { readonly png: Uint8Array | undefined; readonly pictureWords?: Escaped | undefined },
): MessageBody {
  const { state, seen } = message;
  const lines = [...wordsOf(message), ...(drawn.pictureWords === undefined ? [] : [drawn.pictureWords])];
  const card = serverCard({ title: md`🗺️ Map of ${inlineName(state.status.name)}`, lines, seen });
  const rows = refreshRows(message);
  if (drawn.png === undefined) return { cards: [card], rows };
  const name = "map.png";
  const description = altText(lines, "UTC");
  return { cards: [{ ...card, imageName: name }], files: [{ name, data: drawn.png, description }], rows };
}

/** The same map again, of now; not where the name of a team is too long for a button. */
function refreshRows({ bindingId, filter, isCheck = false }: MapMessage): readonly Row[] {
  const id = `map-here:${mapId({ bindingId, ...filter, isCheck })}`;
  return id.length > LONGEST_ID ? [] : [[{ kind: "button", style: "secondary", label: "Refresh", id }]];
}

const LONGEST_ID = 100;

/** Which map a button leads to. */
export interface MapPlace extends MapFilter {
  readonly bindingId: string;
  readonly isCheck?: boolean;
}

/** `binding`, where needed with `/c` for a check, `/p123` for a player or `/tPolice` for a team. An emergency card's has `/e` and its id. */
function mapId({ bindingId, playerId, team, isCheck = false }: MapPlace): string {
  const of = playerId !== undefined ? `/p${playerId}` : team !== undefined ? `/t${team}` : "";
  return `${bindingId}${isCheck ? "/c" : ""}${of}`;
}

/** The inverse. */
export function mapPlaceOf(argument: string): MapPlace {
  const [, bindingId = "", check, digits, team] =
    /^([^/]*)(\/c)?(?:\/p(\d{1,15})|\/t(.*)|\/e[0-9a-f]{12})?$/s.exec(argument) ?? [];
  const playerId = digits === undefined ? undefined : Number(digits);
  return { bindingId, playerId, team, isCheck: check !== undefined };
}

function pointsOf({ lists }: ServerState, { playerId, team }: MapFilter): readonly MapPoint[] {
  return (lists.players?.value ?? []).flatMap((player) => {
    const point = pointOf(player);
    const isMeant = playerId !== undefined && player.player.id === playerId;
    const isOfTeam = team === undefined || player.team.toLowerCase() === team.toLowerCase();
    return point === undefined || !isOfTeam ? [] : [{ ...point, ...(isMeant ? { isMeant } : {}) }];
  });
}

function pointOf(player: Player): MapPoint | undefined {
  const place = placeOf(player.location);
  if (place === undefined) return undefined;
  const { streetName, postalCode } = player.location ?? {};
  return {
    ...place,
    name: player.player.name,
    team: player.team,
    isStaff: isGameStaff(player),
    wantedStars: player.wantedStars,
    ...(streetName === undefined ? {} : { street: streetName }),
    ...(postalCode === undefined ? {} : { postal: postalCode }),
  };
}

/** Open calls: of moderators where the caller is, of emergencies where they were called. */
function callsOf({ lists }: ServerState): readonly MapCall[] {
  const players = lists.players?.value ?? [];
  const open = (lists.modCalls?.value ?? []).filter(({ moderator }) => moderator === undefined);
  const callers = new Set(open.map(({ caller }) => caller.id ?? caller.name));
  const moderator = players.flatMap(({ player, location }): MapCall[] => {
    const place = placeOf(location);
    const isCaller = callers.has(player.id ?? player.name);
    return place === undefined || !isCaller ? [] : [{ ...place, kind: "moderator", name: player.name }];
  });
  const emergency = (lists.emergencyCalls?.value ?? []).flatMap(({ position, callNumber }): MapCall[] => {
    const [x, z] = position ?? [Number.NaN, Number.NaN];
    const place = placeOf({ x, z });
    return place === undefined ? [] : [{ ...place, kind: "emergency", name: `Call #${callNumber}` }];
  });
  return [...moderator, ...emergency];
}

function wordsOf(message: MapMessage): readonly Escaped[] {
  const { state, filter } = message;
  const points = pointsOf(state, filter);
  const all = state.lists.players?.value ?? [];
  if (all.length === 0) return [md`Nobody is in the server.`];
  const meant = points.find(({ isMeant }) => isMeant);
  if (filter.playerId !== undefined && meant === undefined) {
    const isThere = all.some(({ player }) => player.id === filter.playerId);
    return [isThere ? md`Their place is not known.` : md`They are not in the server.`];
  }
  if (meant !== undefined) return nearLines(points, meant);
  const placeless = all.length - pointsOf(state, {}).length;
  return fitting([
    ...callLines(callsOf(state), filter),
    ...teamLines(points),
    ...(placeless === 0 || filter.team !== undefined ? [] : [md`-# Without a place: ${placeless}`]),
  ]);
}

function callLines(calls: readonly MapCall[], { team }: MapFilter): readonly Escaped[] {
  if (team !== undefined || calls.length === 0) return [];
  // All that the picture shows; of very many as many as leave room for the players.
  const said = calls.map(({ kind, name }) => md`${kind === "moderator" ? "🔔" : "🚓"} ${inlineName(name)}`);
  let left = ROOM_FOR_CALLS;
  const shown = said.filter((one) => {
    left -= one.length + 2;
    return left > 0;
  });
  const more = said.length - shown.length;
  return [md`Open calls: ${joined(shown, ", ")}${more === 0 ? md`` : md` and ${more} more`}`];
}

/** A line for each team: its sign, and everybody in it with the street. */
function teamLines(points: readonly MapPoint[]): readonly Escaped[] {
  const order = (team: string) => {
    const at = KNOWN_TEAMS.indexOf(team);
    return at < 0 ? KNOWN_TEAMS.length : at;
  };
  const teams = [...Map.groupBy(points, ({ team }) => team)].sort((a, b) => order(a[0]) - order(b[0]));
  return teams.map(([team, its]) => {
    const sign = markdownOfOurs(teamMark(team).sign);
    const name = team.trim() === "" ? md`No team` : escapeMarkdown(cut(team, 30));
    return md`${sign} **${name}** ${its.length}: ${joined(its.map(personLine), ", ")}`;
  });
}

/** `🛡 ★★ Ann (Main Street, postal 204)` */
function personLine({ name, isStaff, wantedStars, street, postal }: MapPoint): Escaped {
  const where = placeWords({ street, postal }, 40);
  const place = where === undefined ? md`` : md` (${where})`;
  const wanted = wantedStars > 0 ? md`${stars(wantedStars)} ` : md``;
  return md`${isStaff ? "🛡 " : ""}${wanted}${inlineName(name)}${place}`;
}

/** Who is near somebody, the nearest first. */
function nearLines(points: readonly MapPoint[], meant: MapPoint): readonly Escaped[] {
  const away = ({ x, z }: MapPoint) => Math.hypot(x - meant.x, z - meant.z);
  const others = points.filter((point) => point !== meant).sort((a, b) => away(a) - away(b));
  const near = others.filter((point) => distanceWord(point, meant) !== "far").slice(0, MOST_NEAR);
  const lines = near.map((point) => {
    const sign = markdownOfOurs(teamMark(point.team).sign);
    return md`${sign} ${personLine(point)}: ${distanceWord(point, meant)}`;
  });
  return [
    md`${markdownOfOurs(teamMark(meant.team).sign)} **${personLine(meant)}**`,
    ...(lines.length === 0 ? [md`Nobody is near.`] : lines),
  ];
}

/** Whole lines while there is room; a line that is too long ends early. */
function fitting(lines: readonly Escaped[]): readonly Escaped[] {
  let left = ROOM_FOR_WORDS;
  const shown: Escaped[] = [];
  for (const line of lines) {
    if (left < 60) break;
    shown.push(line.length <= left ? line : cutLine(line, left));
    left -= line.length + 1;
  }
  return shown;
}

/** At a comma, so that nothing of Markdown is left open. */
function cutLine(line: Escaped, most: number): Escaped {
  const end = line.lastIndexOf("), ", most - 12);
  return end < 0 ? md`…` : md`${markdownOfOurs(line.slice(0, end + 1))}, and more`;
}
