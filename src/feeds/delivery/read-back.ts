import { componentIdsOf, type MessageBody, type PostedMessage } from "../../domain/message.ts";

/** How far Discord's clock and the service's may lie apart when messages are looked for by time. */
const CLOCK_SLACK_MS = 600_000;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** A snowflake below that of every message that was posted at or after `atMs`. */
export function snowflakeBefore(atMs: number): string {
  const ms = Math.max(0, Math.floor(atMs - CLOCK_SLACK_MS - DISCORD_EPOCH_MS));
  return (BigInt(ms) << 22n).toString();
}

/** The later of two snowflakes. */
export function laterId(a: string | undefined, b: string): string {
  return a === undefined || BigInt(a) < BigInt(b) ? b : a;
}

/** A body as a reader of the channel gets it. */
export function asPosted(
  body: MessageBody,
): Pick<PostedMessage, "content" | "cards" | "attachmentNames" | "componentIds"> {
  return {
    content: body.content ?? "",
    cards: body.cards ?? [],
    attachmentNames: (body.files ?? []).map((file) => file.name),
    componentIds: componentIdsOf(body),
  };
}

/**
 * Does `posted` show what `body` says? For messages without entries, which have no keys. Discord trims texts and may
 * touch white space; everything else is equal or it is another message.
 */
export function sameMessage(body: MessageBody, posted: PostedMessage): boolean {
  if (squeeze(body.content) !== squeeze(posted.content)) return false;
  const cards = body.cards ?? [];
  if (cards.length !== posted.cards.length) return false;
  for (const [index, card] of cards.entries()) {
    const other = posted.cards[index];
    if (squeeze(card.title) !== squeeze(other?.title)) return false;
    if (squeeze(card.description) !== squeeze(other?.description)) return false;
    if (squeeze(card.footer) !== squeeze(other?.footer)) return false;
  }
  if (componentIdsOf(body).join("\n") !== posted.componentIds.join("\n")) return false;
  const names = (body.files ?? []).map((file) => file.name).sort();
  return names.join("\n") === [...posted.attachmentNames].sort().join("\n");
}

function squeeze(text: string | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}
