import { SinkRefusal } from "./failure.ts";
import type { MessageBody, PostedMessage } from "./message.ts";
import type { Sink } from "./ports/sink.ts";

/** Our latest messages of a channel, among which one is looked for whose post went unanswered. */
const LOOK_BACK = 100;
/** The same where it is known since when it can stand there. */
const MOST_READ = 1_000;
/** How far Discord's clock and ours may lie apart. */
const CLOCK_SLACK_MS = 600_000;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

export interface Post {
  readonly channelId: string;
  readonly nonce: string;
  readonly body: MessageBody;
  readonly pingRoleIds?: readonly string[];
  readonly silent?: boolean;
  /** An earlier attempt may have put it there. */
  readonly isDoubtful: boolean;
  /** It cannot stand there from before, epoch milliseconds. @default it is among our latest 100 messages */
  readonly sinceMs?: number | undefined;
  /** Whether a message of ours is this one. */
  isIt(posted: PostedMessage): boolean;
}

export interface PostedOnce {
  readonly messageId: string;
  /** An earlier attempt had put it there; it may say something else. */
  readonly wasThere: boolean;
}

/**
 * Posts a message that is to stand in its channel once, whatever happened before: Discord forgets nonces after minutes,
 * so that in doubt the channel is read first. Rejects with SinkRefusal.
 */
export async function postOnce(sink: Sink, post: Post): Promise<PostedOnce> {
  if (post.isDoubtful) {
    const standing = (await lookBack(sink, post)).findLast((posted) => post.isIt(posted));
    if (standing !== undefined) return { messageId: standing.messageId, wasThere: true };
  }
  const { messageId } = await sink.send(post.channelId, {
    ...post.body,
    nonce: post.nonce,
    ...(post.pingRoleIds === undefined ? {} : { pingRoleIds: post.pingRoleIds }),
    ...(post.silent === undefined ? {} : { silent: post.silent }),
  });
  return { messageId, wasThere: false };
}

/** Where the channel may not be read, the nonce alone guards against a repeat. */
async function lookBack(sink: Sink, { channelId, sinceMs }: Post): Promise<readonly PostedMessage[]> {
  try {
    return sinceMs === undefined
      ? await sink.readBack(channelId, undefined, LOOK_BACK)
      : await sink.readBack(channelId, snowflakeBefore(sinceMs), MOST_READ);
  } catch (error) {
    if (error instanceof SinkRefusal && error.reason === "no-history") return [];
    throw error;
  }
}

function snowflakeBefore(atMs: number): string {
  const ms = Math.max(0, Math.floor(atMs - CLOCK_SLACK_MS - DISCORD_EPOCH_MS));
  return (BigInt(ms) << 22n).toString();
}
