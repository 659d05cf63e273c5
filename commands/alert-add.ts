import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { Choice, NamedRole, Options, Reply, Typing } from "../src/discord/command.ts";
import { alertText } from "../src/discord/render/alert-cards.ts";
import { publicLines, shutLines } from "../src/discord/render/channel-access.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { openMatters } from "../src/discord/render/server/open-calls.ts";
import type { Services } from "../src/discord/services.ts";
import type { AlertRule, QuietHours } from "../src/domain/alert.ts";
import { ALERT_KINDS, type AlertKind, type AlertLimit, alertKind } from "../src/domain/alert-kinds.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import type { NewAlert } from "../src/domain/ports/alerts.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { QUIET_HOURS, quietOf, thresholdOf } from "./alert-args.ts";
import { recordAlertEvent } from "./alert-choice.ts";
import { meansNone } from "./no-filter.ts";
import type { PingChange } from "./no-ping.ts";
import { signOf } from "./not-posted.ts";
import { postChannelOption } from "./post-channel.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { silentPing } from "./silent-ping.ts";
import { completeTeams, strangeTeamLines } from "./team-choices.ts";

/** `/alert add`: what to be alerted to, where, and how much is too much. */

const MOST_TEAMS = 10;
const { String: text, Role: role } = ApplicationCommandOptionType;

/** What both `/alert add` and `/alert edit` take besides which alert and where. */
export const detailOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "threshold",
    description: "When to alert, such as: 5 in 60 s",
    autocomplete: true,
    max_length: 30,
  },
  { type: role, name: "ping", description: "Ping this role with each new alert" },
  {
    type: text,
    name: "quiet",
    description: "Quiet hours without pings or sounds, in your time zone, such as 22:00-07:00",
    autocomplete: true,
    max_length: 20,
  },
  {
    type: text,
    name: "leave-out",
    description: "Teams whose kills don't count, separated by commas",
    autocomplete: true,
    max_length: 100,
  },
];

export const addOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "kind",
    description: "What to watch for",
    required: true,
    choices: ALERT_KINDS.map((kind) => ({ name: alertKind(kind).choice, value: kind })),
  },
  postChannelOption,
  serverOption,
  ...detailOptions,
];

export interface AddArgs {
  readonly kind: AlertKind;
  readonly channelId: string | undefined;
  readonly server: string | undefined;
  readonly limit: AlertLimit;
  readonly ping: NamedRole | undefined;
  readonly quiet: QuietHours | undefined;
  readonly withoutTeams: readonly string[];
}

/** Failure "bad-command" where the options do not go together. */
export function parseAdd(options: Options): AddArgs {
  const kind = kindOf(options.string("kind", true));
  const quiet = options.string("quiet");
  const withoutTeams = teamsOf(kind, options.string("leave-out") ?? "");
  return {
    kind,
    withoutTeams,
    channelId: options.id("channel"),
    server: options.string("server"),
    limit: thresholdOf(kind, options.string("threshold")),
    ping: options.role("ping"),
    quiet: quiet === undefined ? undefined : quietOf(quiet),
  };
}

/** @throws Failure "bad-command" where alerts of that kind know no teams. */
export function teamsOf(kind: AlertKind, typed: string): readonly string[] {
  const teams = typed.split(",").map((team) => plainText(team));
  const named = teams.filter((team) => team !== "" && !meansNone(team)).slice(0, MOST_TEAMS);
  if (named.length > 0 && alertKind(kind).leavesOutTeams !== true) {
    throw new Failure("bad-command", "Only kill alerts can leave out teams.");
  }
  return named;
}

function kindOf(name: string | undefined): AlertKind {
  const known = ALERT_KINDS.find((kind) => kind === name);
  if (known === undefined)
    throw new Failure("bad-command", "Unknown kind of alert. Choose one from the list.");
  return known;
}

export function completeAdd(
  typing: Typing,
  services: Services,
): readonly Choice[] | Promise<readonly Choice[]> {
  const { option, typed, options } = typing;
  if (option === "leave-out") return completeTeams(typing);
  if (option === "server") return completeServer(typing, services);
  return completeOffered(
    typed,
    option === "quiet" ? QUIET_HOURS : alertKind(kindOf(options.string("kind"))).offered,
  );
}

export function completeOffered(typed: string, offered: readonly string[]): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  return offered.filter((one) => one.startsWith(wanted)).map((one) => ({ name: one, value: one }));
}

export async function addAlert(actor: Actor, args: AddArgs, services: Services): Promise<Reply> {
  const { kind, limit, ping, quiet, withoutTeams } = args;
  const binding = await services.bindings.pick(actor.guildId, args.server);
  const wanted = {
    ...limit,
    bindingId: binding.id,
    kind,
    channelId: args.channelId ?? actor.channelId,
    ...(ping === undefined ? {} : { roleId: ping.roleId }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(withoutTeams.length === 0 ? {} : { withoutTeams }),
  };
  const { alert, said } = await addNewAlert(actor, wanted, services);
  const hints = await hintsOf(services, alert, { ping, hasQuiet: quiet !== undefined, teams: withoutTeams });
  const lines = [
    md`${await signOf(services, alert)} Alert added: ${said}.`,
    ...callsBefore(services, kind, binding),
    ...hints,
  ];
  const content = joined(lines, "\n");
  return { content, rows: [[testButton(alert.id)]] };
}

/** A new alert about calls begins with the next one. */
export function callsBefore(
  { snapshots, modCalls }: Pick<Services, "snapshots" | "modCalls">,
  kind: AlertKind,
  { id, source }: Pick<Binding, "id" | "source">,
): readonly Escaped[] {
  const state = kind === "calls" ? snapshots.latest(source) : undefined;
  if (state === undefined) return [];
  const { length } = openMatters(modCalls.withoutResolved(id, state), modCalls.openCards(id));
  if (length === 0) return [];
  const waiting = length === 1 ? md`1 call is` : md`${length} calls are`;
  return [
    md`-# ${waiting} waiting already. The alert doesn't count calls from before: see \`/server calls\`.`,
  ];
}

/** Adds it in that person's name, and notes so in the audit. Rejects as `Alerts.add`. */
export async function addNewAlert(
  actor: Actor,
  wanted: Omit<NewAlert, "guildId" | "createdBy">,
  services: Services,
): Promise<{ readonly alert: AlertRule; readonly said: Escaped }> {
  const { guildId, userId: createdBy } = actor;
  const alert = await services.alerts.add({ ...wanted, guildId, createdBy });
  const said = alertText(alert, await services.bindings.list(guildId));
  await recordAlertEvent(services, actor, { action: "alert-add", text: said });
  return { alert, said };
}

/** What may keep an alert from being noticed, of what was just set. */
export async function hintsOf(
  { settings, guilds, bindings, snapshots }: Services,
  { guildId, channelId, bindingId, kind, count = 0 }: AlertRule,
  {
    ping,
    hasQuiet,
    teams,
  }: { readonly ping: PingChange; readonly hasQuiet: boolean; readonly teams: readonly string[] },
): Promise<readonly Escaped[]> {
  const { timeZone } = await settings.of(guildId);
  const zone =
    hasQuiet && timeZone === undefined
      ? [md`-# Quiet hours use ${DEFAULT_ZONE} time. Set yours with \`/setup timezone\`.`]
      : [];
  const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
  const most = binding === undefined ? undefined : snapshots.latest(binding.source)?.status.maxPlayers;
  const tooMany =
    kind === "full" && most !== undefined && count > most
      ? [md`⚠ The server has room for ${most} players, so this alert would never come.`]
      : [];
  const access = await guilds.channelAccess(guildId, channelId);
  return [
    ...shutLines(channelId, access),
    ...publicLines([channelId], () => access),
    ...silentPing(ping),
    ...zone,
    ...strangeTeamLines(teams),
    ...tooMany,
  ];
}

export function testButton(alertId: string): Button {
  return { kind: "button", style: "secondary", label: "Send a test", id: `alert-test:${alertId}` };
}
