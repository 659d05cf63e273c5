import type { Feed } from "../guild.ts";

/** A feed as somebody asks for it; the registry gives it an id, a state and a time. */
export type NewFeed = Omit<Feed, "id" | "state" | "parkedWhy" | "createdAtMs">;

export interface Feeds {
  list(guildId: string): Promise<readonly Feed[]>;
  /** Starts at the head: posts nothing of the past. */
  add(feed: NewFeed): Promise<Feed>;
  remove(guildId: string, feedId: string): Promise<Feed | undefined>;
  pause(guildId: string, feedId: string, paused: boolean): Promise<Feed | undefined>;
  /** Posts one test message into the feed's channel; rejects with SinkRefusal. */
  test(guildId: string, feedId: string): Promise<void>;
  /** Undelivered entries and last poll, for lists and /state. */
  status(feedId: string): { readonly undelivered: number; readonly lateSinceMs?: number };
}
