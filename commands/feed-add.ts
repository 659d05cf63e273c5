import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { NamedRole, Options } from "../src/discord/command.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { Failure } from "../src/domain/failure.ts";
import { FEED_KINDS, type FeedKind, feedKind, feedLabel } from "../src/domain/feed-kinds.ts";
import type { Feed, FeedFilter } from "../src/domain/guild.ts";
import type { NewFeed } from "../src/domain/ports/feeds.ts";
import { meansNone } from "./no-filter.ts";
import { postChannelOption } from "./post-channel.ts";
import { serverOption } from "./server-option.ts";

export const MINUTE_MS = 60_000;

/** More than any community needs; a guild with more has made a mistake. */
export const MOST_FEEDS = 50;

const { String: text, Integer: integer, Boolean: flag, Role: role } = ApplicationCommandOptionType;

/** What both `/feed add` and `/feed edit` take besides which feed and where. */
export const detailOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "style",
    description: "Lines: compact text (default). Cards: with links to profiles",
    choices: [
      { name: "Lines", value: "lines" },
      { name: "Cards", value: "cards" },
    ],
  },
  { type: text, name: "team", description: "Only these teams, separated by commas", autocomplete: true },
  { type: text, name: "player", description: "Only these players: names or ids, separated by commas" },
  {
    type: text,
    name: "command",
    description: "Only these commands, such as kick, ban (for command feeds)",
  },
  { type: role, name: "ping", description: "Ping this role when someone calls a moderator" },
  {
    type: integer,
    name: "cooldown",
    description: "Minutes between pings (default 1)",
    min_value: 0,
    max_value: 1_440,
  },
  {
    type: integer,
    name: "escalate",
    description: "Ping again if a call is still unclaimed after this many minutes",
    min_value: 1,
    max_value: 1_440,
  },
  { type: flag, name: "silent", description: "Post without a notification sound" },
];

export const addOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "kind",
    description: "What to post",
    required: true,
    choices: FEED_KINDS.map((kind) => ({ name: feedLabel(kind), value: feedKind(kind).option })),
  },
  postChannelOption,
  serverOption,
  ...detailOptions,
];

/** The options of `/feed add`. */
export type AddArgs = Omit<NewFeed, "guildId" | "bindingId" | "channelId" | "createdBy" | "pingRoleId"> & {
  readonly ping: NamedRole | undefined;
  readonly channelId: string | undefined;
  readonly server: string | undefined;
};

/** Failure "bad-command" where the options do not go together. */
export function parseAdd(options: Options): AddArgs {
  const kind = kindOf(options.string("kind", true));
  const filter = filterOf(typedFilter(options));
  const ping = options.role("ping");
  const cooldown = options.number("cooldown");
  const escalate = options.number("escalate");
  const details: AddArgs = {
    kind,
    ping,
    channelId: options.id("channel"),
    server: options.string("server"),
    style: options.string("style") === "cards" ? "cards" : "lines",
    filter,
    silent: options.boolean("silent") ?? false,
    ...(cooldown === undefined ? {} : { pingCooldownMs: cooldown * MINUTE_MS }),
    ...(escalate === undefined ? {} : { escalateAfterMs: escalate * MINUTE_MS }),
  };
  checkDetails({ ...details, pingRoleId: ping?.roleId });
  return details;
}

/** What has to go together, of a feed that is new or changed. @throws Failure "bad-command" */
export function checkDetails({
  kind,
  filter,
  pingRoleId,
  pingCooldownMs,
  escalateAfterMs,
}: Pick<Feed, "kind" | "filter" | "pingCooldownMs" | "escalateAfterMs"> & {
  readonly pingRoleId: string | undefined;
}): void {
  if ((filter.verbs ?? []).length > 0 && kind !== "commands") {
    throw new Failure("bad-command", "Only command feeds can be limited to some commands.");
  }
  if (kind === "emergencyCalls" && filter.players?.some((player) => !/^\d+$/.test(player))) {
    throw new Failure("bad-command", "Emergency calls only show player ids. Give ids, not names.");
  }
  const pings = [pingRoleId, pingCooldownMs, escalateAfterMs];
  if (kind !== "modCalls" && pings.some((one) => one !== undefined)) {
    throw new Failure("bad-command", "Only feeds of moderator calls can ping.");
  }
  if (pingRoleId === undefined && pingCooldownMs !== undefined) {
    throw new Failure("bad-command", "Choose a role to ping as well.");
  }
}

function kindOf(name: string): FeedKind {
  const known = FEED_KINDS.find((kind) => feedKind(kind).option === name);
  if (known === undefined)
    throw new Failure("bad-command", "Unknown kind of feed. Choose one from the list.");
  return known;
}

/** What was typed as a filter; what is absent was not typed. */
export function typedFilter(options: Options): FeedFilter {
  const [team, player, command] = ["team", "player", "command"].map((name) => options.string(name));
  return {
    ...(team === undefined ? {} : { teams: listOf(team) }),
    ...(player === undefined ? {} : { players: listOf(player).map((name) => name.toLowerCase()) }),
    ...(command === undefined
      ? {}
      : { verbs: listOf(command).map((verb) => verb.replace(/^:/, "").toLowerCase()) }),
  };
}

/** Without what filters nothing. */
export function filterOf(typed: FeedFilter): FeedFilter {
  const named = (list: readonly string[] = []) => list.filter((one) => !meansNone(one));
  const [teams, players, verbs] = [named(typed.teams), named(typed.players), named(typed.verbs)];
  return {
    ...(teams.length === 0 ? {} : { teams }),
    ...(players.length === 0 ? {} : { players }),
    ...(verbs.length === 0 ? {} : { verbs }),
  };
}

function listOf(typed: string): string[] {
  const parts = typed.split(",").map((part) => plainText(part));
  return parts.filter((part) => part !== "").slice(0, 25);
}
