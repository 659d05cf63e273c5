import { type Escaped, joined, md, roleMention, userMention } from "../../../domain/escaped.ts";
import type { Button, Card, MessageBody } from "../../../domain/message.ts";
import type { Board, BoardLine } from "../../../domain/ports/staffing.ts";
import {
  type Correction,
  isCounting,
  isWaiting,
  type Leave,
  type Quota,
  type QuotaLine,
  type QuotaResult,
} from "../../../domain/quota.ts";
import { csvCell } from "../audit-files.ts";
import { cutLines, escapeMarkdown, inlineName } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";

/** How the board, quotas and leave read. Pure. */

const COLOR = 0x3b6fd4;
const LONGEST = 3_900;
/** Of the board: hours, and each list below them. */
const LONGEST_WORKED = 2_400;
const LONGEST_SECTION = 600;
const BAR = 8;
const THIS_PERIOD = { week: md`this week`, fortnight: md`these two weeks`, month: md`this month` } as const;
const PERIODS = { week: "a week", fortnight: "two weeks", month: "a month" } as const;

/** Hours of everybody, calls, and the quota as a bar; then who has none yet, and who is away. */
export function boardCard(board: Board): MessageBody {
  const { lines, fromS, untilS } = board;
  const worked = lines.filter(hasWorked);
  const idle = lines.filter((line) => !hasWorked(line));
  const away = idle.filter(({ leave }) => leave?.percent === 0);
  const none = idle.filter((line) => !away.includes(line) && isAskedOf(line));
  const unsure = worked.reduce((most, line) => Math.max(most, line.unsureS), 0);
  const rows = worked.map((line, at) => md`${at + 1}. ${boardLine(line)}`);
  const notes = [
    ...(unsure >= 60
      ? [md`-# Where nobody saw the exact end, up to ${lasting(unsure)} more is possible.`]
      : []),
    ...(rows.length === 0 ? [] : [md`-# Calls are those answered in the game.`]),
  ];
  return {
    cards: [
      {
        title: md`Duty board`,
        description: joined(
          [
            md`<t:${fromS}:D> to <t:${untilS}:D>`,
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

function hasWorked({ countedS, takenS, importedS, shifts }: BoardLine): boolean {
  return countedS > 0 || takenS > 0 || importedS > 0 || shifts > 0;
}

/** Something is asked of them: a quota, less of one, or the role that a type asks for. */
function isAskedOf({ quota, leave, isExpected }: BoardLine): boolean {
  return quota !== undefined || leave !== undefined || isExpected;
}

/** The bars are of another time than the hours. */
function quotaNotes({ quotasFrom, fromS }: Board): readonly Escaped[] {
  if (quotasFrom.every((one) => one.fromS === fromS)) return [];
  const since = quotasFrom.map((one) => md`${THIS_PERIOD[one.period]} from <t:${one.fromS}:D>`);
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
  const byHand = Math.min(addedS, countedS);
  const hours = md`**${lasting(countedS)}**${byHand === 0 ? md`` : md`, of which ${lasting(byHand)} by hand`}`;
  const counted = md`${userMention(userId)} ${hours} · ${shifts} ${shifts === 1 ? "shift" : "shifts"}`;
  return joined(boardParts(line, counted), " · ");
}

function boardParts(line: BoardLine, first: Escaped): readonly Escaped[] {
  const { stillS, takenS, importedS, calls, quota, leave } = line;
  // Leave left less of it than can be said in minutes.
  const isExcused = leave?.percent === 0 && quota !== undefined && quota.needS > 0 && quota.needS < 60;
  return [
    first,
    ...(takenS === 0 ? [] : [md`${lasting(takenS)} taken by hand`]),
    ...(stillS === 0 ? [] : [md`${lasting(stillS)} without a move`]),
    ...(importedS === 0 ? [] : [md`+${lasting(importedS)} imported`]),
    ...(calls === 0 ? [] : [md`${calls} ${calls === 1 ? "call" : "calls"}`]),
    ...(quota === undefined ? [] : [isExcused ? md`excused (on leave)` : quotaBar(quota)]),
    ...(leave === undefined || isExcused
      ? []
      : [md`${leave.percent === 0 ? md`🌴 on leave` : md`asked for ${leave.percent} %`}${ownWords(leave)}`]),
  ];
}

/** Of an owner whom nobody else could have approved. */
function ownWords({ userId, state, byId }: Leave): Escaped {
  return state === "approved" && byId === userId ? md`, approved by themselves` : md``;
}

/** `▰▰▰▱▱▱▱▱ 3 h of 8 h` */
function quotaBar({ countedS, needS, outcome }: QuotaLine): Escaped {
  if (outcome === "excused") return md`excused`;
  const full = Math.min(BAR, Math.floor((countedS / needS) * BAR));
  const bar = "▰".repeat(full) + "▱".repeat(BAR - full);
  return md`${escapeMarkdown(bar)} ${lasting(countedS)} of ${lasting(needS)}`;
}

/** The board as a file for those who keep lists: seconds and ids, so that sums are exact. */
export function boardCsv({ lines, fromS, untilS }: Board): string {
  const iso = (atS: number) => new Date(atS * 1_000).toISOString();
  const head =
    "member,from,until,seconds,unsureSeconds,shifts,calls,quotaSeconds,quotaNeedSeconds,quota,leave,importedSeconds,stillSeconds,addedSeconds,takenSeconds";
  const rows = lines.map((line) => {
    const { userId, countedS, unsureS, importedS, stillS, addedS, takenS, shifts, calls, quota, leave } =
      line;
    return [
      userId,
      iso(fromS),
      iso(untilS),
      countedS,
      unsureS,
      shifts,
      calls,
      quota?.countedS ?? "",
      quota?.needS ?? "",
      quota?.outcome ?? "",
      leave === undefined ? "" : `${leave.percent} %`,
      importedS,
      stillS,
      addedS,
      takenS,
    ]
      .map((cell) => csvCell(String(cell)))
      .join(",");
  });
  return `${[head, ...rows].join("\n")}\n`;
}

/** One quota in one line. */
export function quotaLine(
  { roleId, needS, period, typeId }: Quota,
  typeName: (id: string) => string,
): Escaped {
  const type = typeId === undefined ? md`` : md` of ${inlineName(typeName(typeId))}`;
  return md`${roleMention(roleId)} ${lasting(needS)}${type} in ${PERIODS[period]}`;
}

export function quotaList(
  quotas: readonly Quota[],
  results: readonly QuotaResult[],
  typeName: (id: string) => string,
): MessageBody {
  const lines = quotas.map((quota) => md`• ${quotaLine(quota, typeName)}`);
  const known = new Map(quotas.map((quota) => [quota.id, quota]));
  const past = results.flatMap((result) => {
    const quota = known.get(result.quotaId);
    return quota === undefined ? [] : [resultCard(result, quota)];
  });
  const words =
    lines.length === 0 ? md`No quotas yet. Set one with \`/duty quota set\`.` : joined(lines, "\n");
  return { cards: [{ title: md`Quotas`, description: words, color: COLOR }, ...past] };
}

/** Who met it, who did not, who was on leave and who was excused otherwise, with the hours of each. */
export function resultCard({ fromS, untilS, lines }: QuotaResult, quota: Quota): Card {
  const group = (title: Escaped, isMeant: (line: QuotaLine) => boolean) => {
    const own = lines.filter(isMeant);
    if (own.length === 0) return [];
    return [md`**${title} (${own.length})**\n${cutLines(own.map(resultLine), 900)}`];
  };
  const isExcused = ({ outcome }: QuotaLine) => outcome === "excused";
  const groups = [
    ...group(md`Met`, ({ outcome }) => outcome === "met"),
    ...group(md`Not met`, ({ outcome }) => outcome === "not-met"),
    ...group(md`On leave`, (line) => isExcused(line) && line.isOnLeave === true),
    ...group(md`Excused`, (line) => isExcused(line) && line.isOnLeave !== true),
  ];
  return {
    title: md`Quota, <t:${fromS}:D> to <t:${untilS}:D>`,
    description: joined(
      [
        md`${roleMention(quota.roleId)}: ${lasting(quota.needS)} in ${PERIODS[quota.period]}`,
        ...(groups.length === 0 ? [md`Nobody linked held this role.`] : groups),
      ],
      "\n\n",
    ),
    color: COLOR,
  };
}

function resultLine({ userId, countedS, needS, outcome, isOnLeave = false }: QuotaLine): Escaped {
  const who = userMention(userId);
  if (outcome === "excused") return countedS < 60 ? who : md`${who} ${lasting(countedS)}`;
  const leave = isOnLeave ? md` · 🌴 on leave for a part` : md``;
  return md`${who} ${lasting(countedS)} of ${lasting(needS)}${leave}`;
}

/** A leave in one line, as lists and answers say it. */
export function leaveLine(leave: Leave): Escaped {
  const { userId, fromS, untilS, percent, reason, state } = leave;
  const what = percent === 0 ? md`leave` : md`${percent} % asked`;
  const why = reason === "" ? md`` : md` · ${escapeMarkdown(reason)}`;
  const waits = state === "asked" ? md` · **waiting**` : md``;
  return md`${userMention(userId)} · ${what} · <t:${fromS}:D> to <t:${untilS}:D>${why}${waits}${ownWords(leave)}`;
}

/** Requests that get buttons; the next ones follow when these are decided. */
const MOST_DECIDED = 4;

/** Who is away, and what waits for a decision. */
export function leaveList(leaves: readonly Leave[], mayDecide: boolean): MessageBody {
  const asked = leaves.filter(({ state }) => state === "asked");
  const sorted = [...asked, ...leaves.filter(({ state }) => state !== "asked")];
  const lines = sorted.map((leave, at) => md`${at + 1}. ${leaveLine(leave)}`);
  const buttons = (leave: Leave, at: number): readonly Button[] => [
    { kind: "button", style: "success", label: `Approve ${at + 1}`, id: `duty-leave-yes:${leave.id}` },
    { kind: "button", style: "danger", label: `Deny ${at + 1}`, id: `duty-leave-no:${leave.id}` },
  ];
  return {
    cards: [
      {
        title: md`Leave`,
        description: lines.length === 0 ? md`Nobody is on leave.` : cutLines(lines, LONGEST),
        color: COLOR,
      },
    ],
    rows: mayDecide ? asked.slice(0, MOST_DECIDED).map(buttons) : [],
  };
}

/** A correction in one line, and whether it waits. */
export function correctionLine(correction: Correction, typeName: string): Escaped {
  const { userId, seconds, reason, byId, confirmedBy, importId } = correction;
  if (importId !== undefined)
    return md`+${lasting(seconds)} (${inlineName(typeName)}) imported by ${userMention(byId)}, as of <t:${correction.atS}:D>`;
  const change = seconds < 0 ? md`−${lasting(-seconds)}` : md`+${lasting(seconds)}`;
  const own = userId === byId ? md` by themselves` : md` by ${userMention(byId)}`;
  const confirmed = confirmedBy === undefined ? md`` : md`, confirmed by ${userMention(confirmedBy)}`;
  const waits = !isWaiting(correction) ? md`` : md` · **waits for a second Manager**`;
  return md`${change} (${inlineName(typeName)})${own}${confirmed}: ${escapeMarkdown(reason)}${waits}`;
}

/** A correction, and how it comes to count where it does not. */
export function correctionCard(correction: Correction, typeName: string): MessageBody {
  const line = md`${userMention(correction.userId)} ${correctionLine(correction, typeName)}`;
  return isCounting(correction)
    ? { content: md`✅ ${line}` }
    : { content: md`${line}\nAnother Manager confirms it in \`/duty show member:\`.` };
}
