import type { AlertRule } from "../../domain/alert.ts";
import { ALERT_TABLE } from "../../domain/alert-kinds.ts";
import type { DutyType } from "../../domain/duty.ts";
import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  userMention,
} from "../../domain/escaped.ts";
import { feedLabel } from "../../domain/feed-kinds.ts";
import type { Binding, Feed, GuildSettings } from "../../domain/guild.ts";
import type { Card } from "../../domain/message.ts";
import type { KnownPermission } from "../../domain/ports/command-permission.ts";
import { TIER_NAMES, TIERS_HIGHEST_FIRST } from "../../domain/tiers.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { AUTOMATIC_PAUSED } from "./automatic-cards.ts";
import { type AccessOf, isShut } from "./channel-access.ts";
import { cutLines, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";
import { beyondWrongKey } from "./key-refusal.ts";
import { positionsSaid } from "./position-words.ts";
import { ASK_COLOR, roleList } from "./setup-cards.ts";
import { zoneCode } from "./setup-guide-zone.ts";
import {
  appealsLine,
  auditLine,
  casesLine,
  commandsLine,
  noticesLine,
  tellLine,
  watchesLine,
} from "./setup-lines.ts";

/** `/setup show`: all that is set, on one card. Pure. */

export interface SetupView {
  readonly settings: GuildSettings;
  readonly servers: readonly LinkedServer[];
  /** Of the weekly summary; undefined: there is none. */
  readonly weeklyChannelId: string | undefined;
  /** For how many days positions are kept, 0: not at all; undefined: the host keeps no history. */
  readonly positionDays: number | undefined;
  readonly cases: { readonly isKept: boolean };
  /** Roles that have a rank in the game. */
  readonly rankRoles: Counted;
  readonly rules: Counted;
  readonly dutyTypes: readonly Pick<DutyType, "name" | "channelId">[];
  readonly accessOf: AccessOf;
}

/** How many there are, and whether all of them are paused. */
interface Counted {
  readonly count: number;
  readonly isPaused: boolean;
}

export interface LinkedServer {
  readonly binding: Binding;
  readonly parkedWhy: string | undefined;
  readonly feeds: readonly Feed[];
  readonly alerts: readonly AlertRule[];
  readonly panelChannelIds: readonly string[];
  readonly schedules: number;
  /** Where sessions are announced; undefined: they are not set up. */
  readonly sessionChannelId: string | undefined;
  readonly permission: KnownPermission;
}

/** 25 fields at most; a community with more servers than that sees the first ones and their number. */
const MOST_SERVERS = 24;
/** Discord takes 6000 characters in all: this for the fields, the rest for what is set for the whole community. */
const ROOM_FOR_SERVERS = 4_000;
const LONGEST_FIELD = 1_024;
const MOST_DUTY_TYPES = 5;

export function setupCard(view: SetupView): Card {
  const { settings, servers, weeklyChannelId, positionDays, accessOf } = view;
  const shown = servers.slice(0, MOST_SERVERS);
  const names = shown.map(({ binding }) => inlineName(binding.name));
  const left = ROOM_FOR_SERVERS - joined(names, "").length;
  const room = Math.min(LONGEST_FIELD, Math.floor(left / Math.max(1, shown.length)));
  return {
    title: md`Setup of this Discord server`,
    description: cutLines(
      [
        ...(servers.length === 0 ? [md`No game server is linked yet: \`/setup start\`.`] : []),
        ...shutOutLines(view),
        ...(settings.automaticPause === undefined ? [] : [AUTOMATIC_PAUSED]),
        marked(noticesLine(settings), settings.noticeChannelId, accessOf),
        md`Time zone: ${zoneCode(settings.timeZone ?? DEFAULT_ZONE)}. Change it with \`/setup timezone\`.`,
        marked(casesLine(settings, view.cases), settings.caseChannelId, accessOf),
        tellLine(settings),
        marked(watchesLine(settings), settings.watchChannelId, accessOf),
        marked(auditLine(settings), settings.auditChannelId, accessOf),
        marked(appealsLine(settings), settings.appealChannelId, accessOf),
        marked(weeklyLine(weeklyChannelId), weeklyChannelId, accessOf),
        positionDays === 0 ? POSITIONS_OFF : positionsSaid(positionDays),
        ...dutyLine(view),
        ...conductLine(view),
      ],
      1_800,
    ),
    color: ASK_COLOR,
    fields: shown.map((server) => ({
      name: inlineName(server.binding.name),
      value: cutLines(serverLines(server, settings, accessOf), room),
    })),
    ...(servers.length > MOST_SERVERS ? { footer: `and ${servers.length - MOST_SERVERS} more` } : {}),
  };
}

/** Every channel that something is posted in; some may come twice. */
export function channelsShown(view: Omit<SetupView, "accessOf">): readonly string[] {
  const { settings, servers, weeklyChannelId, dutyTypes } = view;
  const { noticeChannelId, caseChannelId, watchChannelId, auditChannelId, appealChannelId } = settings;
  const single = [
    noticeChannelId,
    caseChannelId,
    watchChannelId,
    auditChannelId,
    appealChannelId,
    weeklyChannelId,
    ...dutyTypes.map(({ channelId }) => channelId),
    ...servers.map(({ sessionChannelId }) => sessionChannelId),
  ];
  return [
    ...single.filter((id) => id !== undefined),
    ...servers.flatMap(({ feeds, alerts, panelChannelIds }) => [
      ...[...feeds, ...alerts].map(({ channelId }) => channelId),
      ...panelChannelIds,
    ]),
  ];
}

/** The channels that take no posts of Marshal, each once, and what to do. */
function shutOutLines(view: SetupView): readonly Escaped[] {
  const shut = [...new Set(channelsShown(view))].filter((id) => isShut(view.accessOf(id)));
  if (shut.length === 0) return [];
  // Discord's own name for a deleted channel is "unknown", and nobody can mend its permissions.
  const gone = shut.filter((id) => view.accessOf(id).kind === "gone");
  const closed = shut.filter((id) => !gone.includes(id));
  const channels = joined(closed.slice(0, 5).map(channelMention), " ");
  const deleted = gone.length === 1 ? md`A channel was` : md`${gone.length} channels were`;
  return [
    ...(closed.length === 0 ? [] : [md`⚠ I can't post in ${channels}. \`/diagnose\` shows what is missing.`]),
    ...(gone.length === 0 ? [] : [md`⚠ ${deleted} deleted. Pick another where ⚠ is shown below.`]),
  ];
}

/** What can't be posted where it is set has a sign: the first line says where, and what to do. */
function marked(line: Escaped, channelId: string | undefined, accessOf: AccessOf): Escaped {
  return channelId !== undefined && isShut(accessOf(channelId)) ? md`⚠ ${line}` : line;
}

/** A community without duty reads nothing of it. */
function dutyLine({ dutyTypes, accessOf }: SetupView): Escaped[] {
  if (dutyTypes.length === 0) return [];
  const shown = dutyTypes.slice(0, MOST_DUTY_TYPES).map(({ name, channelId }) => {
    const posted =
      channelId === undefined ? md`` : md` in ${marked(channelMention(channelId), channelId, accessOf)}`;
    return md`**${inlineName(name)}**${posted}`;
  });
  const left = dutyTypes.length - shown.length;
  const more = left === 0 ? [] : [md`${left} more`];
  return [md`Duty: ${joined([...shown, ...more], ", ")}. See \`/duty type list\`.`];
}

/** A community without ranks and rules reads nothing of them. */
function conductLine({ rankRoles, rules }: SetupView): Escaped[] {
  const said = [
    ...(rankRoles.count === 0
      ? []
      : [md`Roles with a rank in the game: ${counted(rankRoles)}. See \`/rank list\`.`]),
    ...(rules.count === 0 ? [] : [md`Rules: ${counted(rules)}. See \`/rule list\`.`]),
  ];
  return said.length === 0 ? [] : [joined(said, " ")];
}

function counted({ count, isPaused }: Counted): Escaped {
  return isPaused ? md`**${count}** (paused)` : md`**${count}**`;
}

const POSITIONS_OFF = md`Positions are not saved. Save them with \`/history retention positions:\`.`;

function weeklyLine(channelId: string | undefined): Escaped {
  return channelId === undefined
    ? md`Weekly summaries are off. Turn them on with \`/stats weekly channel:\`.`
    : md`Weekly summaries are posted in ${channelMention(channelId)}.`;
}

function serverLines(server: LinkedServer, settings: GuildSettings, accessOf: AccessOf): readonly Escaped[] {
  const { binding, parkedWhy, feeds, alerts, panelChannelIds, permission } = server;
  const more = beyondWrongKey(parkedWhy ?? "");
  const refusal = more === "" ? [] : [escapeMarkdown(more)];
  const logs = feeds.map(({ kind, channelId, state }): Posted => {
    return { what: md`${feedLabel(kind)}${state === "paused" ? md` (paused)` : md``}`, channelId };
  });
  const kinds = alerts.map(({ kind, channelId }): Posted => {
    return { what: markdownOfOurs(ALERT_TABLE[kind].name), channelId };
  });
  const panels = panelChannelIds.map((id) => marked(channelMention(id), id, accessOf));
  return [
    parkedWhy === undefined
      ? md`🟢 Key in use${binding.keyEnd === undefined ? "" : md`, ends in ${inlineCode(binding.keyEnd)}`}`
      : md`⛔ ${joined(["The server key is wrong or expired.", ...refusal, "Replace it with `/setup link`."], " ")}`,
    // Without a key nothing is sent, whatever the owner allows.
    ...(parkedWhy === undefined ? [commandsLine(permission)] : []),
    ...(settings.defaultServer === binding.id ? [md`Default server`] : []),
    staffLine(settings.policies[binding.id]?.roleTiers ?? {}),
    md`Logs: ${postedWords(logs, accessOf)}`,
    md`Alerts: ${postedWords(kinds, accessOf)}`,
    md`Panel: ${panelChannelIds.length === 0 ? md`none` : joined(panels, " ")}`,
    ...automaticLines(server, accessOf),
    // Of a server that was linked before, a new key has replaced who did it and when.
    md`Key set by ${userMention(binding.linkedBy)} <t:${Math.floor(binding.linkedAtMs / 1000)}:R>`,
  ];
}

/** Of what most communities do without: nothing where there is none. */
function automaticLines({ schedules, sessionChannelId: id }: LinkedServer, accessOf: AccessOf): Escaped[] {
  return [
    ...(schedules === 0 ? [] : [md`Schedules: **${schedules}**, see \`/schedule list\``]),
    ...(id === undefined ? [] : [md`Sessions: ${marked(channelMention(id), id, accessOf)}`]),
  ];
}

function staffLine(roleTiers: GuildSettings["policies"][string]["roleTiers"]): Escaped {
  const all = Object.entries(roleTiers);
  const staff = TIERS_HIGHEST_FIRST.flatMap((tier) => {
    const roles = all.filter(([, of]) => of === tier).map(([roleId]) => roleId);
    return roles.length === 0 ? [] : [md`${TIER_NAMES[tier]}s: ${roleList(roles)}`];
  });
  return staff.length === 0 ? md`No staff roles: nobody can run commands.` : joined(staff, " · ");
}

interface Posted {
  readonly what: Escaped;
  readonly channelId: string;
}

/** `Joins and leaves, Kills in #logs · Commands in #staff` */
function postedWords(posted: readonly Posted[], accessOf: AccessOf): Escaped {
  if (posted.length === 0) return md`none`;
  const places = [...Map.groupBy(posted, ({ channelId }) => channelId)].map(([channelId, those]) => {
    const what = [...new Set(those.map((one) => one.what))];
    return md`${joined(what, ", ")} in ${marked(channelMention(channelId), channelId, accessOf)}`;
  });
  return joined(places, " · ");
}
