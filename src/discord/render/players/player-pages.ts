import { type Escaped, md } from "../../../domain/escaped.ts";
import type { HistoryRow } from "../../../domain/history.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import type { PlayerPage, PlayerPageOptions } from "../../../domain/ports/history.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import { cutLines, inlineName } from "../escape.ts";
import { historyLine, sessionLine } from "./history-line.ts";

/** What stands behind the card of a player, in pages from new to old. Pure. */

export type PlayerListName = PlayerPageOptions["list"];

const TITLES = {
  sessions: "🕒 Sessions",
  kills: "💀 Kills",
  deaths: "💀 Deaths",
  commands: "⌨️ Commands they ran",
  against: "⌨️ Commands against them",
  calls: "🔔 Calls",
} as const satisfies Record<PlayerListName, string>;

export function isPlayerList(text: string): text is PlayerListName {
  return Object.hasOwn(TITLES, text);
}

export interface PlayerPageView {
  readonly player: PlayerRef & { readonly id: number };
  readonly list: PlayerListName;
  readonly page: PlayerPage;
  readonly bindingId: string;
  /** Who asked for the commands that came through the API. */
  readonly authors: ReadonlyMap<HistoryRow, RunAuthor>;
  /** Which members took calls on their cards. */
  readonly takers: ReadonlyMap<HistoryRow, string>;
  /** It is not the first page. */
  readonly isLater: boolean;
}

export function playerPage(view: PlayerPageView): MessageBody {
  const { player, list, page, bindingId, authors, takers, isLater } = view;
  const lines: readonly Escaped[] =
    list === "sessions"
      ? page.sessions.map(sessionLine)
      : page.rows.map((row) =>
          historyLine(row, { day: true, author: authors.get(row), takenBy: takers.get(row) }),
        );
  const nothing = isLater ? md`Nothing older.` : md`Nothing recorded.`;
  const place = `${list}/${bindingId}/${player.id}`;
  const buttons: Button[] = [
    {
      kind: "button",
      style: "secondary",
      label: "Player",
      emoji: "👤",
      id: `player-open:${bindingId}/${player.id}`,
    },
  ];
  if (isLater)
    buttons.push({ kind: "button", style: "secondary", label: "Newest", id: `player-newest:${place}` });
  if (page.older !== undefined) {
    const id = `player-older:${place}/${page.older}`;
    buttons.push({ kind: "button", style: "secondary", label: "Older", id });
  }
  return {
    cards: [
      {
        title: md`${TITLES[list]} · ${inlineName(player.name)}`,
        description: lines.length === 0 ? nothing : cutLines(lines, 4_000),
        color: 0x4a6fa5,
      },
    ],
    rows: [buttons],
  };
}
