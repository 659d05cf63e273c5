import type { Escaped } from "./escaped.ts";

/** Messages as plain data, which the wings exchange; discord/ turns them into Discord's form. */

interface CardFieldOf<Text extends string> {
  readonly name: Text;
  readonly value: Text;
  readonly inline?: boolean;
}

interface CardOf<Text extends string> {
  readonly title?: Text;
  readonly url?: string;
  readonly description?: Text;
  /** 0xRRGGBB */
  readonly color?: number;
  readonly fields?: readonly CardFieldOf<Text>[];
  /** Footer and author are plain text: Discord shows no Markdown there. */
  readonly footer?: string;
  readonly author?: string;
  readonly imageName?: string;
  /** Of a picture elsewhere; there is no `imageName` then. */
  readonly imageUrl?: string;
}

export type CardField = CardFieldOf<Escaped>;

/** An embed. */
export type Card = CardOf<Escaped>;

/** An embed of a message that was read back. */
export type PostedCard = CardOf<string>;

export interface Button {
  readonly kind: "button";
  readonly label: string;
  readonly style: "primary" | "secondary" | "success" | "danger" | "link";
  /** `action:argument`, at most 100 characters; dispatch finds the action by the prefix. Or a URL for "link". */
  readonly id: string;
  readonly emoji?: string;
  readonly disabled?: boolean;
}

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly default?: boolean;
}

export interface Select {
  readonly kind: "select";
  readonly of: "string" | "role" | "channel" | "user";
  readonly id: string;
  readonly placeholder?: string;
  readonly options?: readonly SelectOption[];
  readonly defaultIds?: readonly string[];
  readonly minValues?: number;
  readonly maxValues?: number;
}

/** A row of up to five buttons, or of one select. */
export type Row = readonly Button[] | readonly [Select];

export interface Attachment {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly description?: string;
}

/** What a person sees: content, cards, rows, files. Mentions never fire from it. */
export interface MessageBody {
  readonly content?: Escaped;
  readonly cards?: readonly Card[];
  readonly rows?: readonly Row[];
  readonly files?: readonly Attachment[];
}

/** A message to a channel on our own account, with the nonce that makes a repeat harmless. */
export interface OutgoingMessage extends MessageBody {
  /** At most 25 characters. */
  readonly nonce: string;
  /** The only mentions that may fire: chosen roles, and people who allowed it. */
  readonly pingRoleIds?: readonly string[];
  readonly pingUserIds?: readonly string[];
  /** Posted without a notification sound. */
  readonly silent?: boolean;
  readonly replyToMessageId?: string;
}

/** One of our own messages, read back from a channel. */
export interface PostedMessage {
  readonly messageId: string;
  readonly content: string;
  readonly cards: readonly PostedCard[];
  readonly attachmentNames: readonly string[];
  /** Ids of its buttons and menus. Nobody sees them, so what names a message for a later reading stands there. */
  readonly componentIds: readonly string[];
  readonly postedAtMs: number;
}

/** Discord's answer to a message. `posted`: what stands there; an old message where the nonce was used before. */
export interface SentMessage {
  readonly messageId: string;
  readonly posted?: PostedMessage;
}

/** Ids of the buttons and menus of a body, as they are read back: a button with a link has none. */
export function componentIdsOf({ rows = [] }: Pick<MessageBody, "rows">): readonly string[] {
  return rows.flatMap((row) =>
    row.flatMap((one) => (one.kind === "button" && one.style === "link" ? [] : [one.id])),
  );
}
