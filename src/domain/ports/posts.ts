import type { SinkRefusal } from "../failure.ts";
import type { MessageBody, OutgoingMessage, PostedMessage } from "../message.ts";
import type { TurnClass } from "./turns.ts";

/** Where a message is to stand. The direct messages of a person are opened first, which is a step with a turn of its own. */
export type PostPlace =
  | { readonly channelId: string; readonly directTo?: undefined }
  | { readonly channelId?: undefined; readonly directTo: string };

/** A message as it is wanted at this moment. */
export type WantedPost = PostPlace & PostWords;

interface PostWords {
  /** Written before it is first asked for, and used for no other message. */
  readonly nonce: string;
  /** Where it stands already; then it is edited. */
  readonly messageId?: string | undefined;
  /** It says that it may stand there twice, and goes on saying so. */
  readonly isMarked?: boolean | undefined;
  readonly body: MessageBody;
  /** It stands there and is to go. */
  readonly isToGo?: boolean | undefined;
  readonly pingRoleIds?: readonly string[] | undefined;
  /** Only people who allowed it. */
  readonly pingUserIds?: readonly string[] | undefined;
  readonly silent?: boolean | undefined;
  readonly replyToMessageId?: string | undefined;
  /** It stands there and may say more than our record knows: it is read, and told to `onSeen`, before it is edited. */
  readonly isToBeRead?: boolean | undefined;
  /**
   * It may stand there although no record of ours says so: the channel is read before it is posted. true: the process
   * before may have posted it, unless that ended in order. whatever-the-end: also where the outbox knows of no doubt.
   */
  readonly isDoubtful?: boolean | "whatever-the-end" | undefined;
  /** It cannot stand there from before, epoch milliseconds. @default it is among our latest 100 messages */
  readonly sinceMs?: number | undefined;
}

/**
 * What became of a step: posted, found where an earlier attempt had put it and perhaps with older words, edited, or
 * taken away.
 */
export type Stands = {
  readonly kind: "posted" | "found" | "edited" | "removed";
  readonly messageId: string;
  /** It says that it may stand there twice; to be kept with its record and given with each edit. */
  readonly isMarked: boolean;
};

/** A message of ours that was read in its channel. */
export interface StandingPost {
  readonly posted: PostedMessage;
  /** It says that it may stand there twice. */
  readonly isMarked: boolean;
}

/**
 * Messages of one kind, each of which is to stand in its channel once and say what is wanted. Who decides what is wanted
 * keeps the record of the message; how it gets there is the outbox's.
 */
export interface PostKind<Ref> {
  /** For the log. */
  readonly name: string;
  readonly classes: { readonly post: TurnClass; readonly edit: TurnClass };
  /** After a step the next one of the same message waits so long. @default 0 */
  readonly everyMs?: number | undefined;
  /** Its sender bounds how many of a guild wait. @default the outbox does */
  readonly isBounded?: boolean | undefined;
  /** One text for one message. */
  keyOf(ref: Ref): string;
  guildOf(ref: Ref): string;
  /** Asked when its turn has come, so that it says what is known then. Undefined: nothing is wanted (any more). */
  wanted(ref: Ref): Promise<WantedPost | undefined>;
  /** Less urgent than others of its guild, as it stands now. Costs little. @default it is not */
  isMinor?(ref: Ref): boolean;
  /** Whether a message of ours is this one. */
  isIt(ref: Ref, posted: PostedMessage): boolean;
  /** What of ours stands in the channel, each time it was looked through for this message. */
  onLooked?(ref: Ref, standing: readonly StandingPost[]): Promise<void>;
  /** To be written. Where it rejects, the message counts as doubtful and comes again. */
  onStands(ref: Ref, stands: Stands): Promise<void>;
  /** Discord refuses it, and not for a while only. over: nothing more is done. closed: again when the channel may be open. */
  onRefused(ref: Ref, refusal: SinkRefusal): Promise<"over" | "closed">;
  /** What stands there before the first edit; undefined: it is gone, or may not be read. */
  onSeen?(ref: Ref, posted: PostedMessage | undefined): Promise<void>;
  /**
   * Discord limits edits of an old message and has refused three in a row: a new message is wanted in its place, with a
   * nonce of its own. @default edits are tried every five minutes
   */
  replace?(ref: Ref): Promise<void>;
}

export interface PostLine<Ref> {
  /** Its message is to say what is wanted now. Never throws and waits for nothing. */
  show(ref: Ref): void;
}

export interface Posts {
  line<Ref>(kind: PostKind<Ref>): PostLine<Ref>;
  /** Since when a message can stand that becomes wanted now: by Discord's clock, epoch milliseconds. */
  nowMs(): number;
  /** A message that somebody waits for, such as a test: one attempt, when its turn comes. Rejects with SinkRefusal. */
  tryOnce(channelId: string, message: Omit<OutgoingMessage, "nonce">): Promise<void>;
  /**
   * Our messages in a channel, oldest first, each page in its turn; undefined: its history may not be read. Rejects with
   * Postponed where it may pass later, with SinkRefusal where Discord refuses for good.
   */
  readAfter(channelId: string, afterMessageId: string): Promise<readonly PostedMessage[] | undefined>;
}
