import type { MessageBody, OutgoingMessage, PostedMessage } from "../message.ts";

/** Posts on the bot's own account. Rejects with SinkRefusal. */
export interface Sink {
  send(channelId: string, message: OutgoingMessage): Promise<{ readonly messageId: string }>;
  edit(channelId: string, messageId: string, body: MessageBody): Promise<void>;
  /** Our own messages after `afterMessageId` (or the latest), oldest first, all of them up to `limit`. */
  readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]>;
}
