/** Whether the bot can post logs into a channel, as far as permissions tell. */
export type ChannelAccess =
  | {
      readonly kind: "open";
      /** Everybody on the Discord server can read what is posted there. @default false */
      readonly isPublic?: boolean;
    }
  /** Permissions that it lacks there, as Discord's settings name them. */
  | { readonly kind: "missing"; readonly permissions: readonly string[] }
  | { readonly kind: "gone" }
  /** A thread that is locked. One that Discord archived is open: the next message revives it. */
  | { readonly kind: "closed" }
  /** Somebody has timed it out: until then it can only read, epoch milliseconds. */
  | { readonly kind: "timed-out"; readonly untilMs: number }
  /** Discord could not be asked. */
  | { readonly kind: "unknown" };

/** What is known of Discord servers from the gateway, and of their threads over REST. */
export interface Guilds {
  /** `purpose`: to post logs there, or to talk with a player in a private thread of it. Never rejects. */
  channelAccess(guildId: string, channelId: string, purpose?: "posts" | "talks"): Promise<ChannelAccess>;
  /** The name of a channel, without "#"; undefined for threads, and where it is not known. */
  channelName(guildId: string, channelId: string): string | undefined;
  /** Whether there is such a role. False also where the guild is not known. */
  hasRole(guildId: string, roleId: string): boolean;
  /** When the bot came to this guild, epoch milliseconds; undefined where that is not known. */
  joinedAtMs(guildId: string): number | undefined;
  /** The highest of these roles that people hold, not an integration; undefined where there is none. */
  topRole(
    guildId: string,
    roleIds: readonly string[],
  ): { readonly id: string; readonly name: string } | undefined;
}
