import type { Button, Row } from "../../../domain/message.ts";

export interface PlayerButtons {
  /** The server that is acted on; undefined: none is linked. */
  readonly bindingId: string | undefined;
  readonly playerId: number;
  /** Only a ban reaches somebody who is not there. */
  readonly inGame: boolean;
  readonly isWatched: boolean;
}

/** What can be done to a player: in the game, and in the books. */
export function playerButtons({ bindingId, playerId, inGame, isWatched }: PlayerButtons): readonly Row[] {
  const id = (action: string) => `player-${action}:${bindingId ?? ""}/${playerId}`;
  const button = (label: string, action: string, style: Button["style"] = "secondary"): Button => ({
    kind: "button",
    label,
    style,
    id: id(action),
  });
  const live = [button("PM", "pm"), button("Kick", "kick"), button("Jail", "jail")];
  const game = [...(inGame ? live : []), button("Ban", "ban", "danger")];
  const watch = isWatched ? button("End watch", "unwatch") : button("Watch", "watch");
  return [
    ...(bindingId === undefined ? [] : [game]),
    [button("Note", "note"), button("Warn", "warn"), watch],
  ];
}
