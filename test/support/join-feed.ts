import type { Feed } from "../../src/domain/guild.ts";

/** A live feed of joins in the style of lines, for tests of pure functions. */
export const joinFeed: Feed = {
  id: "f",
  guildId: "g",
  bindingId: "b",
  kind: "joins",
  channelId: "c",
  style: "lines",
  filter: {},
  silent: false,
  state: "live",
  createdBy: "u",
  createdAtMs: 0,
};
