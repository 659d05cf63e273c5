import type { Button, Row } from "../../../domain/message.ts";

export interface PlayerButtons {
  /** The server that is acted on; undefined: none is linked. */
  readonly bindingId: string | undefined;
  readonly playerId: number;
  /** Their name, for the title of a form: a form opens before anything can be read. */
  readonly name: string;
  /** Only a ban reaches somebody who is not there. */
  readonly inGame: boolean;
  readonly isWatched: boolean;
  /** False: the one person who sees the buttons may not ban. @default true */
  readonly mayBan?: boolean;
}

/** Names as the game platform gives them; others could grow the id of a button past Discord's limit. */
const PLAIN_NAME = /^\w{1,24}$/;

/** As many as a phone takes in at once, and as Discord takes in a row. */
const MOST_SHOWN = 5;

/**
 * What can be done to a player, in the game and in the books: at most five buttons, the rest behind *More*. `before`
 * stands first.
 */
export function playerButtons(buttons: PlayerButtons, before: readonly Button[] = []): readonly Row[] {
  const all = actsOf(buttons);
  const room = MOST_SHOWN - before.length;
  if (all.length <= room) return [[...before, ...all]];
  const shown = room - 1;
  return [[...before, ...all.slice(0, shown), moreButton(buttons, shown)]];
}

/** Its id says how many stand before it. */
function moreButton(place: ButtonPlace, shown: number): Button {
  return { kind: "button", style: "secondary", label: "More", id: `player-more:${shown}/${placeOf(place)}` };
}

/** What stands behind *More* where so many stand before it. */
export function morePlayerButtons(buttons: PlayerButtons, shown: number): readonly Row[] {
  const rest = actsOf(buttons).slice(shown);
  return [rest.slice(0, MOST_SHOWN), rest.slice(MOST_SHOWN)].filter((row) => row.length > 0);
}

/** What is needed first stands first: of who is there what stops them, of who is away what is written down. */
function actsOf(buttons: PlayerButtons): readonly Button[] {
  const { bindingId, inGame, isWatched, mayBan = true } = buttons;
  const button = (label: string, action: string) => actionButton(buttons, label, action);
  const warn = button("Warn", "warn");
  const note = button("Note", "note");
  const watch = isWatched ? button("End watch", "unwatch") : button("Watch", "watch");
  if (bindingId === undefined) return [note, warn, watch];
  const ban = mayBan ? [banButton(buttons)] : [];
  const ask = button("Ask for a ban", "ask");
  if (!inGame) return [...ban, note, warn, watch, ask];
  const map: Button = {
    kind: "button",
    style: "secondary",
    label: "Map",
    id: `map-open:${bindingId}/p${buttons.playerId}`,
  };
  return [pmButton(buttons), ...lighterButtons(buttons), warn, note, ...ban, watch, ask, map];
}

export type ButtonPlace = Pick<PlayerButtons, "bindingId" | "playerId" | "name">;

export function pmButton(place: ButtonPlace): Button {
  return actionButton(place, "PM", "pm");
}

/** What ends a spree, and any Moderator may do. */
export function lighterButtons(place: ButtonPlace): readonly Button[] {
  return [actionButton(place, "Kick", "kick"), actionButton(place, "Jail", "jail")];
}

function banButton(place: ButtonPlace): Button {
  return { ...actionButton(place, "Ban", "ban"), style: "danger" };
}

function actionButton(place: ButtonPlace, label: string, action: string): Button {
  return { kind: "button", style: "secondary", label, id: `player-${action}:${placeOf(place)}` };
}

function placeOf({ bindingId, playerId, name }: ButtonPlace): string {
  const about = PLAIN_NAME.test(name) ? `/${name}` : "";
  return `${bindingId ?? ""}/${playerId}${about}`;
}
