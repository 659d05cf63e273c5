import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { NamedSchedule } from "../../domain/ports/run-renderer.ts";
import type { ScheduleView } from "../../domain/ports/schedules.ts";
import {
  type LastDue,
  type Schedule,
  type ScheduledWhat,
  type ScheduleRule,
  WEEKDAYS,
} from "../../domain/schedule.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { BLOCKED_WORDS, type BlockedBy } from "./blocked-words.ts";
import { momentIn } from "./day-words.ts";
import { cut, escapeMarkdown, inlineCode, inlineName, plainText } from "./escape.ts";
import { fitLines } from "./fit-lines.ts";

/** How schedules read. Pure. */

const COLOR = 0x3b6fd4;
/** At most 20 stand in one list, so that all of them fit a description. */
const LONGEST_TEXT = 80;

/** "every 30 min", "daily at 20:00", "Mon–Fri at 18:00 and 21:00". Plain text. */
export function ruleWords(rule: ScheduleRule): string {
  if (rule.kind === "every") {
    const [hours, minutes] = [Math.floor(rule.minutes / 60), rule.minutes % 60];
    const parts = [...(hours === 0 ? [] : [`${hours} h`]), ...(minutes === 0 ? [] : [`${minutes} min`])];
    return `every ${parts.join(" ")}`;
  }
  const [last = "", ...before] = rule.times.toReversed();
  const times = before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
  return `${dayWords(rule.days)} at ${times}`;
}

function dayWords(days: Extract<ScheduleRule, { kind: "times" }>["days"]): string {
  if (days.length === WEEKDAYS.length) return "daily";
  const names = days.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1)}`);
  const first = WEEKDAYS.indexOf(days[0] ?? "mon");
  const isRun = days.length > 2 && days.every((day, index) => WEEKDAYS[first + index] === day);
  return isRun ? `${names[0]}–${names.at(-1)}` : names.join(", ");
}

/** A schedule in one plain line, for choices and the audit: the preset's name or the text, and when. */
export function scheduleText({ what, rule }: Pick<Schedule, "what" | "rule">): string {
  return plainText(`${whatText(what)}, ${ruleWords(rule)}`);
}

function whatText(what: ScheduledWhat): string {
  return what.kind === "preset" ? what.name : what.text;
}

export interface AddedView {
  readonly view: ScheduleView;
  readonly serverName: string;
  /** The zone whose clocks count; undefined: none was chosen, so UTC. */
  readonly zone: string | undefined;
  /** Why nothing can run now: the key is wrong, or the owner does not allow commands. */
  readonly blockedBy?: BlockedBy | undefined;
}

/** What was just made, when it is due first, and what to know of it. */
export function scheduleAdded({ view, serverName, zone, blockedBy }: AddedView): MessageBody {
  const { schedule, nextAtMs } = view;
  const { rule, onlyWithPlayers } = schedule;
  const times = rule.kind === "times" ? [zoneLine(zone)] : [];
  // Beside "daily at 18:00" in the zone, a time on the reader's own clock would look like another one.
  const nextWords =
    rule.kind === "times"
      ? momentIn(zone ?? DEFAULT_ZONE, seconds(nextAtMs))
      : md`<t:${seconds(nextAtMs)}:f>`;
  const players = onlyWithPlayers ? md` Only while players are in the server.` : md``;
  const lines = [
    md`✅ ${whatMarkdown(schedule.what, view.text, 300)} on **${inlineName(serverName)}**, ${escapeMarkdown(ruleWords(rule))}`,
    md`Next: ${nextWords} (<t:${seconds(nextAtMs)}:R>)`,
    ...(blockedBy === undefined ? [] : [BLOCKED_WORDS[blockedBy]]),
    md`-# It runs with your rights and stops when you lose them.${players} Missed runs are skipped. \`/schedule list\` says why.`,
    ...times,
  ];
  return {
    content: joined(lines, "\n"),
    rows: [
      [{ kind: "button", style: "secondary", label: "Remove it", id: `schedule-remove:${schedule.id}` }],
    ],
  };
}

function zoneLine(zone: string | undefined): Escaped {
  return zone === undefined
    ? md`-# Times in UTC. Set yours with \`/setup timezone\`.`
    : md`-# Times in ${escapeMarkdown(zone)}.`;
}

export interface ListView {
  readonly views: readonly ScheduleView[];
  readonly servers: readonly { readonly id: string; readonly name: string }[];
  readonly zone: string | undefined;
}

/** All schedules with their next time, how the last one ended, and whose they are; a menu removes one. */
export function scheduleList({ views, servers, zone }: ListView): MessageBody {
  const lines = views.map((view, index) => {
    const { schedule, text, nextAtMs, last } = view;
    const server = servers.find(({ id }) => id === schedule.bindingId);
    const on = servers.length > 1 && server !== undefined ? [md`on **${inlineName(server.name)}**`] : [];
    const parts = [
      ...on,
      md`next <t:${seconds(nextAtMs)}:R>`,
      md`by ${userMention(schedule.ownerId)}`,
      ...(schedule.onlyWithPlayers ? [md`only with players`] : []),
    ];
    const head = md`**${index + 1}.** ${whatMarkdown(schedule.what, text, LONGEST_TEXT)} · ${escapeMarkdown(ruleWords(schedule.rule))}`;
    const small = md`-# ${joined(parts, " · ")}`;
    return joined([head, small, ...(last === undefined ? [] : [md`-# ${lastWords(last)}`])], "\n");
  });
  const empty = md`No schedules yet. Add one with \`/schedule add\`: an announcement or a preset, at set times or intervals.`;
  const body = lines.length === 0 ? empty : joined([fitLines(lines, { max: 3_600 }), zoneLine(zone)], "\n");
  return {
    cards: [{ title: md`🕒 Schedules`, description: body, color: COLOR }],
    rows: views.length === 0 ? [] : [removeRow(views)],
  };
}

function removeRow(views: readonly ScheduleView[]): NonNullable<MessageBody["rows"]>[number] {
  const options = views.slice(0, 25).map(({ schedule }, index) => ({
    label: cut(`Remove ${index + 1}. ${scheduleText(schedule)}`, 100),
    value: schedule.id,
  }));
  return [{ kind: "select", of: "string", id: "schedule-remove", placeholder: "Remove one", options }];
}

function lastWords({ dueAtMs, result, why }: LastDue): Escaped {
  const at = md`<t:${seconds(dueAtMs)}:R>`;
  const reason = why === undefined ? md`` : md`: ${escapeMarkdown(cut(why, 160))}`;
  switch (result) {
    case "claimed":
      return md`📨 being sent, due ${at}`;
    case "ran":
      return md`✅ ran ${at}`;
    case "unknown":
      return md`❔ may have run ${at}${reason}`;
    case "skipped":
      return md`⏭ skipped ${at}${reason}`;
    case "failed":
      return md`⛔ did not run ${at}${reason}`;
  }
}

/** The text that is sent; of a preset its name as well. */
function whatMarkdown(what: ScheduledWhat, text: string | undefined, max: number): Escaped {
  if (what.kind === "text") return inlineCode(what.text, max);
  const sends = text === undefined ? md`(dropped)` : inlineCode(text, max);
  return md`**${inlineName(what.name)}** ${sends}`;
}

/** Beside the reason and what to do, in the 2,000 characters of a message: a longer one is posted nowhere. */
const ROOM_FOR_ENDED = 1_200;

/** Several schedules of a guild run no more, for one reason. */
export function schedulesEnded(ended: readonly NamedSchedule[], why: string): MessageBody {
  const title = ended.length === 1 ? md`A schedule has ended` : md`${ended.length} schedules have ended`;
  const next = md`**Next:** Someone who can run it can add it again with \`/schedule add\`.`;
  const lines = fitLines(ended.map(lineOf), { max: ROOM_FOR_ENDED });
  return { content: joined([md`⏹ **${title}.** ${escapeMarkdown(cut(why, 300))}`, lines, next], "\n") };
}

/** One that failed several times in a row. */
export function scheduleFailing(failing: NamedSchedule, why: string): MessageBody {
  const lines = [
    md`⚠ **A schedule keeps failing:** ${failing.schedule.failures} times in a row.`,
    lineOf(failing),
    md`**Last reason:** ${why === "" ? "not known" : escapeMarkdown(cut(why, 300))}`,
    md`**Next:** It keeps trying. See or remove it in \`/schedule list\`.`,
  ];
  return { content: joined(lines, "\n") };
}

function lineOf({ schedule, text, serverName }: NamedSchedule): Escaped {
  const on = serverName === undefined ? md`` : md` on **${inlineName(serverName)}**`;
  const when = escapeMarkdown(ruleWords(schedule.rule));
  return md`• ${inlineCode(text, LONGEST_TEXT)}${on}, ${when}, by ${userMention(schedule.ownerId)}`;
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}
