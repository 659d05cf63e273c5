import { Failure } from "../domain/failure.ts";
import type { Feed } from "../domain/guild.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { FeedServers } from "./feed-servers.ts";
import type { LiveFeeds } from "./live-feeds.ts";
import type { Recovery } from "./recovery.ts";

interface EditParts {
  readonly feedStore: FeedStore;
  readonly live: LiveFeeds;
  readonly servers: FeedServers;
  readonly recovery: Recovery;
}

interface WantedEdit {
  find(): Promise<Feed | undefined>;
  isParking(): boolean;
  changed(feed: Feed): Feed;
}

/** @throws Failure "bad-command" where the channel has such a feed: the messages of two could not be distinguished. */
export async function refuseTwin(feed: Feed, feedStore: Pick<FeedStore, "list">): Promise<void> {
  const twin = (await feedStore.list(feed.guildId)).find(
    (other) =>
      other.id !== feed.id &&
      other.channelId === feed.channelId &&
      other.kind === feed.kind &&
      other.bindingId === feed.bindingId,
  );
  if (twin !== undefined) {
    throw new Failure(
      "bad-command",
      "That channel already has this log of this server. Change that feed, or choose another channel.",
    );
  }
}

/**
 * Ends the delivery, keeps its place and writes the changed feed; the caller opens it again there. Undefined: there is
 * no such feed. A Failure that is answered, not thrown: it has been ended, is unchanged, and is to be opened again.
 */
export async function editFeed(
  feedId: string,
  { find, isParking, changed }: WantedEdit,
  { live, feedStore, ...parts }: EditParts,
): Promise<Feed | Failure | undefined> {
  const found = await find();
  if (found === undefined) return undefined;
  const wanted = changed(found);
  const isMoved = wanted.channelId !== found.channelId;
  if (isMoved) await refuseTwin(wanted, feedStore);
  const delivery = live.get(feedId);
  await live.suspend(feedId);
  // Only the old channel can tell whether the message on its way arrived there.
  const isUnsure = isMoved && delivery?.record.frozen !== undefined && !delivery.settled;
  if (isUnsure || isParking()) {
    return new Failure("bad-command", "A message of this feed is being posted now. Try again in a minute.");
  }
  // A delivery that was being parked has ended by now, and its feed is stored as stopped.
  const before = (await find()) ?? found;
  const next = changed(before);
  if (before.state !== "parked" || !isMoved) return await saved(next, feedStore);

  // Another channel is no place where it was refused: it begins anew there.
  await parts.servers.ofOrRefuse(before);
  parts.recovery.forget(feedId);
  await live.close(feedId);
  const { parkedWhy: _, ...rest } = next;
  return await saved({ ...rest, state: "live" }, feedStore);
}

async function saved(feed: Feed, feedStore: Pick<FeedStore, "save">): Promise<Feed> {
  await feedStore.save(feed);
  return feed;
}
