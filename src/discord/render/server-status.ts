import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Card, CardField } from "../../domain/message.ts";
import type { Player, ServerState, ServerStatus, Staff, Vehicle } from "../../domain/model.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";

/** How `/server ...` reads. Pure: what is known of a server, and how old it is, as cards. */

export interface Freshness {
  /** When it was seen, epoch milliseconds. */
  readonly atMs: number;
  /** Why nothing newer can be had, in words; absent when this is the newest. */
  readonly staleWhy?: Escaped;
}

const liveColor = 0x2d7d46;
const staleColor = 0xe0a100;
/** Discord's limit for a description, less the lines that stand around a list. */
const longestList = 3_800;

export function statusCard(status: ServerStatus, seen: Freshness): Card {
  const fields: CardField[] = [
    { name: md`Players`, value: md`**${status.currentPlayers}** of ${status.maxPlayers}`, inline: true },
    { name: md`Owner`, value: profile(status.ownerId), inline: true },
    { name: md`Co-owners`, value: coOwners(status.coOwnerIds), inline: true },
    { name: md`Account verification`, value: orDash(escapeMarkdown(status.accVerifiedReq)), inline: true },
    { name: md`Team balance`, value: status.teamBalance ? md`On` : md`Off`, inline: true },
  ];
  return card(title(status), ageLines(seen), seen, fields);
}

/** The join key lets anybody in: a message of its own, for staff and only for who asked. */
export function joinKeyText(status: ServerStatus): Escaped {
  return md`🔑 Join key of **${inlineName(status.name)}**: ${inlineCode(status.joinKey)}\n-# Only you see this.`;
}

/** Where people are is for staff: in the game it is not public. */
export function playersCard(
  state: ServerState,
  players: readonly Player[],
  seen: Freshness,
  staff: boolean,
): Card {
  const teams = Map.groupBy(players, ({ team }) => team);
  const lines = [...teams]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([team, members], index) => [
      ...(index === 0 ? [] : [md``]),
      md`**${orDash(escapeMarkdown(team))}** · ${members.length}`,
      ...members.map((player) => playerLine(player, staff)),
    ]);
  const heading = md`**${players.length}** of ${state.status.maxPlayers} players`;
  return card(md`Players of ${title(state.status)}`, [heading, ...ageLines(seen), md``, ...fit(lines)], seen);
}

function playerLine(
  { player, callsign, permission, wantedStars, location }: Player,
  staff: boolean,
): Escaped {
  const parts = [
    md`${inlineName(player.name)}${player.id === undefined ? "" : md` ${inlineCode(String(player.id))}`}`,
  ];
  if (callsign !== undefined) parts.push(escapeMarkdown(cut(callsign, 30)));
  if (permission !== "Normal") parts.push(md`🛡 ${escapeMarkdown(permission.replace(/^Server /, ""))}`);
  if (wantedStars > 0) parts.push(md`${stars(wantedStars)} wanted`);
  if (staff && location !== undefined) {
    const where = [location.buildingNumber, location.streetName].filter(Boolean).join(" ");
    const postal = location.postalCode === undefined ? "" : `postal ${location.postalCode}`;
    const text = [where, postal].filter(Boolean).join(", ");
    if (text !== "") parts.push(md`📍\u00a0${escapeMarkdown(cut(text, 60))}`);
  }
  return md`• ${joined(parts, " · ")}`;
}

/** `online`: ids of those who are in the server now; undefined when the player list is not known. */
export function staffCard(
  state: ServerState,
  staff: Staff,
  online: ReadonlySet<number> | undefined,
  seen: Freshness,
): Card {
  const group = (name: "Administrators" | "Moderators" | "Helpers", people: ReadonlyMap<number, string>) => [
    md`**${name}** · ${people.size}`,
    ...[...people].map(([id, person]) => {
      const mark = online?.has(id) === true ? " · 🟢 in the server" : "";
      return md`• ${inlineName(person)} ${inlineCode(String(id))}${mark}`;
    }),
  ];
  const lines = [
    ...group("Administrators", staff.admins),
    ...group("Moderators", staff.mods),
    ...group("Helpers", staff.helpers),
  ];
  return card(md`Staff of ${title(state.status)}`, [...ageLines(seen), md``, ...fit(lines)], seen);
}

export function vehiclesCard(state: ServerState, vehicles: readonly Vehicle[], seen: Freshness): Card {
  const lines = vehicles.map(({ name, owner, plate, texture, colorName }) => {
    const parts = [md`**${escapeMarkdown(cut(name, 60))}** of ${inlineName(owner)}`];
    if (plate !== undefined) parts.push(inlineCode(plate));
    const look = [colorName, texture].filter((part) => part !== undefined).join(", ");
    if (look !== "") parts.push(escapeMarkdown(cut(look, 60)));
    return md`• ${joined(parts, " · ")}`;
  });
  const heading = md`**${vehicles.length}** on the streets`;
  return card(
    md`Vehicles of ${title(state.status)}`,
    [heading, ...ageLines(seen), md``, ...fit(lines)],
    seen,
  );
}

export function queueCard(state: ServerState, queue: readonly number[], seen: Freshness): Card {
  const lines = queue.map((id, place) => md`${place + 1}\\. ${profile(id)}`);
  const heading = queue.length === 0 ? md`Nobody waits to join.` : md`**${queue.length}** waiting to join`;
  return card(md`Queue of ${title(state.status)}`, [heading, ...ageLines(seen), md``, ...fit(lines)], seen);
}

function card(
  heading: Escaped,
  lines: readonly Escaped[],
  seen: Freshness,
  fields?: readonly CardField[],
): Card {
  return {
    title: heading,
    description: joined(lines, "\n"),
    color: seen.staleWhy === undefined ? liveColor : staleColor,
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Discord shows Markdown in titles too. */
function title({ name }: ServerStatus): Escaped {
  return inlineName(name);
}

function ageLines({ atMs, staleWhy }: Freshness): Escaped[] {
  const seen = md`-# Seen <t:${Math.floor(atMs / 1000)}:R>`;
  return staleWhy === undefined ? [seen] : [md`⏳ Not up to date: ${staleWhy}`, seen];
}

/** Whole lines only; what does not fit is counted, never silently left out. */
function fit(lines: readonly Escaped[]): Escaped[] {
  const kept: Escaped[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > longestList) return [...kept, md`-# and ${lines.length - kept.length} more lines`];
    kept.push(line);
  }
  return kept;
}

function stars(count: number): Escaped {
  return markdownOfOurs("★".repeat(Math.min(count, 5)));
}

/** A person of the game, of whom only the id is known. */
export function profile(id: number): Escaped {
  return md`[${id}](https://www.roblox.com/users/${id}/profile)`;
}

/** A field holds 1,024 characters: about a dozen of these links. */
function coOwners(ids: readonly number[]): Escaped {
  const shown = joined(ids.slice(0, 12).map(profile), ", ");
  return ids.length > 12 ? md`${shown} and ${ids.length - 12} more` : orDash(shown);
}

function orDash(text: Escaped): Escaped {
  return text === "" ? md`—` : text;
}
