import type { FeedKind } from "../../domain/guild.ts";

/** What people call the kinds of feeds. */
export const feedNames: Record<FeedKind, string> = {
  joins: "joins and leaves",
  kills: "kills",
  modCalls: "moderator calls",
  commands: "commands",
  emergencyCalls: "emergency calls",
};
