import { channelMention, type Escaped, joined, markdownOfOurs, md } from "../../../domain/escaped.ts";
import type { CardField, MessageBody } from "../../../domain/message.ts";
import type { DutyWeek } from "../../../domain/ports/staffing.ts";
import type { WeeklyRenderer, WeeklyView } from "../../../domain/ports/weekly.ts";
import type { ServerStats } from "../../../domain/stats.ts";
import { momentIn } from "../day-words.ts";
import { cut, plainText } from "../escape.ts";
import { markedUrl } from "../hidden-marks.ts";
import { refusedText } from "../refused-text.ts";
import {
  callLines,
  knownLines,
  needField,
  pictureFiles,
  STATS_COLOR,
  serverPictures,
} from "./server-stats.ts";
import { amount, count, joinsWords, lasting } from "./stats-words.ts";

/** The summary of a week in a channel: what it was, what changed, when staff was missing. Pure. */

const DAY_S = 86_400;
/** Of a week of which less is known nothing is said to have changed. */
const COMPARED_FROM_S = 3 * DAY_S;
/** Sums of two weeks are compared where as much is known of both, but for this part. */
const SUMS_FROM = 0.9;
const MOST_SPANS = 6;
/** Before the key in the address of the title. */
const MARK = "summary-";
/** Summaries of earlier versions show the key. */
const SHOWN_MARK = " · summary ";

function summary({ binding, stats, before, duty, pngs, key }: WeeklyView): MessageBody {
  const { files, first, others } = pictureFiles(stats, pngs);
  const isComparable = stats.knownS >= COMPARED_FROM_S && before.knownS >= COMPARED_FROM_S;
  const isWhole = isAsKnown(stats, before);
  const lines = [
    ...knownLines(stats),
    ...(stats.knownS === 0 || (isComparable && isWhole) ? [] : [isComparable ? SUMS_APART : TOO_LITTLE]),
  ];
  return {
    cards: [
      {
        author: cut(plainText(binding.name), 200),
        title: md`📅 Week of ${dates(stats)}`,
        color: STATS_COLOR,
        ...(lines.length === 0 ? {} : { description: joined(lines, "\n") }),
        fields: [
          ...(stats.knownS === 0 && stats.joins === 0
            ? []
            : fieldsOf(stats, {
                averages: isComparable ? before : undefined,
                sums: isComparable && isWhole ? before : undefined,
              })),
          ...dutyFields(duty),
        ],
        ...(first === undefined ? {} : { imageName: first.name }),
        url: markedUrl(binding, `${MARK}${key}`),
        footer: `Times in ${stats.zone}`,
      },
      ...others,
    ],
    ...(files.length === 0 ? {} : { files }),
  };
}

const TOO_LITTLE = md`-# Not enough data to compare this week with the one before.`;
const SUMS_APART = md`-# Less was recorded of one of the two weeks, so joins, kills, calls and time without staff are not compared.`;

/** Whether of both weeks about as much is known: a sum over less of a week is smaller by that alone. */
function isAsKnown(one: ServerStats, other: ServerStats): boolean {
  const [less = 0, more = 0] = [recordedS(one), recordedS(other)].sort((a, b) => a - b);
  return less >= more * SUMS_FROM;
}

/** Of this time the looks are known, and no rows may be missing. */
function recordedS({ fromS, toS, knownS, unrecordedS }: ServerStats): number {
  return Math.min(knownS, toS - fromS - unrecordedS);
}

interface Before {
  readonly averages: ServerStats | undefined;
  readonly sums: ServerStats | undefined;
}

function fieldsOf(stats: ServerStats, { averages, sums }: Before): readonly CardField[] {
  const { players, peak, peakAtS, joins, kills, staff, uncoveredS, calls, zone } = stats;
  const peakAt = peakAtS === undefined ? md`` : md` (${momentIn(zone, peakAtS)})`;
  const average =
    players === undefined || peak === undefined
      ? md`Not known`
      : md`On average **${amount(players)}**${change(players, averages?.players)}, at most **${peak}**${peakAt}`;
  return [
    {
      name: md`👥 Players`,
      value: md`${average}\n${joinsWords(joins)}${change(joins, sums?.joins)}`,
    },
    {
      name: md`🛡 Staff in the game`,
      value:
        staff === undefined
          ? md`Not known`
          : md`On average **${amount(staff)}**${change(staff, averages?.staff)}\nPlayers without staff: **${lasting(uncoveredS)}**${longer(uncoveredS, sums?.uncoveredS)}`,
    },
    {
      name: md`🔔 Moderator calls`,
      value: md`${callLines(calls)}${sums === undefined ? md`` : md`\n-# The week before: ${count(sums.calls.calls)}, answered: ${count(sums.calls.answered)}`}`,
    },
    { name: md`💀 Kills`, value: md`**${count(kills)}**${change(kills, sums?.kills)}` },
    needField(stats, MOST_SPANS),
  ];
}

function dutyFields(duty: DutyWeek | undefined): readonly CardField[] {
  if (duty === undefined) return [];
  const { countedS, people, met, notMet, notMetYet, excused, onLeave } = duty;
  const missing = [
    ...(notMet > 0 || notMetYet === 0 ? [md`**${notMet}** not met`] : []),
    // A month is not over with the week.
    ...(notMetYet === 0 ? [] : [md`**${notMetYet}** not met yet`]),
  ];
  const lines = [
    md`**${lasting(countedS)}** by ${count(people)} staff`,
    ...(met + notMet + notMetYet + excused === 0
      ? []
      : [
          md`Quota: **${met}** met, ${joined(missing, ", ")}${excused === 0 ? md`` : md`, ${excused} excused`}`,
        ]),
    ...(onLeave === 0 ? [] : [md`On leave: ${onLeave}`]),
  ];
  return [{ name: md`🕒 Duty`, value: joined(lines, "\n") }];
}

/** ` (▲ 1.2 more)`; nothing where there is nothing to compare with. */
function change(now: number, before: number | undefined): Escaped {
  if (before === undefined) return md``;
  const by = Math.round((now - before) * 10) / 10;
  if (by === 0) return md` (as before)`;
  return by > 0 ? md` (▲\u00a0${amount(by)}\u00a0more)` : md` (▼\u00a0${amount(-by)}\u00a0fewer)`;
}

function longer(nowS: number, beforeS: number | undefined): Escaped {
  if (beforeS === undefined) return md``;
  const by = nowS - beforeS;
  if (Math.abs(by) < 60) return md` (as before)`;
  return by > 0 ? md` (▲\u00a0${lasting(by)}\u00a0more)` : md` (▼\u00a0${lasting(-by)}\u00a0less)`;
}

/** `16 to 22 November`; with short months, `30 Nov to 6 Dec`, where there is little room. */
function dates({ fromS, toS, zone }: ServerStats, month: "long" | "short" = "long"): Escaped {
  const format = (atS: number, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }).format(atS * 1_000);
  // Noon of the first and of the last day: no change of clocks reaches it.
  const [first, last] = [fromS + DAY_S / 2, toS - DAY_S / 2];
  const sameMonth = format(first, { month }) === format(last, { month });
  const from = format(first, { day: "numeric", ...(sameMonth ? {} : { month }) });
  return markdownOfOurs(`${from} to ${format(last, { day: "numeric", month })}`);
}

export const weeklyRenderer: WeeklyRenderer = {
  summary,
  pictures: (stats, look) => serverPictures(stats, look, dates(stats, "short")),
  keyOf: ({ cards }) =>
    cards
      .map(({ url, footer }) => url?.split(`#${MARK}`)[1] ?? footer?.split(SHOWN_MARK)[1])
      .find((key) => key !== undefined),
  closed: (channelId, why) => ({
    content: md`⚠️ The weekly summary could not be posted in ${channelMention(channelId)}: ${refusedText(why, md`\`/stats weekly\``)} Next try in a week.`,
  }),
};
