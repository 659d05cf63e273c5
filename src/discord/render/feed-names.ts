import type { FeedKind } from "../../domain/guild.ts";

/** What people call the kinds of feeds, within a sentence. */
export const FEED_NAMES = {
  joins: "joins and leaves",
  kills: "kills",
  modCalls: "moderator calls",
  commands: "commands",
  emergencyCalls: "emergency calls",
} as const satisfies Record<FeedKind, string>;

/** The same at the beginning of a line. */
export const FEED_LABELS = {
  joins: "Joins and leaves",
  kills: "Kills",
  modCalls: "Moderator calls",
  commands: "Commands",
  emergencyCalls: "Emergency calls",
} as const satisfies Record<FeedKind, string>;
