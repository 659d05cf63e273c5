import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { Sink } from "../../domain/ports/sink.ts";

/** Our latest messages of a channel, among which one is looked for whose post went unanswered. */
const LOOK_BACK = 100;

export interface Post {
  readonly channelId: string;
  readonly nonce: string;
  readonly body: MessageBody;
  readonly pingRoleIds?: readonly string[];
  /** An earlier attempt may have put it there. */
  readonly isDoubtful: boolean;
  /** Whether a message of ours is this one. */
  isIt(posted: PostedMessage): boolean;
}

/**
 * Posts a message that is to stand in its channel once, whatever happened before: Discord forgets nonces after minutes,
 * so that in doubt the channel is read first. Answers the id of the message. Rejects with SinkRefusal.
 */
export async function postOnce(sink: Sink, post: Post): Promise<string> {
  if (post.isDoubtful) {
    const standing = (await lookBack(sink, post.channelId)).findLast((posted) => post.isIt(posted));
    if (standing !== undefined) return standing.messageId;
  }
  const { messageId } = await sink.send(post.channelId, {
    ...post.body,
    nonce: post.nonce,
    ...(post.pingRoleIds === undefined ? {} : { pingRoleIds: post.pingRoleIds }),
  });
  return messageId;
}

/** Where the channel may not be read, the nonce alone guards against a repeat. */
async function lookBack(sink: Sink, channelId: string): Promise<readonly PostedMessage[]> {
  try {
    return await sink.readBack(channelId, undefined, LOOK_BACK);
  } catch (error) {
    if (error instanceof SinkRefusal && error.reason === "no-history") return [];
    throw error;
  }
}
