import type { Bindings } from "../domain/ports/bindings.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { FeedRenderer } from "../domain/ports/feed-renderer.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { LiveFeedsParts } from "./live-feeds.ts";

export interface RegistryParts extends Omit<LiveFeedsParts, "park" | "serverName" | "formerNames"> {
  readonly feedStore: FeedStore;
  readonly bindings: Pick<Bindings, "list" | "linked">;
  readonly random: Random;
  readonly posts: Pick<Posts, "tryOnce">;
  readonly guilds: Pick<Guilds, "channelAccess">;
  readonly notifier: Notifier;
  readonly renderer: FeedRenderer;
  readonly nonceKey: Uint8Array | string;
  /** A feed's messages are nobody's business any more. */
  dropCards(feedId: string): Promise<void>;
}
