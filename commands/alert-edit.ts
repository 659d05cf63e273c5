import type { APIApplicationCommandBasicOption } from "discord.js";
import { type Choice, defineEntry, type Options, type Reply, type Typing } from "../src/discord/command.ts";
import { alertText } from "../src/discord/render/alert-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { AlertRule } from "../src/domain/alert.ts";
import { alertKind } from "../src/domain/alert-kinds.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { completeOffered, detailOptions, hintsOf, teamsOf, testButton } from "./alert-add.ts";
import { QUIET_HOURS, quietOf, thresholdOf } from "./alert-args.ts";
import { alertOption, chosenAlert, completeAlert, NO_SUCH_ALERT, recordAlertEvent } from "./alert-choice.ts";
import { meansNone } from "./no-filter.ts";
import { noPingOption, type PingChange, pingChangeOf, pingRoleAfter } from "./no-ping.ts";
import { signOf } from "./not-posted.ts";
import { editChannelOption } from "./post-channel.ts";
import { completeTeams } from "./team-choices.ts";

/** `/alert edit`: only what is typed changes. */

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  quiet: "Quiet hours without pings or sounds, in your time zone, such as 22:00-07:00; or none",
  "leave-out": "Teams whose kills don't count, separated by commas; or none",
};

const editOptions: readonly APIApplicationCommandBasicOption[] = [
  alertOption,
  editChannelOption,
  noPingOption,
  ...detailOptions.map((option) => ({
    ...option,
    description: DESCRIPTIONS[option.name] ?? option.description,
  })),
];

interface EditArgs {
  readonly alert: string;
  readonly channelId: string | undefined;
  readonly threshold: string | undefined;
  readonly ping: PingChange;
  readonly quiet: string | undefined;
  readonly leaveOut: string | undefined;
}

function parseEdit(options: Options): EditArgs {
  return {
    alert: options.string("alert", true).trim(),
    channelId: options.id("channel"),
    threshold: options.string("threshold"),
    ping: pingChangeOf(options),
    quiet: options.string("quiet")?.trim(),
    leaveOut: options.string("leave-out")?.trim(),
  };
}

/** The alert with what was typed. Failure "bad-command" where that cannot be meant. */
function edited(alert: AlertRule, args: EditArgs): AlertRule {
  const { count, withinS, quiet, withoutTeams, roleId: before, ...rest } = alert;
  const roleId = pingRoleAfter(args.ping, before);
  const { threshold, leaveOut } = args;
  const limit =
    threshold === undefined
      ? { ...(count === undefined ? {} : { count }), ...(withinS === undefined ? {} : { withinS }) }
      : thresholdOf(alert.kind, threshold);
  const hours = args.quiet === undefined ? quiet : meansNone(args.quiet) ? undefined : quietOf(args.quiet);
  const typed = leaveOut === undefined ? undefined : teamsOf(alert.kind, leaveOut);
  const teams = typed ?? withoutTeams ?? [];
  return {
    ...rest,
    ...limit,
    ...(hours === undefined ? {} : { quiet: hours }),
    ...(teams.length === 0 ? {} : { withoutTeams: teams }),
    ...(args.channelId === undefined ? {} : { channelId: args.channelId }),
    ...(roleId === undefined ? {} : { roleId }),
  };
}

async function editAlert(actor: Actor, args: EditArgs, services: Services): Promise<Reply> {
  const { alerts, bindings } = services;
  const { alert: typed, ...changes } = args;
  const found = await chosenAlert(services, actor, typed);
  const linked = await bindings.list(actor.guildId);
  if (Object.values(changes).every((one) => one === undefined)) {
    return { content: md`Set now: ${alertText(found, linked)}. Add what to change.` };
  }
  const after = await alerts.edit(actor.guildId, found.id, (alert) => edited(alert, args));
  if (after === undefined) throw new Failure("bad-command", NO_SUCH_ALERT);
  const said = alertText(after, linked);
  await recordAlertEvent(services, actor, { action: "alert-edit", text: said });
  const hasQuiet = args.quiet !== undefined && after.quiet !== undefined;
  const teams = args.leaveOut === undefined ? [] : (after.withoutTeams ?? []);
  const hints = await hintsOf(services, after, { ping: args.ping, hasQuiet, teams });
  return {
    content: joined([md`${await signOf(services, after)} Alert changed: ${said}.`, ...hints], "\n"),
    rows: [[testButton(after.id)]],
  };
}

async function completeEdit(typing: Typing, services: Services): Promise<readonly Choice[]> {
  const { option, typed, actor, options } = typing;
  if (option === "alert") return await completeAlert(typing, services);
  if (option === "leave-out") return await completeTeams(typing);
  if (option === "quiet") return completeOffered(typed, QUIET_HOURS);
  const { kind } = await chosenAlert(services, actor, (options.string("alert") ?? "").trim());
  return completeOffered(typed, alertKind(kind).offered);
}

export const edit = defineEntry<EditArgs>({
  description: "Change an alert: its channel, threshold, ping, quiet hours",
  first: "ephemeral",
  options: editOptions,
  parse: parseEdit,
  autocomplete: completeEdit,
  execute: ({ actor, args }, services) => editAlert(actor, args, services),
});
