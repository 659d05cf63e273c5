import type { Feed } from "../guild.ts";

/** A feed as somebody asks for it; the registry gives it an id, a state and a time. */
export type NewFeed = Omit<Feed, "id" | "state" | "parkedWhy" | "createdAtMs">;

/** How a feed is doing. */
export interface FeedStatus {
  readonly undelivered: number;
  readonly lateSinceMs?: number;
  /** What is stored of it is not done yet, because the store failed; it is tried again automatically. */
  readonly waitsForStore?: boolean;
  /** It begins with the next look at the server's log: what stands there by then is not posted. */
  readonly waitsForFirstLook?: boolean;
}

export interface Feeds {
  list(guildId: string): Promise<readonly Feed[]>;
  /**
   * Starts at the head: posts nothing of the past. Resolves once the feed is stored; where it cannot be opened yet,
   * its status says so and it is tried again. Rejects where the store refused it.
   */
  add(feed: NewFeed): Promise<Feed>;
  /**
   * `changed` answers the feed as it shall be; its id, kind, server, state and age stay. It goes on where it was: no
   * entry is lost or repeated, and what waits goes to the channel that it has then. One that was stopped begins anew
   * in another channel. Undefined: there is no such feed. @throws Failure "bad-command", and what `changed` throws.
   */
  edit(guildId: string, feedId: string, changed: (feed: Feed) => Feed): Promise<Feed | undefined>;
  remove(guildId: string, feedId: string): Promise<Feed | undefined>;
  /** Stops posting until `resume`; undefined: there is no such feed. */
  pause(guildId: string, feedId: string): Promise<Feed | undefined>;
  /** Posts again, from now on, what was paused or has stopped; undefined: there is no such feed. */
  resume(guildId: string, feedId: string): Promise<Feed | undefined>;
  /** Posts one test message into the feed's channel; rejects with SinkRefusal. */
  test(guildId: string, feedId: string): Promise<void>;
  status(feedId: string): FeedStatus;
}
