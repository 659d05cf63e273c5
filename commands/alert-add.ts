import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { Choice, NamedRole, Options, Reply, Typing } from "../src/discord/command.ts";
import { alertText } from "../src/discord/render/alert-cards.ts";
import { obstacle } from "../src/discord/render/channel-access.ts";
import { plainText } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { ALERT_KINDS, type AlertKind, type AlertLimit, type QuietHours } from "../src/domain/alert.ts";
import { channelMention, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { QUIET_HOURS, quietOf, THRESHOLDS, thresholdOf } from "./alert-args.ts";
import { recordAlertEvent } from "./alert-choice.ts";
import { postChannelOption } from "./post-channel.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { silentPing } from "./silent-ping.ts";
import { completeTeams } from "./team-choices.ts";

/** `/alert add`: what to be alerted to, where, and how much is too much. */

const MOST_TEAMS = 10;
const { String: text, Role: role } = ApplicationCommandOptionType;

export const addOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "kind",
    description: "What to be told of",
    required: true,
    choices: [
      { name: "Many kills by one player", value: "kills" },
      { name: "Many punishments by one member of staff", value: "punishments" },
      { name: "Commands run outside Marshal", value: "outside" },
      { name: "A moderator call that nobody answers", value: "calls" },
      { name: "The server fills up", value: "full" },
      { name: "The server empties", value: "empty" },
    ],
  },
  postChannelOption,
  serverOption,
  {
    type: text,
    name: "threshold",
    description: "How much is too much, such as: 5 in 60 s",
    autocomplete: true,
    max_length: 30,
  },
  { type: role, name: "ping", description: "Ping this role, once for each new message" },
  {
    type: text,
    name: "quiet",
    description: "Hours without a ping or a sound, in your time zone, such as 22:00-07:00",
    autocomplete: true,
    max_length: 20,
  },
  {
    type: text,
    name: "leave-out",
    description: "Kills by these teams do not count, with commas between",
    autocomplete: true,
    max_length: 100,
  },
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
  const teams = (options.string("leave-out") ?? "").split(",").map((team) => plainText(team));
  const withoutTeams = teams.filter((team) => team !== "").slice(0, MOST_TEAMS);
  if (withoutTeams.length > 0 && kind !== "kills") {
    throw new Failure("bad-command", "Teams can be left out of alerts about kills only.");
  }
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

function kindOf(name: string | undefined): AlertKind {
  const known = ALERT_KINDS.find((kind) => kind === name);
  if (known === undefined) throw new Failure("bad-command", "There is no such kind of alert.");
  return known;
}

export function completeAdd(
  typing: Typing,
  services: Services,
): readonly Choice[] | Promise<readonly Choice[]> {
  const { option, typed, options } = typing;
  if (option === "leave-out") return completeTeams(typing);
  if (option === "server") return completeServer(typing, services);
  const offered = option === "quiet" ? QUIET_HOURS : THRESHOLDS[kindOf(options.string("kind"))];
  const wanted = typed.trim().toLowerCase();
  return offered.filter((one) => one.startsWith(wanted)).map((one) => ({ name: one, value: one }));
}

export async function addAlert(actor: Actor, args: AddArgs, services: Services): Promise<Reply> {
  const { bindings, alerts, settings, guilds } = services;
  const { kind, limit, ping, quiet, withoutTeams } = args;
  const binding = await bindings.pick(actor.guildId, args.server);
  const alert = await alerts.add({
    ...limit,
    guildId: actor.guildId,
    bindingId: binding.id,
    kind,
    createdBy: actor.userId,
    channelId: args.channelId ?? actor.channelId,
    ...(ping === undefined ? {} : { roleId: ping.roleId }),
    ...(quiet === undefined ? {} : { quiet }),
    ...(withoutTeams.length === 0 ? {} : { withoutTeams }),
  });
  const said = alertText(alert, await bindings.list(actor.guildId));
  await recordAlertEvent(services, actor, { action: "alert-add", text: said });
  const { timeZone } = await settings.of(actor.guildId);
  const zone =
    quiet !== undefined && timeZone === undefined
      ? [md`-# Quiet hours are those of ${DEFAULT_ZONE}: \`/setup timezone\` sets yours.`]
      : [];
  const access = await guilds.channelAccess(actor.guildId, alert.channelId);
  const isClosed = access.kind === "missing" || access.kind === "gone" || access.kind === "closed";
  const closed = isClosed ? [md`⚠ ${channelMention(alert.channelId)} ${obstacle(access)}.`] : [];
  return {
    content: joined(
      [md`✅ From now on: ${said}.`, ...closed, ...(ping === undefined ? [] : silentPing(ping)), ...zone],
      "\n",
    ),
    rows: [[testButton(alert.id)]],
  };
}

export function testButton(alertId: string): Button {
  return { kind: "button", style: "secondary", label: "Post a test message", id: `alert-test:${alertId}` };
}
