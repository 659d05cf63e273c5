import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { CardField, MessageBody, SelectOption } from "../../../domain/message.ts";
import type { Player, ServerState } from "../../../domain/model.ts";
import { cut, inlineName, plainText, shownName } from "../escape.ts";
import { clampPage, type Item, type Place, pageButtons, pagesOf, pageWords } from "./pages.ts";
import { type Freshness, isGameStaff, serverCard, serverTitle, stars } from "./view.ts";

/** `/server players`: names in two columns by team, and a menu that opens one of them. Pure. */

/** Two columns of a page; a select takes 25 people. */
const COLUMN = { mostItems: 12, room: 940 };
/** Longest name in a column: the game's own limit is 20. */
const NAME_UNITS = 24;

export interface PlayersPage {
  readonly state: ServerState;
  readonly players: readonly Player[];
  readonly place: Place;
  readonly page: number;
  readonly seen: Freshness;
}

/** One page; the filter of the place is the beginning of a team's name. */
export function playersPage({ state, players, place, page, seen }: PlayersPage): MessageBody {
  const wanted = place.filter.toLowerCase();
  const shown = sorted(players.filter(({ team }) => team.toLowerCase().startsWith(wanted)));
  const columns = pagesOf(shown, COLUMN);
  const pages = Math.max(1, Math.ceil(columns.length / 2));
  const at = clampPage(page, pages);
  const two = columns.slice(2 * at, 2 * at + 2);
  const options = optionsOf(two.flat().map(({ of }) => of));
  const team = wanted === "" ? md`` : md` · ${inlineName(shown[0]?.of.team ?? place.filter)}`;
  const words = [shown.length === 0 ? undefined : "🛡 staff · ★ wanted", pageWords(at, pages)].filter(
    (part) => part !== undefined,
  );
  return {
    cards: [
      serverCard({
        title: md`Players of ${serverTitle(state.status)}${team}`,
        lines: [headLine(state, { shown: shown.length, all: players.length, isFiltered: wanted !== "" })],
        seen,
        fields: columnsOf(two),
        ...(words.length === 0 ? {} : { footer: words.join(" · ") }),
      }),
    ],
    rows: [
      ...(options.length === 0 ? [] : [[playerSelect(place.bindingId, options)] as const]),
      pageButtons(place, at, pages),
    ],
  };
}

function headLine(
  { status }: ServerState,
  { shown, all, isFiltered }: { readonly shown: number; readonly all: number; readonly isFiltered: boolean },
): Escaped {
  if (all === 0) return md`Nobody is in the game.`;
  if (isFiltered && shown === 0) return md`Nobody on that team is in the game.`;
  const of = isFiltered ? md` of ${all} in the game` : md` of ${status.maxPlayers}`;
  return md`**${shown}**${of}`;
}

/** By team, the largest first, then by name; the first of each team carries its heading. */
function sorted(players: readonly Player[]): Item<Player>[] {
  const teams = [...Map.groupBy(players, ({ team }) => team)].sort(
    ([a, first], [b, second]) => second.length - first.length || a.localeCompare(b, "en"),
  );
  return teams.flatMap(([team, members]) =>
    members
      .toSorted((a, b) => a.player.name.localeCompare(b.player.name, "en"))
      .map((player, index) => ({
        of: player,
        text:
          index === 0
            ? md`**${inlineName(cut(team, NAME_UNITS))} · ${members.length}**\n${line(player)}`
            : line(player),
      })),
  );
}

function line(player: Player): Escaped {
  const marks = [
    ...(isGameStaff(player) ? [md`🛡`] : []),
    ...(player.wantedStars > 0 ? [stars(player.wantedStars)] : []),
  ];
  return joined([inlineName(cut(shownName(player.player.name), NAME_UNITS)), ...marks], " ");
}

/** A page that begins within a team says which one it is. */
function columnsOf(columns: readonly (readonly Item<Player>[])[]): CardField[] {
  return columns
    .filter((column) => column.length > 0)
    .map((column, index) => {
      const [first, ...rest] = column;
      if (index > 0 || first === undefined || first.text !== line(first.of))
        return columnField(column, index);
      const heading = md`**${inlineName(cut(first.of.team, NAME_UNITS))}**\n${first.text}`;
      return columnField([{ ...first, text: heading }, ...rest], index);
    });
}

/** Side by side where there is room for it, one below the other on a narrow phone. */
function columnField(column: readonly Item<Player>[], index: number): CardField {
  return {
    name: index === 0 ? md`\u200b` : md`\u200b\u200b`,
    value: joined(
      column.map(({ text }) => text),
      "\n",
    ),
    inline: true,
  };
}

function playerSelect(bindingId: string, options: readonly SelectOption[]) {
  const id = `server-player:${bindingId}`;
  return { kind: "select", of: "string", id, placeholder: "Open a player", options } as const;
}

/** Each value once: Discord refuses a menu with two of the same. */
function optionsOf(players: readonly Player[]): SelectOption[] {
  const options = new Map<string, SelectOption>();
  for (const player of players) {
    const value = playerValue(player);
    if (options.has(value)) continue;
    options.set(value, {
      label: cut(shownName(player.player.name), 100),
      value,
      description: cut(plainText(player.team), 80) || "No team",
    });
  }
  return [...options.values()].slice(0, 25);
}

/** What a menu knows a player by: the id, or the name where the service gave none. */
export function playerValue({ player }: Player): string {
  return player.id === undefined ? `name:${player.name}`.slice(0, 100) : String(player.id);
}
