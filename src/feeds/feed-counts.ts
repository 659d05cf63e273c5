import { lookAtEach } from "../domain/counting.ts";
import type { Feed } from "../domain/guild.ts";
import type { Delivery } from "./delivery/delivery.ts";

/** What a count sees of a feed that may have something to post, or runs late. */
type Busy = Pick<Delivery, "undelivered" | "oldestWaitMs" | "lateSinceMs"> & {
  readonly feed: Pick<Feed, "id" | "kind" | "channelId">;
};

export interface WaitingFeed {
  readonly feedId: string;
  readonly kind: string;
  readonly channelId: string;
  readonly undelivered: number;
  readonly lateSinceMs?: number;
}

export interface FeedCounts {
  /** Entries that wait to be posted. */
  readonly undelivered: number;
  /** Feeds whose server was not read lately. */
  readonly late: number;
  /** Of the entries that wait, since this process noticed them. */
  readonly oldestWaitMs: number;
  /** Feeds that have something to post, or run late; at most 100. */
  readonly waiting: readonly WaitingFeed[];
}

const MOST_SHOWN = 100;

/** Goes through those feeds, of which there are tens of thousands where Discord takes nothing. */
export async function countFeeds(busy: Iterable<Busy>): Promise<FeedCounts> {
  const counts = { undelivered: 0, late: 0, oldestWaitMs: 0 };
  const waiting: WaitingFeed[] = [];
  await lookAtEach(busy, (delivery) => {
    const { undelivered, oldestWaitMs, lateSinceMs } = delivery;
    counts.undelivered += undelivered;
    counts.oldestWaitMs = Math.max(counts.oldestWaitMs, oldestWaitMs);
    if (lateSinceMs !== undefined) counts.late += 1;
    const isWaiting = undelivered > 0 || lateSinceMs !== undefined;
    if (isWaiting && waiting.length < MOST_SHOWN) waiting.push(shown(delivery));
  });
  return { ...counts, waiting };
}

function shown({ feed, undelivered, lateSinceMs }: Busy): WaitingFeed {
  const { id: feedId, kind, channelId } = feed;
  return { feedId, kind, channelId, undelivered, ...(lateSinceMs === undefined ? {} : { lateSinceMs }) };
}
