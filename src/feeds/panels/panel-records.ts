import { z } from "zod";
import type { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { Panel } from "../../domain/ports/panels.ts";

/** A panel as it is kept: what its message shows, and how that message is found again. */
export interface PanelRecord extends Panel {
  /** Stands in the id of a button: where the answer to the post was lost, the message is known by it. */
  readonly mark: string;
  /** Random, for the next post alone; written before it is sent. */
  readonly nonce: string;
  /** That post cannot stand there from before, epoch milliseconds by Discord's clock. Absent: of an older release. */
  readonly sinceMs?: number;
  /** Absent until it is known that the message stands. */
  readonly messageId?: string;
  readonly body?: MessageBody;
  /** When what it shows was true, epoch milliseconds. */
  readonly goodAtMs: number;
  /** The time that its message shows, which is edited less often than it is seen. Absent: of an older release. */
  readonly seenAtMs?: number;
  /** It was deleted by someone and made again: once is enough. */
  readonly isRemade?: boolean;
  /** Its message says that it may stand there twice. */
  readonly isMarked?: boolean;
  /** The message that the next one replaces. */
  readonly after?: string;
  /** It is no panel any more: its message is to go. */
  readonly isFormer?: boolean;
}

const record = z.object({
  guildId: z.string(),
  bindingId: z.string(),
  channelId: z.string(),
  createdBy: z.string(),
  mark: z.string(),
  nonce: z.string(),
  sinceMs: z.number().exactOptional(),
  messageId: z.string().exactOptional(),
  body: z.custom<MessageBody>((value) => typeof value === "object" && value !== null).exactOptional(),
  goodAtMs: z.number(),
  seenAtMs: z.number().exactOptional(),
  isRemade: z.boolean().exactOptional(),
  isMarked: z.boolean().exactOptional(),
  after: z.string().exactOptional(),
  isFormer: z.boolean().exactOptional(),
});

/** For `Documents<PanelRecord>`, one document per server and channel. Throws on any other shape. */
export function parsePanel(value: unknown): PanelRecord {
  return record.parse(value);
}

export function panelKey({ guildId, bindingId, channelId }: Omit<Panel, "createdBy">): string {
  return `${guildId}:${bindingId}:${channelId}`;
}

/** The document of a message that was a panel. */
export function formerKey(panel: Omit<Panel, "createdBy">, messageId: string): string {
  return `${panelKey(panel)}:${messageId}`;
}

/** The name under which a panel's demand stands. */
export function demandOwner(panel: Omit<Panel, "createdBy">): string {
  return `panel:${panelKey(panel)}`;
}

/** By its mark: newer than the one that it replaces. */
export function isPanel(
  { messageId, cards, componentIds }: PostedMessage,
  record: PanelRecord | undefined,
): boolean {
  if (record === undefined) return false;
  const { mark, after } = record;
  const isNewer = after === undefined || BigInt(messageId) > BigInt(after);
  // Panels of earlier versions show their mark.
  const marked = [...componentIds, ...cards.map(({ footer = "" }) => footer)];
  return isNewer && marked.some((text) => text.endsWith(mark));
}

/** What is noted of the message that is to stand in place of one that takes no edit; undefined: the panel has ended. */
export function nextPost(
  { messageId, isRemade }: PanelRecord,
  { reason }: SinkRefusal,
): Pick<PanelRecord, "isRemade" | "after"> | undefined {
  // Someone who deletes it twice does not want it.
  if (reason === "message-gone") return isRemade === true ? undefined : { isRemade: true };
  // Discord archives a quiet thread by itself: no edit is taken there, but the next new message revives it.
  return reason === "closed" && messageId !== undefined ? { after: messageId } : undefined;
}
