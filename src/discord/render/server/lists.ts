import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { Player, ServerState, Staff, Vehicle } from "../../../domain/model.ts";
import { namesOf } from "../../../domain/names-of.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "../escape.ts";
import { clampPage, type Item, type Place, pageButtons, pagesOf, pageWords } from "./pages.ts";
import { type Freshness, isGameStaff, profile, serverCard, serverTitle } from "./view.ts";

/** `/server staff | vehicles | queue`: lists in pages. Pure. */

const LINES = { mostItems: 20, room: 3_400 };

export interface ListView {
  readonly state: ServerState;
  readonly place: Place;
  readonly page: number;
  readonly seen: Freshness;
}

interface ListParts {
  readonly title: Escaped;
  readonly head: Escaped;
  readonly items: readonly Item<unknown>[];
  /** A small line below the list. */
  readonly note?: Escaped | undefined;
}

/** One page of a list of lines, with its buttons. */
export function listPage(
  { title, head, items, note }: ListParts,
  { place, page, seen }: ListView,
): MessageBody {
  const pages = pagesOf(items, LINES);
  const at = clampPage(page, pages.length);
  const footer = pageWords(at, pages.length);
  const lines = (pages[at] ?? []).map(({ text }) => text);
  return {
    cards: [
      serverCard({
        title,
        lines: [
          head,
          ...(lines.length === 0 ? [] : [md``]),
          ...lines,
          ...(note === undefined ? [] : [md`-# ${note}`]),
        ],
        seen,
        ...(footer === undefined ? {} : { footer }),
      }),
    ],
    rows: [pageButtons(place, at, pages.length)],
  };
}

const RANKS = [
  ["admins", "Administrator"],
  ["mods", "Moderator"],
  ["helpers", "Helper"],
] as const;

/** Ranks that the service names at a player alone: its staff lists leave the owners out. */
const OWNERS: Readonly<Record<string, string>> = {
  "Server Owner": "Owner",
  "Server Co-Owner": "Co-owner",
};

interface StaffRow {
  readonly id: number;
  readonly name: string;
  readonly rank: string;
  /** 0 is the highest. */
  readonly order: number;
  readonly player: Player | undefined;
}

/** The lists, and who else plays with a rank: the status counts them as staff in the game, too. */
function staffRows(staff: Staff, players: readonly Player[] = []): readonly StaffRow[] {
  const present = new Map(players.map((one) => [one.player.id, one]));
  const listed = RANKS.flatMap(([group, rank], index) =>
    [...staff[group]].map(([id, name]) => ({ id, name, rank, order: index + 1, player: present.get(id) })),
  );
  const known = new Set(listed.map(({ id }) => id));
  const others = players.filter(isGameStaff).flatMap((player): StaffRow[] => {
    const { id, name } = player.player;
    if (id === undefined || known.has(id)) return [];
    const owner = Object.hasOwn(OWNERS, player.permission) ? OWNERS[player.permission] : undefined;
    const rank = owner ?? player.permission.replace(/^Server /, "");
    return [{ id, name, rank, order: owner === undefined ? RANKS.length + 1 : 0, player }];
  });
  return [...listed, ...others];
}

/** Who is in the game first, then by rank and name. */
export function staffPage(staff: Staff, view: ListView): MessageBody {
  const players = view.state.lists.players?.value;
  const people = staffRows(staff, players).toSorted(
    (a, b) =>
      Number(b.player !== undefined) - Number(a.player !== undefined) ||
      a.order - b.order ||
      a.name.localeCompare(b.name, "en"),
  );
  const items = people.map(({ id, name, rank, player }) => {
    const team =
      player === undefined || player.team === "" ? md`` : md`, ${escapeMarkdown(cut(player.team, 30))}`;
    const here = player === undefined ? md`` : md` · 🟢 in the game${team}`;
    return { of: id, text: md`${profile(id, name)} · ${escapeMarkdown(cut(rank, 30))}${here}` };
  });
  const inGame = people.filter(({ player }) => player !== undefined).length;
  const head =
    items.length === 0
      ? md`This server has no staff.`
      : players === undefined
        ? md`**${items.length}** in all`
        : md`**${inGame}** in the game · **${items.length}** in all`;
  return listPage({ title: md`Staff of ${serverTitle(view.state.status)}`, head, items }, view);
}

/** By owner; the filter is the beginning of the owner's team. */
export function vehiclesPage(vehicles: readonly Vehicle[], view: ListView): MessageBody {
  const teams = new Map(view.state.lists.players?.value.map(({ player, team }) => [player.name, team]));
  const wanted = view.place.filter.toLowerCase();
  const shown = vehicles
    .filter(({ owner }) => wanted === "" || (teams.get(owner) ?? "").toLowerCase().startsWith(wanted))
    .toSorted((a, b) => a.owner.localeCompare(b.owner, "en") || a.name.localeCompare(b.name, "en"));
  const items = shown.map((vehicle) => ({ of: vehicle, text: vehicleLine(vehicle) }));
  const team = wanted === "" ? md`` : md` of that team`;
  const head =
    shown.length === 0
      ? md`No vehicle${team} is on the streets.`
      : md`**${shown.length}** ${shown.length === 1 ? "vehicle" : "vehicles"}${team} on the streets`;
  return listPage({ title: md`Vehicles of ${serverTitle(view.state.status)}`, head, items }, view);
}

function vehicleLine({ name, owner, plate, texture, colorName }: Vehicle): Escaped {
  const look = [colorName, texture === "Standard" ? "" : texture]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
  return joined(
    [
      md`**${inlineName(owner)}** ${inlineName(name)}`,
      ...(plate === undefined ? [] : [inlineCode(plate, 20)]),
      ...(look === "" ? [] : [escapeMarkdown(cut(look, 60))]),
    ],
    " · ",
  );
}

/** In the order of the queue. The service gives ids alone; names are known of those who were seen before. */
export function queuePage(queue: readonly number[], view: ListView): MessageBody {
  const names = namesOf(view.state);
  const items = queue.map((id, place) => ({
    of: id,
    text: md`${place + 1}\\. ${profile(id, names.get(id))}`,
  }));
  const head =
    queue.length === 0
      ? md`Nobody is waiting to join.`
      : md`**${queue.length}** ${queue.length === 1 ? "waits" : "wait"} to join`;
  return listPage({ title: md`Queue of ${serverTitle(view.state.status)}`, head, items }, view);
}
