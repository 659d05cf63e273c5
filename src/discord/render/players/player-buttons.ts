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

/** What can be done to a player: in the game, and in the books. */
export function playerButtons(buttons: PlayerButtons): readonly Row[] {
  const { bindingId, inGame, isWatched, mayBan = true } = buttons;
  const button = (label: string, action: string) => actionButton(buttons, label, action);
  const ban = mayBan ? [banButton(buttons)] : [];
  const game = inGame ? [pmButton(buttons), ...lighterButtons(buttons), ...ban] : ban;
  const watch = isWatched ? button("End watch", "unwatch") : button("Watch", "watch");
  const map: Button = {
    kind: "button",
    style: "secondary",
    label: "Map",
    id: `map-open:${bindingId ?? ""}/p${buttons.playerId}`,
  };
  const where = bindingId === undefined || !inGame ? [] : [map];
  const ask = bindingId === undefined ? [] : [button("Ask for a ban", "ask")];
  return [
    ...(bindingId === undefined || game.length === 0 ? [] : [game]),
    [button("Note", "note"), button("Warn", "warn"), watch, ...ask, ...where],
  ];
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

function actionButton({ bindingId, playerId, name }: ButtonPlace, label: string, action: string): Button {
  const about = PLAIN_NAME.test(name) ? `/${name}` : "";
  const id = `player-${action}:${bindingId ?? ""}/${playerId}${about}`;
  return { kind: "button", style: "secondary", label, id };
}
