import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { ServerState, Staff, Vehicle } from "../../../domain/model.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "../escape.ts";
import { clampPage, type Item, type Place, pageButtons, pagesOf, pageWords } from "./pages.ts";
import { type Freshness, namesOf, profile, serverCard, serverTitle } from "./view.ts";

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
}

/** One page of a list of lines, with its buttons. */
export function listPage({ title, head, items }: ListParts, { place, page, seen }: ListView): MessageBody {
  const pages = pagesOf(items, LINES);
  const at = clampPage(page, pages.length);
  const footer = pageWords(at, pages.length);
  const lines = (pages[at] ?? []).map(({ text }) => text);
  return {
    cards: [
      serverCard({
        title,
        lines: [head, ...(lines.length === 0 ? [] : [md``]), ...lines],
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

/** Who is in the game first, then by rank and name. */
export function staffPage(staff: Staff, view: ListView): MessageBody {
  const players = view.state.lists.players?.value;
  const present = players && new Map(players.map((one) => [one.player.id, one]));
  const people = RANKS.flatMap(([group, rank], order) =>
    [...staff[group]].map(([id, name]) => ({ id, name, rank, order, player: present?.get(id) })),
  ).sort(
    (a, b) =>
      Number(b.player !== undefined) - Number(a.player !== undefined) ||
      a.order - b.order ||
      a.name.localeCompare(b.name, "en"),
  );
  const items = people.map(({ id, name, rank, player }) => {
    const team =
      player === undefined || player.team === "" ? md`` : md`, ${escapeMarkdown(cut(player.team, 30))}`;
    const here = player === undefined ? md`` : md` · 🟢 in the game${team}`;
    return { of: id, text: md`${profile(id, name)} · ${rank}${here}` };
  });
  const inGame = people.filter(({ player }) => player !== undefined).length;
  const head =
    items.length === 0
      ? md`The server lists no staff.`
      : present === undefined
        ? md`**${items.length}** on the list`
        : md`**${inGame}** in the game · **${items.length}** on the list`;
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
  const look = [colorName, texture].filter((part) => part !== undefined && part !== "").join(", ");
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
      ? md`Nobody waits to join.`
      : md`**${queue.length}** ${queue.length === 1 ? "waits" : "wait"} to join`;
  return listPage({ title: md`Queue of ${serverTitle(view.state.status)}`, head, items }, view);
}
