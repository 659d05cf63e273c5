import { type Escaped, joined, markdownOfOurs, md } from "../../../domain/escaped.ts";
import type {
  HistoryRow,
  PresentPlayer,
  RecordedLog,
  RewindView,
  UnrecordedInterval,
} from "../../../domain/history.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import { clockIn } from "../../../domain/time-zones.ts";
import { cut, inlineName, plainText } from "../escape.ts";
import { type RewindOrigin, rewindId, turnButtons } from "./rewind-buttons.ts";
import { type ShownRow, shownRows } from "./rewind-rows.ts";

/** `/server at`: who was in the server at a time, and what happened in the minutes around it. Pure. */

/** Discord takes 4,096 characters; names in a busy server need room too. */
const ROOM_FOR_ROWS = 2_900;
const ROOM_FOR_NAMES = 700;
const COLOR = 0x5b4b8a;
/** The server was read a moment ago: what is shown is what there is. */
const JUST_READ_S = 120;
/** Of the rows before a call, above those after it: about a phone's height. A few more need no part of their own. */
const NEAREST_BEFORE = 10;
const MOST_BEFORE = 13;

export interface RewindCard {
  readonly view: RewindView;
  readonly serverName: string;
  readonly nowS: number;
  /** Who asked for the commands that came through the API. */
  readonly authors: ReadonlyMap<HistoryRow, RunAuthor>;
  /** Which members took calls on their cards. */
  readonly takers: ReadonlyMap<HistoryRow, string>;
  /** Where people were then is kept. */
  readonly hasReplay: boolean;
  /** It was opened from the call, or the alert, of that second, and begins with it. */
  readonly openedFrom?: RewindOrigin | undefined;
  /** Only what concerns this player is shown. */
  readonly player?: Required<PlayerRef> | undefined;
  /** Whom it can be narrowed to by one press. */
  readonly offered?: Required<PlayerRef> | undefined;
}

export function rewindCard(card: RewindCard): MessageBody {
  const { view, serverName, player } = card;
  const { atS } = view;
  const lines = [
    md`**<t:${atS}:f>** (<t:${atS}:R>)`,
    ...(isUnread(card, atS) ? [] : player === undefined ? presentLines(view) : presenceLines(view, player)),
    ...unknownLines(card),
    "" as const,
    ...rowLines(card),
  ];
  return {
    cards: [
      {
        author: cut(plainText(serverName), 200),
        title: player === undefined ? md`⏪ Rewind` : md`⏪ Rewind of ${inlineName(player.name)}`,
        description: joined(lines, "\n"),
        color: COLOR,
        footer: "Five minutes before and after",
      },
    ],
    rows: [
      turnButtons({ ...card, bindingId: view.bindingId, atS }),
      ...(card.hasReplay ? [[replayButton(card)]] : []),
    ],
  };
}

function replayButton({ view, player, offered }: RewindCard): Button {
  const place = { bindingId: view.bindingId, atS: view.atS, playerId: (player ?? offered)?.id };
  return {
    kind: "button",
    style: "secondary",
    label: "Replay",
    emoji: "🎞️",
    id: `replay-open:${rewindId(place)}`,
  };
}

/** Nobody has read the server since before that second, which is over: what is known last says nothing of it. */
function isUnread({ view: { readUntilS }, nowS }: RewindCard, atS: number): boolean {
  return readUntilS !== undefined && readUntilS < atS && readUntilS < nowS - JUST_READ_S;
}

function presenceLines({ present, recordedSinceS, atS }: RewindView, { id }: PlayerRef): Escaped[] {
  if (recordedSinceS === undefined || recordedSinceS > atS) return [];
  const isThere = present.some(({ player }) => player.id === id);
  return [isThere ? md`🟢 Was in the server` : md`⚪ Was not in the server`];
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
  const head = count === 0 ? md`👥 Nobody was seen in the server` : md`👥 **${count}** in the server${known}`;
  const ofStaff = staff.length === 0 ? md`` : md` · 🛡 **${staff.length}** staff`;
  return [md`${head}${ofStaff}`, ...namesLine([...staff, ...present.filter((one) => !staff.includes(one))])];
}

/** Staff first; what does not fit is counted. */
function namesLine(present: readonly PresentPlayer[]): Escaped[] {
  if (present.length === 0) return [];
  const shown: Escaped[] = [];
  let length = 0;
  for (const { player, permission } of present) {
    const name = permission === undefined ? inlineName(player.name) : md`🛡\u00a0${inlineName(player.name)}`;
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

function unknownLines(card: RewindCard): Escaped[] {
  const { view } = card;
  const { recordedSinceS, fromS, toS, readUntilS = toS } = view;
  if (recordedSinceS === undefined) return [md`⚠️ Nothing is recorded for this server yet.`];
  const early =
    recordedSinceS <= fromS
      ? []
      : recordedSinceS > toS
        ? [md`⚠️ Not recorded: records of this server start <t:${recordedSinceS}:f>.`]
        : [md`⚠️ Only recorded from <t:${recordedSinceS}:T> on.`];
  const late = !isUnread(card, toS)
    ? []
    : readUntilS < fromS
      ? [md`⚠️ Not recorded: the server was last read <t:${readUntilS}:f>.`]
      : [md`⚠️ Only recorded up to <t:${readUntilS}:T>.`];
  return [...early, ...late, ...gapLines(view)];
}

/**
 * One line for each time, with the logs of which rows may be missing. Of a time that began days ago only these minutes:
 * what is written is the clock alone.
 */
function gapLines({ unrecorded, fromS, toS }: RewindView): Escaped[] {
  const inView = unrecorded.map((one): UnrecordedInterval => {
    return { ...one, fromS: Math.max(one.fromS, fromS), toS: Math.min(one.toS, toS) };
  });
  const times = Map.groupBy(inView, (one) => `${one.fromS} ${one.toS}`);
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
function rowLines(card: RewindCard): Escaped[] {
  const { view, openedFrom, player } = card;
  const { rows, atS, isShortened, recordedSinceS, toS } = view;
  if (rows.length === 0) {
    const isKnown = recordedSinceS !== undefined && recordedSinceS <= toS && !isUnread(card, view.fromS);
    const nothing =
      player === undefined
        ? md`Nothing happened in these minutes.`
        : md`Nothing about them in these minutes.`;
    return isKnown ? [nothing] : [];
  }
  const byNearness = shownRows(causeFirst(view.rows), card)
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
  const left = moreLines(byNearness.length - shown.length, isShortened);
  if (openedFrom === "call") return [...fromCall(shown, atS), ...left];
  const head = md`**▸ <t:${atS}:T>**`;
  const before = shown.filter(({ row }) => row.atS < atS);
  const after = shown.filter(({ row }) => row.atS >= atS).map(({ text }) => text);
  if (openedFrom === "alert") return [head, ...after, ...latestFirst(before.toReversed()), ...left];
  return [...before.map(({ text }) => text), head, ...after, ...left];
}

/** What led to the moment that a rewind begins with. */
function latestFirst(rows: readonly ShownRow[]): Escaped[] {
  return part(md`**Earlier, latest first**`, rows);
}

function part(title: Escaped, rows: readonly ShownRow[]): Escaped[] {
  return rows.length === 0 ? [] : [title, ...rows.map(({ text }) => text)];
}

/** A command stands above what it did within the same second; what else happened keeps its order. */
function causeFirst(rows: readonly HistoryRow[]): readonly HistoryRow[] {
  const effect = ({ kind }: HistoryRow) => (kind === "command" ? 0 : 1);
  return rows.toSorted((a, b) => a.atS - b.atS || effect(a) - effect(b));
}

function moreLines(left: number, isShortened: boolean): Escaped[] {
  return left > 0 || isShortened
    ? [md`-# Only the nearest are shown. Use \`/server at\` with another minute for more.`]
    : [];
}

/**
 * The call first, then what led to it, the nearest first, then what came of it. Of much that led to it the farther part
 * comes last: what came of it would lie below all of that.
 */
function fromCall(shown: readonly ShownRow[], atS: number): Escaped[] {
  const isCall = ({ row }: ShownRow) => row.kind === "modCall" && row.atS === atS;
  const calls = shown.filter(isCall).map(({ text }) => md`**▸** ${text}`);
  const others = shown.filter((one) => !isCall(one));
  // Of the call's own second, what led to it: a player is killed first and calls then.
  const before = others.filter(({ row }) => row.atS <= atS).toReversed();
  const after = others.filter(({ row }) => row.atS > atS);
  const split = after.length === 0 || before.length <= MOST_BEFORE ? before.length : NEAREST_BEFORE;
  return [
    ...(calls.length === 0 ? [md`**▸ <t:${atS}:T>**`] : calls),
    ...latestFirst(before.slice(0, split)),
    ...part(md`**Later**`, after),
    ...part(md`**Even earlier, latest first**`, before.slice(split)),
  ];
}

export interface TwiceShown {
  readonly bindingId: string;
  /** IANA name. */
  readonly zone: string;
  readonly times: readonly number[];
  readonly playerId?: number | undefined;
}

/** The clocks went back that night: which of the two times is meant. */
export function whichMoment({ bindingId, zone, times, playerId }: TwiceShown): MessageBody {
  const [first = 0] = times;
  const clock = markdownOfOurs(clockIn(zone, first * 1_000).slice(-5));
  return {
    cards: [
      {
        title: md`⏪ Which ${clock}?`,
        description: md`The clocks went back that night, so ${clock} came twice.`,
        color: COLOR,
      },
    ],
    rows: [
      times.map((atS, nth) => ({
        kind: "button",
        style: "secondary",
        label: `${nth === 0 ? "First" : "Second"} (${offsetOf(zone, atS)})`,
        id: `rewind-here:${rewindId({ bindingId, atS, playerId })}`,
      })),
    ],
  };
}

/** `GMT+2` */
function offsetOf(zone: string, atS: number): string {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" });
  return format.formatToParts(atS * 1_000).find(({ type }) => type === "timeZoneName")?.value ?? "";
}
