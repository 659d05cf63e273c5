import type { MessageBody, OutgoingMessage, PostedMessage, SentMessage } from "../message.ts";

/** Posts on the bot's own account. Rejects with SinkRefusal. */
export interface Sink {
  send(channelId: string, message: OutgoingMessage): Promise<SentMessage>;
  edit(channelId: string, messageId: string, body: MessageBody): Promise<void>;
  /**
   * Our own messages after `afterMessageId` (or the latest), oldest first, all of them up to `limit`. `nextPage` is
   * awaited before each request after the first.
   */
  readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
    nextPage?: () => Promise<void>,
  ): Promise<readonly PostedMessage[]>;
}

/** Removes one of our own messages. Rejects with SinkRefusal. */
export interface Remover {
  remove(channelId: string, messageId: string): Promise<void>;
}
