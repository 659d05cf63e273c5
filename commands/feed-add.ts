import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { NamedRole, Options } from "../src/discord/command.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { Failure } from "../src/domain/failure.ts";
import type { FeedFilter, FeedKind } from "../src/domain/guild.ts";
import type { NewFeed } from "../src/domain/ports/feeds.ts";
import { postChannelOption } from "./post-channel.ts";
import { serverOption } from "./server-option.ts";

const MINUTE_MS = 60_000;

/** More than any community needs; a guild with more has made a mistake. */
export const MOST_FEEDS = 50;

const KINDS = {
  joins: "joins",
  kills: "kills",
  "mod-calls": "modCalls",
  commands: "commands",
  "emergency-calls": "emergencyCalls",
} as const satisfies Record<string, FeedKind>;

const { String: text, Integer: integer, Boolean: flag, Role: role } = ApplicationCommandOptionType;

export const addOptions: readonly APIApplicationCommandBasicOption[] = [
  {
    type: text,
    name: "kind",
    description: "What to post",
    required: true,
    choices: [
      { name: "Joins and leaves", value: "joins" },
      { name: "Kills", value: "kills" },
      { name: "Moderator calls", value: "mod-calls" },
      { name: "Commands", value: "commands" },
      { name: "Emergency calls", value: "emergency-calls" },
    ],
  },
  postChannelOption,
  serverOption,
  {
    type: text,
    name: "style",
    description: "Lines: compact text (default). Cards: names link to profiles",
    choices: [
      { name: "Lines", value: "lines" },
      { name: "Cards", value: "cards" },
    ],
  },
  { type: text, name: "team", description: "Only these teams, with commas between", autocomplete: true },
  { type: text, name: "player", description: "Only these players: names or ids, with commas between" },
  {
    type: text,
    name: "command",
    description: "Only these commands, such as kick, ban (for a feed of commands)",
  },
  { type: role, name: "ping", description: "Ping this role when someone calls a moderator" },
  {
    type: integer,
    name: "cooldown",
    description: "Minutes between two pings (default 1)",
    min_value: 0,
    max_value: 1_440,
  },
  {
    type: integer,
    name: "escalate",
    description: "Ping again when a moderator call is unclaimed for so many minutes",
    min_value: 1,
    max_value: 1_440,
  },
  { type: flag, name: "silent", description: "Post without a notification sound" },
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
  const filter = filterOf(options, kind);
  const ping = options.role("ping");
  const cooldown = options.number("cooldown");
  const escalate = options.number("escalate");
  if (kind !== "modCalls" && (ping !== undefined || cooldown !== undefined || escalate !== undefined)) {
    throw new Failure("bad-command", "Only a feed of moderator calls can ping.");
  }
  if (ping === undefined && cooldown !== undefined) {
    throw new Failure("bad-command", "A cooldown needs a role to ping.");
  }
  return {
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
}

function kindOf(name: string): FeedKind {
  const known = Object.entries(KINDS).find(([key]) => key === name);
  if (known === undefined) throw new Failure("bad-command", "There is no such kind of feed.");
  return known[1];
}

function filterOf(options: Options, kind: FeedKind): FeedFilter {
  const teams = listOf(options.string("team"));
  const players = listOf(options.string("player")).map((name) => name.toLowerCase());
  const verbs = listOf(options.string("command")).map((verb) => verb.replace(/^:/, "").toLowerCase());
  if (verbs.length > 0 && kind !== "commands") {
    throw new Failure("bad-command", "Only a feed of commands can be narrowed to some commands.");
  }
  if (kind === "emergencyCalls" && players.some((player) => !/^\d+$/.test(player))) {
    throw new Failure("bad-command", "Emergency calls name players by their ids only: give ids in digits.");
  }
  return {
    ...(teams.length === 0 ? {} : { teams }),
    ...(players.length === 0 ? {} : { players }),
    ...(verbs.length === 0 ? {} : { verbs }),
  };
}

function listOf(typed: string | undefined): string[] {
  const parts = (typed ?? "").split(",").map((part) => plainText(part));
  return parts.filter((part) => part !== "").slice(0, 25);
}
