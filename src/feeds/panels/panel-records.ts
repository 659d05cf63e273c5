import { z } from "zod";
import type { MessageBody } from "../../domain/message.ts";
import type { Panel } from "../../domain/ports/panels.ts";

/** A panel as it is kept: what its message shows, and how that message is found again. */
export interface PanelRecord extends Panel {
  /** Stands in the footer: where the answer to the post was lost, the message is known by it. */
  readonly mark: string;
  /** Random, for the next post alone; written before it is sent. */
  readonly nonce: string;
  /** Absent until it is known that the message stands. */
  readonly messageId?: string;
  readonly body?: MessageBody;
  /** When what it shows was true, epoch milliseconds. */
  readonly goodAtMs: number;
  /** It was deleted by someone and made again: once is enough. */
  readonly isRemade?: boolean;
}

const record = z.object({
  guildId: z.string(),
  bindingId: z.string(),
  channelId: z.string(),
  createdBy: z.string(),
  mark: z.string(),
  nonce: z.string(),
  messageId: z.string().exactOptional(),
  body: z.custom<MessageBody>((value) => typeof value === "object" && value !== null).exactOptional(),
  goodAtMs: z.number(),
  isRemade: z.boolean().exactOptional(),
});

/** For `Documents<PanelRecord>`, one document per server and channel. Throws on any other shape. */
export function parsePanel(value: unknown): PanelRecord {
  return record.parse(value);
}

export function panelKey({ guildId, bindingId, channelId }: Omit<Panel, "createdBy">): string {
  return `${guildId}:${bindingId}:${channelId}`;
}

/** The name under which a panel's demand stands. */
export function demandOwner(panel: Omit<Panel, "createdBy">): string {
  return `panel:${panelKey(panel)}`;
}
