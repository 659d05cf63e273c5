import {
  channelMention,
  type Escaped,
  joined,
  md,
  roleMention,
  userMention,
} from "../../../domain/escaped.ts";
import type { Button, Card, MessageBody } from "../../../domain/message.ts";
import {
  type Correction,
  isCounting,
  isWaiting,
  type Leave,
  type Quota,
  type QuotaLine,
  type QuotaResult,
} from "../../../domain/quota.ts";
import { type DayWords, spanOfDays } from "../day-words.ts";
import { cutLines, escapeMarkdown, inlineName } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";

/** How quotas, leave and corrections read. Pure. */

const COLOR = 0x3b6fd4;
const LONGEST = 3_900;
/** Discord takes 6,000 characters in all cards of a message. */
const ROOM_OF_CARDS = 5_800;
const ROOM_OF_QUOTAS = 2_400;
/** Of a list beside the people of its groups: title, quota, notes and headings. */
const ROOM_OF_NOTES = 450;
const LONGEST_GROUP = 900;
/** Discord does not tell Marshal who holds a role. */
export const UNLISTED = md`-# Not listed: staff without a linked account (\`/me link\`).`;
/** Said once: as words behind each line it would fill a phone. */
export const LESS = md`-# \\* Less, because they were linked during the period.`;
const PERIODS = { week: "a week", fortnight: "two weeks", month: "a month" } as const;

/** One quota in one line. */
export function quotaLine(
  { roleId, needS, period, typeId, channelId }: Quota,
  typeName: (id: string) => string,
): Escaped {
  const type = typeId === undefined ? md`` : md` of ${inlineName(typeName(typeId))}`;
  const place = channelId === undefined ? md`` : md` · list posted in ${channelMention(channelId)}`;
  return md`${roleMention(roleId)} ${lasting(needS)}${type} in ${PERIODS[period]}${place}`;
}

export function quotaList(
  quotas: readonly Quota[],
  results: readonly QuotaResult[],
  { typeName, days }: { readonly typeName: (id: string) => string; readonly days: DayWords },
): MessageBody {
  const lines = quotas.map((quota) => md`• ${quotaLine(quota, typeName)}`);
  const known = new Map(quotas.map((quota) => [quota.id, quota]));
  const words =
    lines.length === 0
      ? md`No quotas yet. Set one with \`/duty quota set\`.`
      : cutLines(lines, ROOM_OF_QUOTAS);
  const kept = results.filter(({ quotaId }) => known.has(quotaId));
  const room = Math.floor((ROOM_OF_CARDS - words.length) / kept.length);
  const past = kept.flatMap((result) => {
    const quota = known.get(result.quotaId);
    return quota === undefined ? [] : [resultCard(result, quota, { days, room })];
  });
  return { cards: [{ title: md`Quotas`, description: words, color: COLOR }, ...past] };
}

/** Who met it, who did not, who was on leave and who was excused otherwise, with the hours of each. `room`: its characters. */
export function resultCard(
  { fromS, untilS, lines, unreadS }: QuotaResult,
  quota: Quota,
  { days, room = Number.POSITIVE_INFINITY }: { readonly days: DayWords; readonly room?: number },
): Card {
  const isExcused = ({ outcome }: QuotaLine) => outcome === "excused";
  const groups = [
    { title: md`Met`, own: lines.filter(({ outcome }) => outcome === "met") },
    { title: md`Not met`, own: lines.filter(({ outcome }) => outcome === "not-met") },
    { title: md`On leave`, own: lines.filter((line) => isExcused(line) && line.isOnLeave === true) },
    { title: md`Excused`, own: lines.filter((line) => isExcused(line) && line.isOnLeave !== true) },
  ].filter(({ own }) => own.length > 0);
  const longest = Math.min(LONGEST_GROUP, Math.floor((room - ROOM_OF_NOTES) / groups.length));
  const sections = groups.map(
    ({ title, own }) => md`**${title} (${own.length})**\n${cutLines(own.map(resultLine), longest)}`,
  );
  const unread =
    unreadS === undefined
      ? []
      : [md`⚠️ For ${lasting(unreadS)} no server was read: who worked then may lack hours.`];
  const notes = [...unread, UNLISTED, ...(lines.some(({ linkedS }) => linkedS !== undefined) ? [LESS] : [])];
  return {
    title: md`Quota, ${spanOfDays({ fromS, untilS }, days)}`,
    description: joined(
      [
        md`${roleMention(quota.roleId)}: ${lasting(quota.needS)} in ${PERIODS[quota.period]}\n${joined(notes, "\n")}`,
        ...(sections.length === 0 ? [md`Nobody with this role had a linked account.`] : sections),
      ],
      "\n\n",
    ),
    color: COLOR,
  };
}

/** `1 h 34 min*`: the star stands for `LESS`. */
export function askedWords({ needS, linkedS }: QuotaLine): Escaped {
  return linkedS === undefined ? lasting(needS) : md`${lasting(needS)}\\*`;
}

function resultLine(line: QuotaLine): Escaped {
  const { userId, countedS, outcome, isOnLeave = false, reducedTo, addedS, takenS } = line;
  const who = userMention(userId);
  if (outcome === "excused") return countedS < 60 ? who : md`${who} ${lasting(countedS)}`;
  return joined(
    [
      md`${who} ${lasting(countedS)} of ${askedWords(line)}`,
      ...(addedS === undefined ? [] : [md`${lasting(addedS)} added by hand`]),
      ...(takenS === undefined ? [] : [md`${lasting(takenS)} taken by hand`]),
      ...(isOnLeave ? [md`🌴 on leave for part of it`] : []),
      ...(reducedTo === undefined ? [] : [md`reduced to ${reducedTo} %`]),
    ],
    " · ",
  );
}

/** Of an owner whom nobody else could have approved. */
export function ownWords({ userId, state, byId }: Leave): Escaped {
  return state === "approved" && byId === userId ? md`, self-approved` : md``;
}

function decider(leave: Leave): Escaped {
  const { userId, state, byId } = leave;
  if (state !== "approved" || byId === undefined || byId === userId) return ownWords(leave);
  return md` · approved by ${userMention(byId)}`;
}

/** Whose leave, from when to when. */
export function leaveWords({ userId, fromS, untilS, percent, reason }: Leave, days: DayWords): Escaped {
  const what = percent === 0 ? md`leave` : md`reduced to ${percent} %`;
  const why = reason === "" ? md`` : md` · ${escapeMarkdown(reason)}`;
  return md`${userMention(userId)} · ${what} · ${spanOfDays({ fromS, untilS }, days)}${why}`;
}

/** A leave in one line, as lists and answers say it. */
export function leaveLine(leave: Leave, days: DayWords): Escaped {
  const waits = leave.state === "asked" ? md` · **waiting**` : md``;
  return md`${leaveWords(leave, days)}${waits}${decider(leave)}`;
}

/** Requests that get buttons; the next ones follow when these are decided. */
const MOST_DECIDED = 4;

/** Who is away, and what waits for a decision; of who may not decide, only their own. */
export function leaveList(
  leaves: readonly Leave[],
  { mayDecide, days }: { readonly mayDecide: boolean; readonly days: DayWords },
): MessageBody {
  const asked = leaves.filter(({ state }) => state === "asked");
  const sorted = [...asked, ...leaves.filter(({ state }) => state !== "asked")];
  const lines = sorted.map((leave, at) => md`${at + 1}. ${leaveLine(leave, days)}`);
  const buttons = (leave: Leave, at: number): readonly Button[] => [
    { kind: "button", style: "success", label: `Approve ${at + 1}`, id: `duty-leave-yes:${leave.id}` },
    { kind: "button", style: "danger", label: `Deny ${at + 1}`, id: `duty-leave-no:${leave.id}` },
  ];
  const none = mayDecide ? md`Nobody is on leave.` : md`You are not on leave.`;
  return {
    cards: [
      {
        title: md`Leave`,
        description: lines.length === 0 ? none : cutLines(lines, LONGEST),
        color: COLOR,
      },
    ],
    rows: mayDecide ? asked.slice(0, MOST_DECIDED).map(buttons) : [],
  };
}

/** A correction in one line, and whether it waits. */
export function correctionLine(correction: Correction, typeName: string, days: DayWords): Escaped {
  const { userId, seconds, reason, byId, confirmedBy, importId, atS } = correction;
  if (importId !== undefined)
    return md`+${lasting(seconds)} (${inlineName(typeName)}) imported by ${userMention(byId)}, as of ${days(atS)}`;
  const change = seconds < 0 ? md`−${lasting(-seconds)}` : md`+${lasting(seconds)}`;
  const own = userId === byId ? md`, their own change` : md` by ${userMention(byId)}`;
  const confirmed = confirmedBy === undefined ? md`` : md`, confirmed by ${userMention(confirmedBy)}`;
  const waits = !isWaiting(correction) ? md`` : md` · **waits for a second Manager**`;
  return md`${change} (${inlineName(typeName)}) on ${days(atS)}${own}${confirmed}: ${escapeMarkdown(reason)}${waits}`;
}

/** A correction, and how it comes to count where it does not. */
export function correctionCard(correction: Correction, typeName: string, days: DayWords): MessageBody {
  const line = md`${userMention(correction.userId)} ${correctionLine(correction, typeName, days)}`;
  return isCounting(correction)
    ? { content: md`✅ ${line}` }
    : { content: md`${line}\nAnother Manager confirms it in \`/duty show member:\`.` };
}
