import type { MessageBody, OutgoingMessage, PostedMessage, SentMessage } from "../message.ts";

/** How a turn is waited for. */
export interface BatchWait {
  /** When the entries arrived that go with it, oldest first, monotonic milliseconds; those that came first are enough. */
  waiting(): readonly number[];
  readonly signal: AbortSignal;
}

/** What an earlier process may have posted there without its record saying so. */
export interface BatchPlace {
  readonly channelId: string;
  /** Anything: the channel is to be read before anything is sent. */
  readonly isDoubtful: boolean;
  /** The message that is up. */
  readonly isTried: boolean;
}

/** Discord's answer, and what was said: it may say that it is possibly repeated. */
export type SentBatch = SentMessage & { readonly said: MessageBody };

/** The way of one feed's log entries into their channel: one message at a time, of which the sender keeps the record. */
export interface BatchChannel {
  /** It is to be read before anything is sent: what stands there, nobody else can tell. */
  readonly isDoubtful: boolean;
  /** No attempt is without an answer, and nothing stands there that the record does not tell. */
  readonly isSettled: boolean;
  /**
   * Resolves when a message may be sent, which is to be decided on then: by `send`, or by `release` where there is none.
   * Rejects with the signal's reason.
   */
  hold(wait: BatchWait): Promise<void>;
  release(): void;
  /**
   * One attempt, once its turn has come. `frozenAtMs`: nobody can have tried it before, epoch milliseconds. Rejects with
   * Postponed where it may pass later, with SinkRefusal where Discord refuses for good, or with the signal's reason.
   */
  send(message: OutgoingMessage, wait: BatchWait & { readonly frozenAtMs: number }): Promise<SentBatch>;
  /** Our messages there, oldest first; undefined: its history may not be read. Rejects as `send`. */
  readAfter(afterMessageId: string, wait: BatchWait): Promise<readonly PostedMessage[] | undefined>;
  /** What was read is written. `frozenAtMs`: of the message that is up. */
  onRead(frozenAtMs: number | undefined): void;
  /** Another message is up: nothing has been tried with it. */
  onNewMessage(): void;
}

/** The way of log entries into their channels. */
export interface Batches {
  channel(place: BatchPlace): BatchChannel;
}
