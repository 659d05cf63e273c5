import type { FeedKind } from "../../domain/guild.ts";

/** What people call the kinds of feeds. */
export const FEED_NAMES = {
  joins: "joins and leaves",
  kills: "kills",
  modCalls: "moderator calls",
  commands: "commands",
  emergencyCalls: "emergency calls",
} as const satisfies Record<FeedKind, string>;
