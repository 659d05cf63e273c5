import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { CardField, MessageBody } from "../../../domain/message.ts";
import type { PictureLook } from "../../../domain/picture-look.ts";
import { type Picture, QUIET_PLAYERS, type StaffFigures, type StaffStats } from "../../../domain/stats.ts";
import { cut, cutLines, inlineName, plainText } from "../escape.ts";
import { callLines, typicalAnswer } from "./server-stats.ts";
import { count, FEW_CALLS, lasting } from "./stats-words.ts";

/** `/stats staff`: what staff did, with what makes the numbers unfair said beside them. Pure. */

const COLOR = 0x8a5a2b;
const MOST_LINES = 15;
const MOST_BARS = 10;
const ROOM_FOR_LINES = 3_600;
/** Less of it is not shown of one of many. */
const SHOWN_QUIET_S = 60;
const LONGEST_WORDS = 1_000;

/** One of staff with what the history of the servers does not know. */
export interface StaffRow {
  /** Absent: a member who is linked to no player. Of a player without an id: the calls that such a member claimed. */
  readonly figures?: StaffFigures;
  readonly userId?: string;
  readonly cases: number;
  /** Commands that Marshal sent for them. */
  readonly runs: number;
}

export interface StaffView {
  readonly stats: StaffStats;
  readonly rows: readonly StaffRow[];
  readonly title: Escaped;
  readonly png: Uint8Array | undefined;
  readonly pictureWords?: Escaped | undefined;
  /** The audit holds more commands of this time than are read at once. */
  readonly isRunsShortened: boolean;
}

/** Bars of those who were longest in the game. */
export function staffPicture(stats: StaffStats, look: PictureLook, when: string): readonly Picture[] {
  const rows = stats.staff
    .filter(({ playedS }) => playedS > 0)
    .slice(0, MOST_BARS)
    .map(({ player, playedS, callsAnswered }) => ({ name: player.name, playedS, calls: callsAnswered }));
  return rows.length === 0 ? [] : [{ kind: "staff", look, title: `Hours in the game, ${when}`, rows }];
}

/** Days of one person; of a single day there is nothing to draw. */
export function ownPicture(stats: StaffStats, look: PictureLook, when: string): readonly Picture[] {
  const { days, zone } = stats;
  if (days.length < 3 || days.every(({ playedS }) => playedS === 0)) return [];
  return [{ kind: "days", look, title: `Hours in the game, ${when}`, zone, days }];
}

/** All of staff in one list. */
export function staffMessage(view: StaffView): MessageBody {
  const { stats, rows } = view;
  const left = rows.length - MOST_LINES;
  const more = left > 0 || stats.isShortened;
  const lines =
    rows.length === 0
      ? [md`No staff were active in this period.`]
      : [...rows.slice(0, MOST_LINES).map(rowLine), ...(more ? [md`…and others with less time`] : [])];
  return {
    ...staffFiles(view, `Bars of the hours in the game: ${barWords(stats)}`),
    cards: [
      {
        title: view.title,
        color: COLOR,
        description: cutLines([...gapLines(view), ...lines], ROOM_FOR_LINES),
        fields: [
          { name: md`🔔 All moderator calls`, value: callLines(stats.calls) },
          fairField({ isOwn: false, hasQuiet: rows.slice(0, MOST_LINES).some(hasQuiet) }),
        ],
        ...imageOf(view),
      },
    ],
  };
}

/** One person's own. */
export function ownMessage(
  view: StaffView & {
    readonly hasAccount: boolean;
    /** Whoever reads it is that person. */
    readonly isOwn: boolean;
  },
): MessageBody {
  const { rows, hasAccount, isOwn } = view;
  const [row = { cases: 0, runs: 0 }] = rows;
  const { figures } = row;
  const linkIt = isOwn ? md`Run \`/me link\`.` : md`\`/me link member: player:\` links one.`;
  const noAccount = hasAccount
    ? []
    : [md`No game account is linked, so hours, calls and commands in the game are unknown. ${linkIt}`];
  const nothing =
    hasAccount && figures === undefined
      ? [md`Nothing is recorded about ${isOwn ? "you" : "this player"} in this period.`]
      : [];
  return {
    ...staffFiles(view, "Bars of the hours in the game, day by day, with the calls that were answered."),
    cards: [
      {
        title: view.title,
        color: COLOR,
        description: joined([...gapLines(view), ...noAccount, ...nothing], "\n"),
        fields: [
          ...(figures === undefined ? [] : ownFields(figures, isOwn)),
          {
            name: md`⌨️ Commands`,
            value: hasAccount
              ? md`In the game: **${count(figures?.commands ?? 0)}** · through Marshal: **${count(row.runs)}**`
              : md`Through Marshal: **${count(row.runs)}**`,
          },
          { name: md`🗂 Cases`, value: md`**${count(row.cases)}**` },
          ...(figures === undefined ? [] : [fairField({ isOwn, hasQuiet: figures.quietS > 0 })]),
        ],
        ...imageOf(view),
      },
    ],
  };
}

function ownFields(figures: StaffFigures, isOwn: boolean): readonly CardField[] {
  const { playedS, quietS, sessions, callsAnswered, callsMeanwhile, timed, medianAnswerS } = figures;
  const times = sessions === 1 ? md`once` : md`${sessions} times`;
  const quietWords = isOwn
    ? md`${lasting(quietS)} of it with few players`
    : md`Quiet time: ${lasting(quietS)}`;
  const quiet = quietS === 0 ? md`` : md`\n${quietWords}`;
  const soon = medianAnswerS === undefined ? md`` : md`\n${typicalAnswer(medianAnswerS, timed)}`;
  return [
    { name: md`🕒 In the game`, value: md`**${lasting(playedS)}**, ${times}${quiet}` },
    {
      name: md`🔔 Calls answered`,
      value: md`**${callsAnswered}**; ${callsMeanwhile} came in while ${isOwn ? "you" : "they"} were playing${soon}`,
    },
  ];
}

function hasQuiet({ figures }: StaffRow): boolean {
  return figures !== undefined && figures.quietS >= SHOWN_QUIET_S;
}

function rowLine({ figures, userId, cases, runs }: StaffRow): Escaped {
  const isMember = userId !== undefined && figures?.player.id === undefined;
  const who = isMember
    ? md`${userMention(userId)}`
    : md`**${inlineName(figures?.player.name ?? "unknown")}**`;
  const commands = runs + (figures?.commands ?? 0);
  const did = [
    ...(isMember ? [md`no game account linked`] : []),
    ...(figures === undefined ? [] : playedParts(figures)),
    ...(commands === 0 ? [] : [commands === 1 ? md`1 command` : md`${count(commands)} commands`]),
    ...(cases === 0 ? [] : [cases === 1 ? md`1 case` : md`${count(cases)} cases`]),
  ];
  return md`${who}: ${joined(did, " · ")}`;
}

function playedParts({ player: { id }, playedS, quietS, ...figures }: StaffFigures) {
  const { callsAnswered, timed, medianAnswerS } = figures;
  const quiet = quietS < SHOWN_QUIET_S ? md`` : md` (${lasting(quietS)} quiet)`;
  const soon =
    medianAnswerS === undefined || timed < FEW_CALLS ? md`` : md`, typically after ${lasting(medianAnswerS)}`;
  const calls = callsAnswered + figures.callsMeanwhile === 0 ? [] : [md`${answeredWords(figures)}${soon}`];
  return [...(playedS === 0 && id === undefined ? [] : [md`${lasting(playedS)}${quiet}`]), ...calls];
}

/** Only of the calls that came while they were there it is said how many they answered: others are no part of these. */
function answeredWords({
  callsAnswered,
  callsMeanwhile,
  answeredMeanwhile,
}: Pick<StaffFigures, "callsAnswered" | "callsMeanwhile" | "answeredMeanwhile">): Escaped {
  const calls = (number: number) => (number === 1 ? md`1 call` : md`${number} calls`);
  if (callsMeanwhile === 0) return md`${calls(callsAnswered)} answered`;
  const others = callsAnswered - answeredMeanwhile;
  const more = others === 0 ? md`` : md` and ${others} ${others === 1 ? "other" : "others"} answered`;
  return md`${answeredMeanwhile} of ${calls(callsMeanwhile)}${more}`;
}

/** What makes numbers of people unfair. */
function fairField({ isOwn, hasQuiet }: { readonly isOwn: boolean; readonly hasQuiet: boolean }): CardField {
  const few = isOwn
    ? md`Few players: at most ${QUIET_PLAYERS}, so you had little to do. `
    : md`Quiet: at most ${QUIET_PLAYERS} players, so there was little to do. `;
  // Where no quiet time is shown, it would read as if that were said of this time.
  const quiet = hasQuiet ? few : md``;
  const who = isOwn ? "you were" : "the person was";
  return {
    name: md`⚖️ Read them fairly`,
    value: md`-# ${quiet}Calls are compared with those made while ${who} playing. Fewer than ${FEW_CALLS} answers: ignore the time.`,
  };
}

function gapLines({ stats, pictureWords, isRunsShortened }: StaffView): readonly Escaped[] {
  const { recordedSinceS, fromS, unrecordedS } = stats;
  return [
    ...(recordedSinceS === undefined
      ? [md`⚠️ Nothing is recorded for your servers yet.`]
      : recordedSinceS > fromS
        ? [md`⚠️ Records of your servers start <t:${recordedSinceS}:f>.`]
        : []),
    ...(unrecordedS === 0 ? [] : [md`⚠️ For ${lasting(unrecordedS)} calls or commands may be missing.`]),
    ...(isRunsShortened ? [md`-# Only the newest 2,000 commands through Marshal are counted.`] : []),
    ...(pictureWords === undefined ? [] : [pictureWords]),
  ];
}

function barWords({ staff }: StaffStats): string {
  return staff
    .slice(0, MOST_BARS)
    .map(({ player, playedS }) => `${player.name} ${Math.round(playedS / 360) / 10} h`)
    .join(", ");
}

const PICTURE = "staff.png";

function imageOf({ png }: StaffView) {
  return png === undefined ? {} : { imageName: PICTURE };
}

function staffFiles({ png }: StaffView, words: string): Pick<MessageBody, "files"> {
  if (png === undefined) return {};
  return { files: [{ name: PICTURE, data: png, description: cut(plainText(words), LONGEST_WORDS) }] };
}
