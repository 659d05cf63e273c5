import type { Feed } from "../../domain/guild.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { nonceOf } from "./nonce.ts";

interface TestPostPorts {
  readonly sink: Pick<Sink, "send">;
  readonly renderer: Pick<FeedRenderer, "test">;
  readonly random: Random;
  readonly nonceKey: Uint8Array | string;
}

/** Posts what `/feed test` shows; each time anew. Rejects with the SinkRefusal. */
export async function postTest(
  feed: Feed,
  serverName: string | undefined,
  { sink, renderer, random, nonceKey }: TestPostPorts,
): Promise<void> {
  const body = renderer.test(feed.kind, serverName);
  const nonce = nonceOf(nonceKey, "test", feed.id, random.id());
  await sink.send(feed.channelId, { ...body, nonce, silent: feed.silent });
}
