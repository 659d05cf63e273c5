import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type {
  HistoryRow,
  PresentPlayer,
  RecordedLog,
  RewindView,
  UnrecordedInterval,
} from "../../../domain/history.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import { cut, inlineName, plainText } from "../escape.ts";
import { historyLine } from "./history-line.ts";

/** `/server at`: who was in the server at a time, and what happened in the minutes around it. Pure. */

/** Minutes before and after that one card shows. */
export const REWIND_AROUND_S = 5 * 60;
/** Discord takes 4,096 characters; names in a busy server need room too. */
const ROOM_FOR_ROWS = 2_900;
const ROOM_FOR_NAMES = 700;
const FOLDED_FROM = 4;

export interface RewindCard {
  readonly view: RewindView;
  readonly serverName: string;
  readonly nowS: number;
  /** Who asked for the commands that came through the API. */
  readonly authors: ReadonlyMap<HistoryRow, RunAuthor>;
}

export function rewindCard({ view, serverName, nowS, authors }: RewindCard): MessageBody {
  const { atS } = view;
  const lines = [
    md`**<t:${atS}:F>** (<t:${atS}:R>)`,
    ...presentLines(view),
    ...unknownLines(view),
    "" as const,
    ...rowLines(view, authors),
  ];
  return {
    cards: [
      {
        author: cut(plainText(serverName), 200),
        title: md`⏪ Rewind`,
        description: joined(lines, "\n"),
        color: 0x5b4b8a,
        footer: "Five minutes before and after",
      },
    ],
    rows: [turnButtons(view, nowS)],
  };
}

function presentLines({ present, players, recordedSinceS, atS }: RewindView): Escaped[] {
  if (recordedSinceS === undefined || recordedSinceS > atS) return [];
  const staff = present.filter(({ permission }) => permission !== undefined);
  const count = Math.max(present.length, present.length === 0 ? (players ?? 0) : 0);
  const known =
    present.length > 0
      ? md``
      : players === undefined || players === 0
        ? md``
        : md`, their names are not known`;
  const head =
    count === 0
      ? md`👥 Nobody was in the server, as far as is known`
      : md`👥 **${count}** in the server${known}`;
  const ofStaff = staff.length === 0 ? md`` : md` · 🛡 **${staff.length}** staff`;
  return [md`${head}${ofStaff}`, ...namesLine([...staff, ...present.filter((one) => !staff.includes(one))])];
}

/** Staff first; what does not fit is counted. */
function namesLine(present: readonly PresentPlayer[]): Escaped[] {
  if (present.length === 0) return [];
  const shown: Escaped[] = [];
  let length = 0;
  for (const { player, permission } of present) {
    const name = permission === undefined ? inlineName(player.name) : md`🛡 ${inlineName(player.name)}`;
    length += name.length + 2;
    if (length > ROOM_FOR_NAMES) break;
    shown.push(name);
  }
  const left = present.length - shown.length;
  return [joined([...shown, ...(left === 0 ? [] : [md`${left} more`])], ", ")];
}

const LOG_WORDS = {
  joins: "joins and leaves",
  kills: "kills",
  commands: "commands",
  modCalls: "moderator calls",
} as const satisfies Record<RecordedLog, string>;

function unknownLines({ unrecorded, recordedSinceS, fromS, toS }: RewindView): Escaped[] {
  if (recordedSinceS === undefined) return [md`⚠️ Nothing of this server is recorded yet.`];
  const early =
    recordedSinceS <= fromS
      ? []
      : recordedSinceS > toS
        ? [md`⚠️ Not recorded: the history of this server begins <t:${recordedSinceS}:f>.`]
        : [md`⚠️ Recorded only from <t:${recordedSinceS}:T> on.`];
  return [...early, ...gapLines(unrecorded)];
}

/** One line for each time, with the logs of which rows may be missing. */
function gapLines(unrecorded: readonly UnrecordedInterval[]): Escaped[] {
  const times = Map.groupBy(unrecorded, ({ fromS, toS }) => `${fromS} ${toS}`);
  return [...times.values()].slice(0, 5).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const logs = [...new Set(same.map(({ log }) => log))];
    const all = logs.length === Object.keys(LOG_WORDS).length;
    const time = md`From <t:${first.fromS}:T> to <t:${first.toS}:T>`;
    const named = joined(
      logs.map((log) => md`${LOG_WORDS[log]}`),
      ", ",
    );
    return [all ? md`⚠️ ${time} nothing was recorded.` : md`⚠️ ${time} some may be missing: ${named}.`];
  });
}

/** Oldest first, the asked time between them; where there is no room, those nearest to it. */
function rowLines(
  { rows, atS, isShortened, recordedSinceS, toS }: RewindView,
  authors: RewindCard["authors"],
): Escaped[] {
  if (rows.length === 0) {
    const isKnown = recordedSinceS !== undefined && recordedSinceS <= toS;
    return isKnown ? [md`Nothing happened in these minutes.`] : [];
  }
  const byNearness = folded(rows, authors)
    .map((one, index) => ({ ...one, index }))
    .sort((a, b) => Math.abs(a.row.atS - atS) - Math.abs(b.row.atS - atS) || a.index - b.index);
  const shown: typeof byNearness = [];
  let length = 0;
  for (const one of byNearness) {
    length += one.text.length + 1;
    if (length > ROOM_FOR_ROWS) break;
    shown.push(one);
  }
  shown.sort((a, b) => a.index - b.index);
  const before = shown.filter(({ row }) => row.atS < atS).map(({ text }) => text);
  const after = shown.filter(({ row }) => row.atS >= atS).map(({ text }) => text);
  const left = byNearness.length - shown.length;
  const more =
    left > 0 || isShortened
      ? [md`-# These are the nearest; \`/server at\` with another minute shows more.`]
      : [];
  return [...before, md`**▸ <t:${atS}:T>**`, ...after, ...more];
}

/** Many who were there at the first look are one line. */
function folded(
  rows: RewindView["rows"],
  authors: RewindCard["authors"],
): readonly { row: { readonly atS: number }; text: Escaped }[] {
  const shown: { row: { readonly atS: number }; text: Escaped }[] = [];
  const appeared = Map.groupBy(
    rows.filter(({ kind }) => kind === "appeared"),
    ({ atS }) => atS,
  );
  const told = new Set<number>();
  for (const row of rows) {
    const count = row.kind === "appeared" ? (appeared.get(row.atS)?.length ?? 0) : 0;
    if (count < FOLDED_FROM) shown.push({ row, text: historyLine(row, { author: authors.get(row) }) });
    else if (!told.has(row.atS)) {
      told.add(row.atS);
      shown.push({ row, text: md`<t:${row.atS}:T> 🟢 **${count}** were there, joined unseen before` });
    }
  }
  return shown;
}

function turnButtons({ atS, bindingId }: RewindView, nowS: number): readonly Button[] {
  const step = 2 * REWIND_AROUND_S;
  const turn = (label: string, action: string, toS: number): Button => ({
    kind: "button",
    style: "secondary",
    label,
    id: `rewind-${action}:${bindingId}/${toS}`,
  });
  return [
    turn("Earlier", "earlier", Math.max(0, atS - step)),
    { ...turn("Later", "later", Math.min(nowS, atS + step)), disabled: atS >= nowS - 1 },
    turn("Refresh", "here", atS),
  ];
}
