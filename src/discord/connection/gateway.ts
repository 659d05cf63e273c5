import type { RESTOptions } from "@discordjs/rest";
import type { Client, Guild, Interaction, REST } from "discord.js";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";
import { type Crowd, createClient, DISCORD_PER_S, type Shards } from "./bot.ts";
import { guardedRequests } from "./guarded-requests.ts";
import type { ToldRoles } from "./known-roles.ts";
import { logIn } from "./log-in.ts";
import { MemberRequests } from "./member-requests.ts";
import { RequestLimits } from "./request-limits.ts";
import { ShardPresence } from "./shard-presence.ts";

export interface GatewayOptions {
  readonly token: string;
  /** Such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly shards: Shards;
  /** Where other processes of this bot are connected too. @default this one is alone */
  readonly crowd?: Crowd | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who hears what Discord tells. */
export interface GatewayEvents {
  onInteraction(interaction: Interaction): void;
  onGuildJoined(guild: Guild): void;
  onGuildBack(guild: Guild): void;
  onPermissionsChanged(guildId: string): void;
  onGuildRemoved(guildId: string): void;
  onRolesTold(told: ToldRoles): void;
}

/**
 * The connection to Discord. It can outlive those who serve on it: after the loss of a lease the next ones take over
 * what is connected already.
 */
export interface Gateway {
  readonly client: Client;
  readonly rest: REST;
  /** Sends one request, whatever the limits say. */
  readonly send: RESTOptions["makeRequest"];
  /** What all requests of this bot share. */
  readonly limits: RequestLimits;
  readonly presence: ShardPresence;
  readonly memberRequests: MemberRequests;
  /** Resolves, with the reason in words, when Discord will not have this bot again until its operator acts. */
  readonly ended: Promise<string>;
  /** From now on these hear, and nobody else. */
  attach(events: GatewayEvents): void;
  /** Waits until Discord can be reached; does nothing when it is connected. Rejects with LoginError. */
  logIn(): Promise<void>;
  /** Resolves when a login has found Discord away. */
  readonly away: Promise<void>;
  /** Connected, and not closed for good: discord.js goes on calling itself ready after that. */
  isReady(): boolean;
  close(): Promise<void>;
}

/** Nothing happens before `logIn`. */
export function createGateway(options: GatewayOptions): Gateway {
  let events: GatewayEvents | undefined;
  let phase: "starting" | "running" | "ended" = "starting";
  const ended = Promise.withResolvers<string>();
  const away = Promise.withResolvers<void>();
  const closed = new AbortController();
  let loggingIn: Promise<void> | undefined;
  function onEnded(reason: string): void {
    if (phase === "starting") return;
    phase = "ended";
    ended.resolve(reason);
  }
  const { apiUrl, clock, crowd, log } = options;
  const onAway = () => away.resolve();
  const send = guardedRequests({ apiUrl, clock, log, closed: closed.signal, onAway, onEnded });
  const limits = new RequestLimits(clock, Math.max(1, Math.floor(DISCORD_PER_S / (crowd?.blocks ?? 1))));
  const client = createClient({
    ...options,
    send,
    limits,
    onEnded,
    onInteraction: (interaction) => events?.onInteraction(interaction),
    onPermissionsChanged: (guildId) => events?.onPermissionsChanged(guildId),
    onGuildJoined: (guild) => events?.onGuildJoined(guild),
    onGuildBack: (guild) => events?.onGuildBack(guild),
    onGuildRemoved: (guildId) => events?.onGuildRemoved(guildId),
    onRolesTold: (told) => events?.onRolesTold(told),
  });
  return {
    client,
    // Set before the login, so that what waited since the last run can be posted at once.
    rest: client.rest.setToken(options.token),
    send,
    limits,
    presence: new ShardPresence(client, options.clock),
    memberRequests: new MemberRequests(client, options.clock),
    ended: ended.promise,
    attach: (given) => {
      events = given;
    },
    async logIn() {
      if (phase === "running") return;
      // The bot of the lease before may still wait for Discord on this connection.
      loggingIn ??= logIn(client, options.token);
      await loggingIn;
      phase = "running";
    },
    away: away.promise,
    isReady: () => client.isReady() && phase === "running",
    async close() {
      closed.abort(new Error("Marshal is stopping"));
      await client.destroy();
    },
  };
}
