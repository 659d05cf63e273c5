import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { Attachment, Button, Card, CardField, MessageBody } from "../../../domain/message.ts";
import type { PictureLook } from "../../../domain/picture-look.ts";
import type { CallFigures, Picture, ServerStats } from "../../../domain/stats.ts";
import { momentIn } from "../day-words.ts";
import { cut, plainText } from "../escape.ts";
import { fullestSpan, spanWords, uncoveredSpans } from "./staff-need.ts";
import {
  amount,
  count,
  FEW_CALLS,
  joinsWords,
  lasting,
  PERIODS,
  type PeriodDays,
  periodWords,
} from "./stats-words.ts";

/** `/stats server`: how full a server was, when, and whether staff was there. Words first, pictures below. Pure. */

export const STATS_COLOR = 0x2f7fd0;
/** Below this part of the time averages say so. */
const WHOLE_FROM = 0.98;
const LONGEST_WORDS = 1_000;

export interface ServerStatsView {
  readonly stats: ServerStats;
  readonly serverName: string;
  readonly title: Escaped;
  /** PNG of `serverPictures`, in their order; undefined: none. */
  readonly pngs: readonly Uint8Array[] | undefined;
  /** Why there is no picture, or that one follows. */
  readonly pictureWords?: Escaped | undefined;
}

/** What is drawn of these figures; nothing where nothing is known. `when`: plain words such as "last 7 days". */
export function serverPictures(stats: ServerStats, look: PictureLook, when: string): readonly Picture[] {
  if (stats.knownS === 0) return [];
  const { zone, stepKind } = stats;
  const steps = stats.steps.map(({ startS, knownS, players, peak, staff }) => ({
    startS,
    knownS,
    ...(players === undefined ? {} : { players }),
    ...(peak === undefined ? {} : { peak }),
    ...(staff === undefined ? {} : { staff }),
  }));
  const week = stats.week.map(({ knownS, players, uncoveredS }) => ({
    knownS,
    uncoveredS,
    ...(players === undefined ? {} : { players }),
  }));
  const line: Picture = { kind: "players", look, title: `Players, ${when}`, zone, stepKind, steps };
  const isWeek = stats.toS - stats.fromS > 2 * 86_400;
  return isWeek ? [line, { kind: "week", look, title: `The hours of the week, ${when}`, week }] : [line];
}

/** The words for those who cannot see them, in the order of `serverPictures`. Plain text. */
function pictureWords(stats: ServerStats): readonly string[] {
  const { players = 0, peak = 0, peakAtS, staff, zone, week } = stats;
  const at = peakAtS === undefined ? "" : ` at ${momentIn(zone, peakAtS)}`;
  const ofStaff = staff === undefined ? "" : ` Staff on average: ${amount(staff)}.`;
  const fullest = fullestSpan(week);
  const full =
    fullest === undefined ? "" : ` Fullest: ${spanWords(fullest)}, ${amount(fullest.players)} players.`;
  const open = uncoveredSpans(week, 6).map(spanWords).join("; ");
  const without = open === "" ? "" : ` Players without staff: ${open}.`;
  return [
    `Players, ${stats.stepKind} by ${stats.stepKind}: ${amount(players)} on average, ${peak} at most${at}.${ofStaff}`,
    `Players at each hour of the week.${full}${without}`,
  ].map((words) => cut(plainText(words), LONGEST_WORDS));
}

/** The card, and a second one for the second picture. */
export function serverStatsMessage(view: ServerStatsView): MessageBody {
  const { stats, serverName, title } = view;
  const { files, first, others } = pictureFiles(stats, view.pngs);
  const lines = [...knownLines(stats), ...(view.pictureWords === undefined ? [] : [view.pictureWords])];
  const card: Card = {
    author: cut(plainText(serverName), 200),
    title,
    color: STATS_COLOR,
    ...(lines.length === 0 ? {} : { description: joined(lines, "\n") }),
    ...(stats.knownS === 0 && stats.joins === 0 ? {} : { fields: fieldsOf(stats) }),
    ...(first === undefined ? {} : { imageName: first.name }),
    footer: `Times in ${stats.zone}`,
  };
  return {
    cards: [card, ...others],
    ...(files.length === 0 ? {} : { files }),
  };
}

/** The files of a message's pictures: the first stands on its card, each other one on a card of its own. */
export function pictureFiles(stats: ServerStats, pngs: readonly Uint8Array[] = []) {
  const words = pictureWords(stats);
  const files: readonly Attachment[] = pngs.map((data, at) => ({
    name: `stats-${at + 1}.png`,
    data,
    description: words[at] ?? "",
  }));
  const [first, ...rest] = files;
  const others: readonly Card[] = rest.map(({ name }) => ({ color: STATS_COLOR, imageName: name }));
  return { files, first, others };
}

/** Other times for the same server. */
export function periodButtons(bindingId: string, shown: PeriodDays): readonly Button[] {
  return PERIODS.map(({ days, short: label }) => ({
    kind: "button",
    label,
    id: `stats-server:${bindingId}/${days}`,
    style: days === shown ? "primary" : "secondary",
  }));
}

/** What the figures do not cover, in plain words. */
export function knownLines(stats: ServerStats): readonly Escaped[] {
  const { fromS, toS, knownS, joins, recordedSinceS, unrecordedS, zone } = stats;
  if (recordedSinceS === undefined) return [md`⚠️ Nothing is recorded for this server yet.`];
  if (knownS === 0 && joins === 0) return [md`⚠️ Nothing was recorded in this period.`];
  const began = recordedSinceS > fromS;
  const part =
    knownS === 0
      ? [md`⚠️ How many were in the game was not recorded in this period.`]
      : knownS >= (toS - fromS) * WHOLE_FROM
        ? []
        : began
          ? [md`⚠️ Records of this server start ${momentIn(zone, recordedSinceS)}. ${partWords(stats)}.`]
          : [md`⚠️ ${partWords(stats)}; the rest was not recorded.`];
  const missing =
    unrecordedS === 0 ? [] : [md`⚠️ For ${lasting(unrecordedS)} joins, kills or calls may be missing.`];
  return [...part, ...missing];
}

/** `Based on 162 of 168 hours`; of the first hour, its minutes. */
function partWords({ fromS, toS, knownS }: ServerStats): Escaped {
  const known = knownS < 3_600 ? lasting(knownS) : amount(knownS / 3_600);
  return md`Based on ${known} of ${amount((toS - fromS) / 3_600)} hours`;
}

function fieldsOf(stats: ServerStats): readonly CardField[] {
  const { players, peak, peakAtS, joins, visitors, kills, zone } = stats;
  const average =
    players === undefined || peak === undefined
      ? md`Not known`
      : md`On average **${amount(players)}**, at most **${peak}**${peakAtS === undefined ? md`` : md` (${momentIn(zone, peakAtS)})`}`;
  const came = joinsWords(joins);
  const by = visitors === 1 ? md`**1** player` : md`**${count(visitors)}** players`;
  return [
    { name: md`👥 Players`, value: md`${average}\n${by} in all, ${came}` },
    staffField(stats),
    { name: md`🔔 Moderator calls`, value: callLines(stats.calls) },
    { name: md`💀 Kills`, value: md`**${count(kills)}**` },
    needField(stats, 3),
  ];
}

function staffField({ staff, uncoveredS }: ServerStats): CardField {
  const name = md`🛡 Staff in the game`;
  if (staff === undefined) return { name, value: md`Not known` };
  const without =
    uncoveredS === 0
      ? md`Staff were always on with players`
      : md`Players without staff: **${lasting(uncoveredS)}**`;
  return { name, value: md`On average **${amount(staff)}**\n${without}` };
}

/** Calls, and how soon they were answered; few of them are said to be few. */
export function callLines({ calls, answered, timed, medianAnswerS }: CallFigures): Escaped {
  if (calls === 0) return md`None`;
  const head = md`Called **${calls === 1 ? md`once` : md`${count(calls)} times`}** · answered: **${count(answered)}**`;
  if (medianAnswerS === undefined) return head;
  return md`${head}\n${typicalAnswer(medianAnswerS, timed)}`;
}

/** `Typical answer: 2 min`; of few answers it says how few. */
export function typicalAnswer(medianAnswerS: number, timed: number): Escaped {
  const few = timed >= FEW_CALLS ? md`` : timed === 1 ? md` (only 1 answer)` : md` (only ${timed} answers)`;
  return md`Typical answer: **${lasting(medianAnswerS)}**${few}`;
}

/** The hours that had players and no staff, the worst first, and the fullest ones. */
export function needField(
  { week, staff, uncoveredS }: Pick<ServerStats, "week" | "staff" | "uncoveredS">,
  most: number,
): CardField {
  const spans = uncoveredSpans(week, most);
  const fullest = fullestSpan(week);
  const lines = [
    ...(staff === undefined
      ? []
      : spans.length > 0
        ? [md`Players and no staff:`]
        : uncoveredS === 0
          ? [md`Staff were on whenever players were`]
          : [md`No hour was often without staff`]),
    ...spans.map(
      (span) =>
        md`○ **${spanWords(span)}** ${lasting(span.uncoveredS)}, ${amount(span.players)}\u00a0players`,
    ),
    ...(fullest === undefined
      ? []
      : [md`Fullest: **${spanWords(fullest)}**, ${amount(fullest.players)}\u00a0players`]),
  ];
  return {
    name: md`🗓 When staff are needed`,
    value: lines.length === 0 ? md`Not known` : joined(lines, "\n"),
  };
}

/** The title of a time up to now. */
export function periodTitle(days: PeriodDays): Escaped {
  return md`📊 Last ${periodWords(days)}`;
}
