import type { AlertRule, QuietHours } from "../../domain/alert.ts";
import { ALERT_TABLE, type AlertKind, alertKind, alertLabel } from "../../domain/alert-kinds.ts";
import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  roleMention,
} from "../../domain/escaped.ts";
import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Card, MessageBody } from "../../domain/message.ts";
import type { AlertRenderer } from "../../domain/ports/alert-renderer.ts";
import { alertKeyOf, alertMessage } from "./alert-message.ts";
import { type AccessOf, HOW_TO_MEND, isShut, obstacleIn } from "./channel-access.ts";
import { duration } from "./entry-line.ts";
import { cut, cutLines, inlineCode, inlineName, plainText } from "./escape.ts";
import { BY_ALERT_EDIT, refusedText } from "./refused-text.ts";
import { alertWithoutWords } from "./words-left-out.ts";

/** The alerts of a guild as `/alert` shows them. Pure. */

/** All alerts of a guild, numbered as the choices of `/alert` number them. */
export function alertListCard(
  rules: readonly AlertRule[],
  bindings: readonly Binding[],
  {
    refusedOf,
    accessOf,
  }: {
    readonly refusedOf: (rule: AlertRule) => SinkRefusalReason | undefined;
    readonly accessOf: AccessOf;
  },
): Card {
  const isShutOut = (rule: AlertRule) => isShut(accessOf(rule.channelId));
  const lines = rules.map((rule, index) => {
    const refused = refusedOf(rule);
    const why = isShutOut(rule)
      ? md`\n⤷ ⚠ ${obstacleIn(rule.channelId, accessOf(rule.channelId))}`
      : refused === undefined
        ? md``
        : md`\n⤷ ⚠ I can't post there: ${refusedText(refused, BY_ALERT_EDIT)}`;
    return md`**${index + 1}.** ${alertText(rule, bindings)}${why}`;
  });
  if (rules.some(({ channelId }) => accessOf(channelId).kind === "missing")) lines.push(HOW_TO_MEND);
  return {
    title: md`Alerts`,
    description:
      lines.length === 0 ? md`No alerts yet. Add one with \`/alert add\`.` : cutLines(lines, 4_000),
    color: rules.some((rule) => isShutOut(rule) || refusedOf(rule) !== undefined) ? 0xb7791f : 0x4a6fa5,
  };
}

/** `Alert, kills by one player`, or how many alerts it is. */
export function alertsWords(rules: readonly AlertRule[]): Escaped {
  const [first] = rules;
  return first === undefined || rules.length > 1
    ? md`${rules.length} alerts`
    : md`Alert, ${markdownOfOurs(ALERT_TABLE[first.kind].name)}`;
}

/** `kills by one player, 5 in 1 min, posted in #alerts · Town · pings @Staff` */
export function alertText(rule: AlertRule, bindings: readonly Binding[]): Escaped {
  return textOf(markdownOfOurs(ALERT_TABLE[rule.kind].name), rule, bindings);
}

/** The same where it begins a line. */
export function alertLine(rule: AlertRule, bindings: readonly Binding[]): Escaped {
  return textOf(alertLabel(rule.kind), rule, bindings);
}

function textOf(name: Escaped, rule: AlertRule, bindings: readonly Binding[]): Escaped {
  const { bindingId, channelId, roleId, quiet, withoutTeams } = rule;
  const server = bindings.find(({ id }) => id === bindingId)?.name;
  const parts = [md`**${name}**${limitText(rule)}, posted in ${channelMention(channelId)}`];
  if (server === undefined) parts.push(md`its server is not linked`);
  else if (bindings.length > 1) parts.push(inlineName(server));
  if (roleId !== undefined) parts.push(md`pings ${roleMention(roleId)}`);
  if (quiet !== undefined) parts.push(md`quiet ${quietText(quiet)}`);
  if (withoutTeams !== undefined) {
    const teams = withoutTeams.map((team) => inlineCode(team, 40));
    parts.push(md`without ${joined(teams, " ")}`);
  }
  return joined(parts, " · ");
}

/** `Kills by one player, 5 in 1 min`: an alert as it is before anything of it is set. */
export function alertOffer(kind: AlertKind): Escaped {
  return md`${alertLabel(kind)}${limitText({ kind })}`;
}

/** A choice of an alert: plain text, at most 100 characters. */
export function alertChoice(rule: AlertRule, number: number, bindings: readonly Binding[]): string {
  const server = bindings.find(({ id }) => id === rule.bindingId)?.name ?? "not linked";
  const named = bindings.length > 1 ? ` · ${plainText(server)}` : "";
  return cut(`${number}. ${ALERT_TABLE[rule.kind].name}${limitWords(rule)}${named}`, 100);
}

/** `22:00-07:00` */
function quietText({ fromMinute, toMinute }: QuietHours): Escaped {
  return markdownOfOurs(`${clock(fromMinute)}-${clock(toMinute)}`);
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

function limitText(rule: Pick<AlertRule, "kind" | "count" | "withinS">): Escaped {
  return markdownOfOurs(limitWords(rule));
}

/** Numbers and words of ours alone. */
function limitWords({ kind, count, withinS }: Pick<AlertRule, "kind" | "count" | "withinS">): string {
  const { defaults, measure } = alertKind(kind);
  const time = duration(withinS ?? defaults.withinS ?? 0);
  switch (measure) {
    case "rows":
      return `, ${count ?? defaults.count} in ${time}`;
    case "wait":
      return `, after ${time}`;
    case "most":
      return count === undefined ? " (when it is full)" : ` (${count} players)`;
    case "least":
      return count === undefined ? " (when nobody is left)" : ` (${count} players or fewer)`;
  }
}

function refused(rule: AlertRule, why: SinkRefusalReason): MessageBody {
  const { kind, channelId } = rule;
  return {
    content: md`⚠ An alert (${markdownOfOurs(ALERT_TABLE[kind].name)}) could not be posted in ${channelMention(channelId)}: ${refusedText(why, BY_ALERT_EDIT)} Once it works, alerts from the last hour follow.`,
  };
}

function example(rule: AlertRule, serverName: string): MessageBody {
  const { roleId, quiet } = rule;
  const ping =
    roleId === undefined ? md`It pings nobody.` : md`It pings ${roleMention(roleId)}. This test does not.`;
  const still = roleId === undefined ? "it makes no sound" : "nobody is pinged";
  const rest = quiet === undefined ? md`` : md` At ${quietText(quiet)} ${still}.`;
  return {
    cards: [
      {
        author: cut(plainText(serverName), 200),
        title: md`✅ Test of an alert`,
        description: md`This channel gets alerts for: ${markdownOfOurs(ALERT_TABLE[rule.kind].name)}${limitText(rule)}. ${ping}${rest}`,
        color: 0x2f855a,
      },
    ],
  };
}

export const alertRenderer: AlertRenderer = {
  alert: (view) => alertMessage(view.isWithoutWords === true ? alertWithoutWords(view) : view),
  keyOf: alertKeyOf,
  example,
  refused,
};
