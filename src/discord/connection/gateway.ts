import type { Client, Guild, Interaction, REST } from "discord.js";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";
import { type Crowd, createClient, logIn, type Shards } from "./bot.ts";
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
  onPermissionsChanged(guildId: string): void;
  onGuildRemoved(guildId: string): void;
}

/**
 * The connection to Discord. It can outlive those who serve on it: after the loss of a lease the next ones take over
 * what is connected already.
 */
export interface Gateway {
  readonly client: Client;
  readonly rest: REST;
  readonly presence: ShardPresence;
  /** Resolves, with the reason in words, when Discord will not have this bot again until its operator acts. */
  readonly ended: Promise<string>;
  /** From now on these hear, and nobody else. */
  attach(events: GatewayEvents): void;
  /** Does nothing when it is connected. Rejects with LoginError. */
  logIn(): Promise<void>;
  /** Connected, and not closed for good: discord.js goes on calling itself ready after that. */
  isReady(): boolean;
  close(): Promise<void>;
}

/** Nothing happens before `logIn`. */
export function createGateway(options: GatewayOptions): Gateway {
  let events: GatewayEvents | undefined;
  let phase: "starting" | "running" | "ended" = "starting";
  const ended = Promise.withResolvers<string>();
  const client = createClient({
    ...options,
    onEnded(reason) {
      if (phase === "starting") return;
      phase = "ended";
      ended.resolve(reason);
    },
    onInteraction: (interaction) => events?.onInteraction(interaction),
    onPermissionsChanged: (guildId) => events?.onPermissionsChanged(guildId),
    onGuildJoined: (guild) => events?.onGuildJoined(guild),
    onGuildRemoved: (guildId) => events?.onGuildRemoved(guildId),
  });
  return {
    client,
    // Set before the login, so that what waited since the last run can be posted at once.
    rest: client.rest.setToken(options.token),
    presence: new ShardPresence(client, options.clock),
    ended: ended.promise,
    attach: (given) => {
      events = given;
    },
    async logIn() {
      if (phase === "running") return;
      await logIn(client, options.token);
      phase = "running";
    },
    isReady: () => client.isReady() && phase === "running",
    close: () => client.destroy(),
  };
}
