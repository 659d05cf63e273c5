import type { MessageBody } from "../message.ts";

/** Tells people what nobody asked for: a parked key, a stopped feed. */
export interface Notifier {
  /** Notifies a person by DM; when that is closed, in the guild's notice channel. Resolves once it is owed; never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<void>;
  /**
   * Notifies the guild in its notice channel, else by DM: `userId`, or the person who linked the server. Resolves once it
   * is owed; never rejects.
   */
  guild(guildId: string, body: MessageBody, userId?: string): Promise<void>;
}

/** How a message may reach whom it is for; `linker`: the person who linked a server of the guild. */
export type NoticeWay =
  | { readonly to: "channel"; readonly channelId: string }
  | { readonly to: "person"; readonly userId: string }
  | { readonly to: "notice-channel" }
  | { readonly to: "linker" }
  /** A message of ours is to say this from now on. Where it was deleted nothing is owed any more. */
  | {
      readonly to: "edit";
      readonly channelId: string;
      readonly messageId: string;
      readonly body: MessageBody;
    };

export interface OwedMessage {
  readonly guildId: string;
  /** The same for the same message, also in a later process. */
  readonly id: string;
  /** The first that is open is taken. */
  readonly ways: readonly NoticeWay[];
  readonly body: MessageBody;
  /** Each of them stands in no other message; where it has none of them it is known by its words. @default none */
  readonly marks?: readonly string[] | undefined;
  /** It cannot stand anywhere from before, epoch milliseconds. @default now */
  readonly sinceMs?: number | undefined;
  /** An earlier process may have posted it. @default false */
  readonly isDoubtful?: boolean | undefined;
}

/** What somebody waits for, in a message of its own: the outcome of a command whose answer is gone. */
export interface OwedMessages {
  /** Sees to it that it stands once. Resolves with whether it is stored, so that also a later process knows of it; never rejects. */
  owe(message: OwedMessage): Promise<boolean>;
}

/** Messages to a person outside of a guild. */
export interface DirectMessages {
  /** Resolves with the channel of direct messages with a person. Rejects with SinkRefusal. */
  open(userId: string): Promise<string>;
  /** What may stand there: it names the guild that it comes from, and has no buttons, because they work only in a guild. */
  bodyFrom(guildId: string, body: MessageBody): MessageBody;
}
