import type { Feed } from "../../domain/guild.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { BatchChannel, BatchWait } from "../../domain/ports/batches.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import type { OffsetRecord } from "../positions/offsets.ts";
import { laterId, snowflakeBefore } from "./read-back.ts";

/** Our own clock may have been set while a message without entries was on its way. */
const OWN_CLOCK_SLACK_MS = 7_200_000;

export interface ChannelViewPorts {
  readonly renderer: FeedRenderer;
  serverName(feed: Feed): Promise<string | undefined>;
  /** What the server was called before: its older messages carry those names. */
  formerNames(feed: Feed): Promise<readonly string[]>;
}

export type ChannelView =
  | {
      readonly kind: "read";
      readonly posted: readonly PostedMessage[];
      readonly keysOf: (posted: Parameters<FeedRenderer["keysOf"]>[0]) => ReturnType<FeedRenderer["keysOf"]>;
    }
  /** Its history may not be read. */
  | { readonly kind: "unreadable" };

/**
 * What we posted into a feed's channel after the last message that its record knows of, or since the time of its
 * oldest pending entry, whichever is later: an entry cannot have been posted before it happened. Rejects as the channel
 * does.
 */
export async function viewChannel(
  feed: Feed,
  known: {
    readonly record: OffsetRecord;
    readonly firstPending: JournalItem | undefined;
    readonly channel: Pick<BatchChannel, "readAfter">;
    readonly wait: BatchWait;
  },
  ports: ChannelViewPorts,
): Promise<ChannelView> {
  const { record, firstPending, channel, wait } = known;
  const serverName = await ports.serverName(feed);
  const formerNames = serverName === undefined ? [] : await ports.formerNames(feed);
  const after = laterId(record.lastMessageId, snowflakeBefore(oldestMs(record, firstPending)));
  const posted = await channel.readAfter(after, wait);
  if (posted === undefined) return { kind: "unreadable" };
  const of = { kind: feed.kind, ...(serverName === undefined ? {} : { serverName, formerNames }) };
  return { kind: "read", posted, keysOf: (message) => ports.renderer.keysOf(message, of) };
}

function oldestMs({ frozen, sinceMs }: OffsetRecord, first: JournalItem | undefined): number {
  if (first !== undefined) {
    const atS = first.kind === "gap" ? (first.fromS ?? first.toS) : first.entry.atS;
    // The service's clock may run ahead of Discord's, and what was not seen was not posted.
    return Math.min(atS * 1_000, first.seenAtMs);
  }
  return (frozen?.atMs ?? sinceMs) - OWN_CLOCK_SLACK_MS;
}
