import type { MessageBody, OutgoingMessage } from "../../domain/message.ts";
import type { WantedPost } from "../../domain/ports/posts.ts";
import type { TurnWanted } from "../../domain/ports/turns.ts";

/** A post whose channel is known. */
export type InChannel = Omit<WantedPost, "channelId" | "directTo"> & { readonly channelId: string };

/** What a turn is asked for. */
export interface Asked {
  readonly place: string;
  /** Undefined: it is direct messages that nobody has opened yet. */
  readonly channelId: string | undefined;
  readonly request: TurnWanted["request"];
}

/** One text for one place. */
export function placeOf({ channelId, directTo }: WantedPost): string {
  return channelId ?? `direct ${directTo}`;
}

/** What is sent of a post whose words are these. */
export function messageOf(
  wanted: Omit<WantedPost, "channelId" | "directTo">,
  said: MessageBody,
): OutgoingMessage {
  const { nonce, pingRoleIds, pingUserIds, silent, replyToMessageId } = wanted;
  return {
    ...said,
    nonce,
    ...(pingRoleIds === undefined ? {} : { pingRoleIds }),
    ...(pingUserIds === undefined ? {} : { pingUserIds }),
    ...(silent === undefined ? {} : { silent }),
    ...(replyToMessageId === undefined ? {} : { replyToMessageId }),
  };
}
