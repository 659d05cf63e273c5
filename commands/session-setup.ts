import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type Reply } from "../src/discord/command.ts";
import { setupCard } from "../src/discord/render/sessions/session-answers.ts";
import type { Services } from "../src/discord/services.ts";
import { joined } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { SessionSetup } from "../src/domain/session.ts";
import { recordEvent } from "./audit-event.ts";
import { noPingOption, type PingChange, pingChangeOf, pingRoleAfter } from "./no-ping.ts";
import { postChannelOption } from "./post-channel.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { silentPing } from "./silent-ping.ts";
import { mustBeManager } from "./staff-rights.ts";

/** `/session setup`: where sessions are announced, and how. With no option: what is set. */

const { String: text, Role: role, Integer: integer, Boolean: yes } = ApplicationCommandOptionType;
const DEFAULTS = { needed: 8, cooldownMinutes: 30 } as const;
export const LONGEST_TEXT = 1_000;
const LONGEST_URL = 500;
/** Takes a text or a picture away: an option can only be left out, which keeps it. */
const NONE = "none";

interface SetupArgs {
  readonly server: string | undefined;
  readonly channelId: string | undefined;
  readonly ping: PingChange;
  readonly hostRoleId: string | "none" | undefined;
  readonly needed: number | undefined;
  readonly cooldownMinutes: number | undefined;
  readonly text: string | undefined;
  readonly picture: string | undefined;
}

/**
 * The address of a picture. Discord keeps the addresses of its own files fresh in an embed where they come without what
 * makes them end. @throws Failure "bad-command" for what is no such address.
 */
export function pictureUrl(typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  if (url === undefined || url.protocol !== "https:" || !url.hostname.includes(".") || url.username !== "") {
    throw new Failure("bad-command", "A picture needs an address that begins with https://.");
  }
  const isDiscords = /^(cdn\.discordapp\.com|media\.discordapp\.net)$/.test(url.hostname);
  if (!isDiscords || !url.pathname.startsWith("/attachments/")) return url.href;
  return `https://cdn.discordapp.com${url.pathname}`;
}

/** What was typed, or undefined where it is to go. */
function unlessNone(typed: string): string | undefined {
  return typed.trim().toLowerCase() === NONE ? undefined : typed.trim();
}

function changed(before: SessionSetup | undefined, args: SetupArgs): SessionSetup {
  const channelId = args.channelId ?? before?.channelId;
  if (channelId === undefined) throw new Failure("bad-command", "Give a channel: for sessions first.");
  const picture = args.picture === undefined ? undefined : unlessNone(args.picture);
  return {
    ...(before ?? DEFAULTS),
    channelId,
    roleId: pingRoleAfter(args.ping, before?.roleId),
    ...(args.hostRoleId === undefined
      ? {}
      : { hostRoleId: args.hostRoleId === "none" ? undefined : args.hostRoleId }),
    ...(args.needed === undefined ? {} : { needed: args.needed }),
    ...(args.cooldownMinutes === undefined ? {} : { cooldownMinutes: args.cooldownMinutes }),
    ...(args.text === undefined ? {} : { text: unlessNone(args.text) }),
    ...(args.picture === undefined ? {} : { pictureUrl: picture && pictureUrl(picture) }),
  };
}

async function setUp(services: Services, actor: Actor, args: SetupArgs): Promise<Reply> {
  await mustBeManager(services, actor, "Only Managers can set up sessions.");
  const { id, name } = await services.bindings.pick(actor.guildId, args.server);
  const { server: _, ...given } = args;
  if (Object.values(given).every((value) => value === undefined))
    return setupCard(await services.sessions.setupOf(actor.guildId, id), name);
  if (args.hostRoleId === actor.guildId) {
    throw new Failure("bad-command", "Choose a role for your hosts, not @everyone.");
  }
  const setup = await services.sessions.setUp(actor.guildId, id, (before) => changed(before, args));
  await recordEvent(services, actor, { action: "session-setup", text: `<#${setup.channelId}> ${name}` });
  const card = setupCard(setup, name);
  const warnings = silentPing(args.ping);
  return warnings.length === 0 ? card : { ...card, content: joined(warnings, "\n") };
}

export const setupEntry = defineEntry<SetupArgs>({
  description: "Where and how sessions are announced; leave empty to see the settings (Managers)",
  first: "ephemeral",
  options: [
    { ...postChannelOption, description: "Where votes and sessions are posted" },
    { type: role, name: "ping", description: "Role to ping for votes, starts and when players are wanted" },
    noPingOption,
    { type: role, name: "hosts", description: "Role that can run sessions, besides Managers" },
    { type: yes, name: "no-hosts", description: "Only Managers can run sessions" },
    { type: integer, name: "votes", description: "How many votes are enough", min_value: 1, max_value: 200 },
    {
      type: integer,
      name: "cooldown",
      description: "Minutes until the next vote after one that failed",
      min_value: 0,
      max_value: 1_440,
    },
    {
      type: text,
      name: "text",
      description: 'What a start says; \\n starts a new line; "none" removes it',
      max_length: LONGEST_TEXT,
    },
    {
      type: text,
      name: "picture",
      description: 'Address of the picture of a start; "none" removes it',
      max_length: LONGEST_URL,
    },
    serverOption,
  ],
  parse: (options) => ({
    server: options.string("server"),
    channelId: options.id("channel"),
    ping: pingChangeOf(options),
    hostRoleId: options.boolean("no-hosts") === true ? "none" : options.id("hosts"),
    needed: options.number("votes"),
    cooldownMinutes: options.number("cooldown"),
    text: options.string("text"),
    picture: options.string("picture"),
  }),
  autocomplete: completeServer,
  execute: ({ actor, args }, services) => setUp(services, actor, args),
});
