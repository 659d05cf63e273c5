import { joined, md } from "../../../domain/escaped.ts";
import type { KnownPlayer } from "../../../domain/history.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import { cut, inlineName, plainText, shownName } from "../escape.ts";
import { profile } from "../server/view.ts";
import { AWAY_COLOR } from "./player-card.ts";

/** Who was meant by a name that nobody has, or that several have had. Pure. */

/** Nobody has the name that was typed: who may have been meant, each to be opened by a press. */
export function nobodyNamed(typed: string, near: readonly Required<PlayerRef>[], place: string): MessageBody {
  const buttons = near.map(
    ({ id, name }): Button => ({
      kind: "button",
      style: "secondary",
      label: cut(plainText(shownName(name)), 80),
      id: `player-meant:${place}/${id}`,
    }),
  );
  const title = md`Nobody called ${inlineName(cut(typed, 40))} was seen here`;
  return {
    cards: [{ title, description: md`Did you mean one of these?`, color: AWAY_COLOR }],
    rows: [buttons],
  };
}

/** Several players have, or had, the name that was typed. */
export function whichPlayer(typed: string, found: readonly KnownPlayer[], bindingId: string): MessageBody {
  const options = found.slice(0, 25).map(({ playerId, name, earlierNames }) => ({
    label: cut(plainText(shownName(name)), 100),
    value: String(playerId),
    description:
      earlierNames.length === 0
        ? "Under this name only"
        : cut(`Was ${plainText(earlierNames.join(", "))}`, 100),
  }));
  const lines = found.slice(0, 25).map(({ playerId, name, lastSeenS }) => {
    return md`${profile(playerId, name)} · last seen <t:${lastSeenS}:R>`;
  });
  return {
    cards: [
      {
        title: md`Several players have used the name ${inlineName(typed)}`,
        description: joined(lines, "\n"),
        color: AWAY_COLOR,
      },
    ],
    rows: [
      [
        {
          kind: "select",
          of: "string",
          id: `player-pick:${bindingId}`,
          placeholder: "Open a player",
          options,
        },
      ],
    ],
  };
}
