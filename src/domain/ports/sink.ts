import type { MessageBody, OutgoingMessage, PostedMessage } from "../message.ts";

/** Discord's answer to a message. `posted`: what stands there; an old message where the nonce was used before. */
export interface SentMessage {
  readonly messageId: string;
  readonly posted?: PostedMessage;
}

/** Posts on the bot's own account. Rejects with SinkRefusal. */
export interface Sink {
  send(channelId: string, message: OutgoingMessage): Promise<SentMessage>;
  edit(channelId: string, messageId: string, body: MessageBody): Promise<void>;
  /** Our own messages after `afterMessageId` (or the latest), oldest first, all of them up to `limit`. */
  readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]>;
}
