import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { Sink } from "../../domain/ports/sink.ts";

/** How far Discord's clock and ours may lie apart when a message is looked for by time. */
const clockSlackMs = 600_000;
const discordEpochMs = 1_420_070_400_000;
const pageSize = 100;

/** A snowflake below that of every message posted at or after `atMs`, our clock. */
export function snowflakeBefore(atMs: number): string {
  const ms = Math.max(0, Math.floor(atMs - clockSlackMs - discordEpochMs));
  return (BigInt(ms) << 22n).toString();
}

/** The later of two snowflakes. */
export function laterId(a: string | undefined, b: string): string {
  return a === undefined || BigInt(a) < BigInt(b) ? b : a;
}

/**
 * Does `posted` show what `body` says? Discord trims texts and may touch white space; everything else is equal or
 * it is another message (design 5, Delivery: equal content means delivered).
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
  const names = (body.files ?? []).map((file) => file.name).sort();
  return names.join("\n") === [...posted.attachmentNames].sort().join("\n");
}

function squeeze(text: string | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/**
 * The first of our messages after `afterMessageId` that `matches`, or undefined when there is none.
 * Rejects with the Sink's refusal ("no-history" where the channel cannot be read).
 */
export async function findPosted(
  sink: Sink,
  channelId: string,
  afterMessageId: string,
  matches: (posted: PostedMessage) => boolean,
): Promise<PostedMessage | undefined> {
  let after = afterMessageId;
  for (;;) {
    const page = await sink.readBack(channelId, after, pageSize);
    const found = page.find(matches);
    if (found !== undefined) return found;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || last.messageId === after) return undefined;
    after = last.messageId;
  }
}
