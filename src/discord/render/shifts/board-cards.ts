import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { Board, BoardLine } from "../../../domain/ports/staffing.ts";
import type { QuotaLine } from "../../../domain/quota.ts";
import { csvCell } from "../audit-files.ts";
import { daysIn, spanOfDays } from "../day-words.ts";
import { cutLines, escapeMarkdown } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";
import { askedWords, LESS, ownWords, UNLISTED } from "./staffing-cards.ts";

/** How the board reads, and its file. Pure. */

const COLOR = 0x3b6fd4;
/** Hours, and each list below them. */
const LONGEST_WORKED = 2_400;
const LONGEST_SECTION = 600;
const BAR = 8;
const THIS_PERIOD = { week: md`this week`, fortnight: md`these two weeks`, month: md`this month` } as const;

/** Hours of everybody, calls, and the quota as a bar; then who has none yet, and who is away. */
export function boardCard(board: Board): MessageBody {
  const { lines, fromS, untilS } = board;
  const worked = lines.filter(hasWorked);
  const idle = lines.filter((line) => !hasWorked(line));
  const away = idle.filter(({ leave }) => leave?.percent === 0);
  const none = idle.filter((line) => !away.includes(line) && isAskedOf(line));
  const unsure = worked.reduce((most, line) => Math.max(most, line.unsureS), 0);
  const rows = worked.map((line, at) => md`${at + 1}. ${boardLine(line)}`);
  const isLess = lines.some(({ quota }) => quota?.linkedS !== undefined);
  const notes = [
    ...(rows.length === 0 ? [md`-# ${howOn(board)}`] : []),
    ...(isLess ? [LESS] : []),
    ...(board.quotasFrom.length === 0 ? [] : [UNLISTED]),
    ...(unsure >= 60 ? [md`-# If nobody saw the exact end, it may be up to ${lasting(unsure)} more.`] : []),
    ...(rows.length === 0 ? [] : [md`-# Calls: answered in the game, or claimed on their card.`]),
  ];
  return {
    cards: [
      {
        title: md`Duty board`,
        description: joined(
          [
            spanOfDays({ fromS, untilS }, daysIn(board.zone)),
            ...quotaNotes(board),
            rows.length === 0 ? md`No shifts in this time.` : cutLines(rows, LONGEST_WORKED),
            ...boardSection(md`None yet`, none),
            ...boardSection(md`On leave`, away),
            ...notes,
          ],
          "\n",
        ),
        color: COLOR,
      },
    ],
  };
}

/** What to do where nobody has worked. */
function howOn({ types }: Board): Escaped {
  return types.length === 0
    ? md`No duty types are set up yet. \`/duty type add\` adds one.`
    : md`Staff start a shift with \`/duty start\`. \`days:\` looks further back.`;
}

function hasWorked({ countedS, takenS, importedS, shifts }: BoardLine): boolean {
  return countedS > 0 || takenS > 0 || importedS > 0 || shifts > 0;
}

/** More was added than counts, because some was taken: then both are said, beside the hours. */
function isAddedApart({ addedS, countedS }: BoardLine): boolean {
  return addedS > countedS;
}

/** Something is asked of them: a quota, less of one, or the role that a type asks for. */
function isAskedOf({ quota, leave, isExpected }: BoardLine): boolean {
  return quota !== undefined || leave !== undefined || isExpected;
}

/** The bars are of another time than the hours. */
function quotaNotes({ quotasFrom, fromS, zone }: Board): readonly Escaped[] {
  if (quotasFrom.every((one) => one.fromS === fromS)) return [];
  const days = daysIn(zone);
  const since = quotasFrom.map((one) => md`${THIS_PERIOD[one.period]} from ${days(one.fromS)}`);
  return [md`-# Quotas: ${joined(since, ", ")}`];
}

function boardSection(title: Escaped, lines: readonly BoardLine[]): readonly Escaped[] {
  if (lines.length === 0) return [];
  const rows = lines.map((line) => md`${joined(boardParts(line, userMention(line.userId)), " · ")}`);
  return [md`**${title} (${lines.length})**`, cutLines(rows, LONGEST_SECTION)];
}

function boardLine(line: BoardLine): Escaped {
  const { userId, countedS, addedS, shifts } = line;
  if (countedS === 0 && shifts === 0)
    return joined(boardParts(line, md`${userMention(userId)} no shifts`), " · ");
  // Nobody saw it, so it does not look like time in the game.
  const byHand = isAddedApart(line) ? 0 : addedS;
  const hours = md`**${lasting(countedS)}**${byHand === 0 ? md`` : md` (${lasting(byHand)} by hand)`}`;
  const counted = md`${userMention(userId)} ${hours} · ${shifts} ${shifts === 1 ? "shift" : "shifts"}`;
  return joined(boardParts(line, counted), " · ");
}

function boardParts(line: BoardLine, first: Escaped): readonly Escaped[] {
  const { stillS, addedS, takenS, importedS, calls, quota, leave } = line;
  // Leave left less of it than can be said in minutes.
  const isExcused = leave?.percent === 0 && quota !== undefined && quota.needS > 0 && quota.needS < 60;
  return [
    first,
    ...(isAddedApart(line) ? [md`${lasting(addedS)} added by hand`] : []),
    ...(takenS === 0 ? [] : [md`${lasting(takenS)} taken by hand`]),
    ...(stillS === 0 ? [] : [md`${lasting(stillS)} without moving`]),
    ...(importedS === 0 ? [] : [md`+${lasting(importedS)} imported`]),
    ...(calls === 0 ? [] : [md`${calls} ${calls === 1 ? "call" : "calls"}`]),
    ...(quota === undefined ? [] : [isExcused ? md`excused (on leave)` : quotaBar(quota)]),
    ...(leave === undefined || isExcused
      ? []
      : [md`${leave.percent === 0 ? md`🌴 on leave` : md`reduced to ${leave.percent} %`}${ownWords(leave)}`]),
  ];
}

/** `▰▰▰▱▱▱▱▱ 3 h of 8 h` */
function quotaBar(quota: QuotaLine): Escaped {
  const { countedS, needS, outcome } = quota;
  if (outcome === "excused") return md`excused`;
  const full = Math.min(BAR, Math.floor((countedS / needS) * BAR));
  const bar = "▰".repeat(full) + "▱".repeat(BAR - full);
  return md`${escapeMarkdown(bar)} ${lasting(countedS)} of ${askedWords(quota)}`;
}

const CSV_HEAD =
  "member,player,hours,quotaHours,quotaNeedHours,from,until,seconds,unsureSeconds,shifts,calls,quotaSeconds,quotaNeedSeconds,quota,leave,importedSeconds,stillSeconds,addedSeconds,takenSeconds";

/**
 * The board as a file for those who keep lists: whom each row is about and hours for people, seconds and ids so that sums
 * are exact. `players`: what the account of a member is called.
 */
export function boardCsv(
  { lines, fromS, untilS }: Board,
  players: ReadonlyMap<string, string> = new Map(),
): string {
  const span = [fromS, untilS].map((atS) => new Date(atS * 1_000).toISOString());
  const rows = lines.map((line) => {
    const { userId, countedS, unsureS, importedS, stillS, addedS, takenS, shifts, calls, quota, leave } =
      line;
    return [
      ...[userId, players.get(userId) ?? ""],
      ...[inHours(countedS), inHours(quota?.countedS), inHours(quota?.needS)],
      ...span,
      ...[countedS, unsureS, shifts, calls],
      ...[quota?.countedS ?? "", quota?.needS ?? "", quota?.outcome ?? "", leaveCell(leave)],
      ...[importedS, stillS, addedS, takenS],
    ]
      .map((cell) => csvCell(String(cell)))
      .join(",");
  });
  return `${[CSV_HEAD, ...rows].join("\n")}\n`;
}

function inHours(seconds: number | undefined): string {
  return seconds === undefined ? "" : (seconds / 3_600).toFixed(2);
}

function leaveCell(leave: BoardLine["leave"]): string {
  if (leave === undefined) return "";
  return leave.percent === 0 ? "on leave" : `reduced to ${leave.percent} %`;
}
