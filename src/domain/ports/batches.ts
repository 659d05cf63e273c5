import type { OutgoingMessage, PostedMessage, SentMessage } from "../message.ts";

/** Entries that wait to be posted together. */
export interface WaitingEntries {
  readonly channelId: string;
  /** An earlier attempt had no answer. */
  readonly isInDoubt: boolean;
  /** When they arrived, oldest first, monotonic milliseconds; those that came first are enough. */
  waiting(): readonly number[];
}

/** The right to send one message: what it says is decided now. One of both is to be called. */
export interface SendTurn {
  /** Rejects with SinkRefusal. */
  send(message: OutgoingMessage): Promise<SentMessage>;
  /** Nothing is to be sent after all. */
  giveBack(): void;
}

/** The way of log entries into their channels. */
export interface Batches {
  /** Resolves when its turn has come. Rejects with the signal's reason. */
  turn(entries: WaitingEntries, signal: AbortSignal): Promise<SendTurn>;
  /** As Sink's, in turns. Rejects with SinkRefusal. */
  readBack(
    entries: WaitingEntries,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]>;
}
