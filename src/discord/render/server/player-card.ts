import { type Escaped, md } from "../../../domain/escaped.ts";
import type { Card } from "../../../domain/message.ts";
import type { Player, PlayerLocation, ServerState, Vehicle } from "../../../domain/model.ts";
import { cut, escapeMarkdown, inlineCode, inlineName } from "../escape.ts";
import { type Freshness, isGameStaff, profile, serverCard, stars } from "./view.ts";

/** One player as the latest list shows them. Pure. */

export interface PlayerView {
  readonly state: ServerState;
  readonly player: Player;
  readonly seen: Freshness;
  /** Where people are is for staff: in the game it is not public. */
  readonly showsPlace: boolean;
}

export function playerCard({ state, player, seen, showsPlace }: PlayerView): Card {
  const { id, name } = player.player;
  const who = id === undefined ? md`**${inlineName(name)}**` : md`**${profile(id, name)}**`;
  const lines = [who, ...playerLines(state, player, { showsPlace })];
  return serverCard({ title: md`Player on ${inlineName(state.status.name)}`, lines, seen });
}

/** Team, rank, stars, place and vehicles of somebody who is in the game. */
export function playerLines(state: ServerState, player: Player, { showsPlace = true } = {}): Escaped[] {
  const callsign = player.callsign === undefined ? md`` : md` · callsign ${named(player.callsign)}`;
  const place = showsPlace ? placeText(player.location) : undefined;
  return [
    md`Team: ${named(player.team)}${callsign}`,
    ...(isGameStaff(player) ? [md`🛡 ${named(player.permission.replace(/^Server /, ""))}`] : []),
    player.wantedStars > 0 ? md`🚨 Wanted ${stars(player.wantedStars)}` : md`Not wanted`,
    ...(place === undefined ? [] : [md`📍 ${place}`]),
    ...vehicleLines(state.lists.vehicles?.value, player.player.name),
  ];
}

function named(text: string): Escaped {
  return text.trim() === "" ? md`none` : escapeMarkdown(cut(text, 60));
}

/** `12 Main Street, postal 204`; undefined when the service says nothing of it. */
export function placeText(location: PlayerLocation | undefined): Escaped | undefined {
  const street = [location?.buildingNumber, location?.streetName].filter(Boolean).join(" ");
  return placeWords({ street, postal: location?.postalCode });
}

/** `Main Street, postal 204`: a place has these words wherever it is named. */
export function placeWords(
  { street, postal }: { readonly street?: string | undefined; readonly postal?: string | undefined },
  room = 80,
): Escaped | undefined {
  const code = postal === undefined || postal.trim() === "" ? "" : `postal ${postal}`;
  const text = [street ?? "", code].filter((part) => part.trim() !== "").join(", ");
  return text === "" ? undefined : escapeMarkdown(cut(text, room));
}

/** The service names an owner of a vehicle by the bare name. */
function vehicleLines(vehicles: readonly Vehicle[] | undefined, name: string): Escaped[] {
  const owned = (vehicles ?? []).filter(({ owner }) => owner === name);
  return owned.slice(0, 3).map((vehicle) => {
    const plate = vehicle.plate === undefined ? md`` : md` ${inlineCode(vehicle.plate, 20)}`;
    return md`🚗 ${named(vehicle.name)}${plate}`;
  });
}
