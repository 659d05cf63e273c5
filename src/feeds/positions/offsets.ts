import { z } from "zod";
import { type JournalList, STATE_LISTS } from "../../domain/changes.ts";
import { markdownOfOurs } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { SourceId } from "../../domain/model.ts";

/**
 * How far a feed has come, and the batch that is on its way. Written before and after each message; what is not in
 * here is not known after a crash.
 */
export interface OffsetRecord {
  /** Whose journal the numbers belong to: differs from the binding's source when a crash came between link and move. */
  readonly source: SourceId;
  /** Absent in records of emergency calls by the release before, which had no journal of them. */
  readonly list?: JournalList;
  /** Everything below is delivered, or not for this feed. */
  readonly nextSeq: number;
  readonly frozen?: FrozenBatch;
  /** The last message that is known to stand in the channel: a read-back looks only after it. */
  readonly lastMessageId?: string;
  /**
   * Keys of entries that stand in the channel up to that message though they are not dealt with above: they are left
   * out when they come.
   */
  readonly standing?: readonly string[];
  /** Entries up to this second may stand in the channel, in a file whose entries are not known: they come with a mark. */
  readonly inFileUpToS?: number;
  /** The feed started, or was resumed: nothing older is posted. Epoch milliseconds. */
  readonly sinceMs: number;
  /** Since when the channel has its notice that the feed runs late; it gets no other until the feed has caught up. */
  readonly lateSinceMs?: number;
}

/** A message exactly as it is sent, so that a restart, a changed filter or a new rendering sends the same one. */
export interface FrozenBatch {
  /** What is acknowledged once it is delivered. */
  readonly throughSeq: number;
  /** How many entries stand in it. */
  readonly entries: number;
  readonly body: MessageBody;
  readonly atMs: number;
  /** The second of its oldest entry; absent in notices. */
  readonly oldestS?: number;
  /** It tells that entries may be missing. */
  readonly isGap?: true;
  /** lines, then as a digest when Discord refuses the form, then a bare notice: nothing loops. */
  readonly form: "lines" | "digest" | "notice";
  /** Random, for this message alone. */
  readonly nonce: string;
  /** Keys of `standing` that are dealt with once this is delivered. */
  readonly met?: readonly string[];
}

/** Written by this bot, and escaped then. */
const markdown = z.string().transform(markdownOfOurs);

const card = z.object({
  title: markdown.exactOptional(),
  url: z.string().exactOptional(),
  description: markdown.exactOptional(),
  color: z.number().exactOptional(),
  fields: z
    .array(z.object({ name: markdown, value: markdown, inline: z.boolean().exactOptional() }))
    .exactOptional(),
  footer: z.string().exactOptional(),
  author: z.string().exactOptional(),
  imageName: z.string().exactOptional(),
});

const body = z.object({
  content: markdown.exactOptional(),
  cards: z.array(card).exactOptional(),
  files: z
    .array(z.object({ name: z.string(), data: z.string(), description: z.string().exactOptional() }))
    .exactOptional(),
});

const offset = z.object({
  source: z.string().transform((text) => text as SourceId),
  list: z.enum(["joinLogs", "killLogs", "commandLogs", "modCalls", ...STATE_LISTS]).exactOptional(),
  nextSeq: z.int().nonnegative(),
  frozen: z
    .object({
      throughSeq: z.int().nonnegative(),
      entries: z.int().nonnegative(),
      body,
      atMs: z.number(),
      oldestS: z.number().exactOptional(),
      isGap: z.literal(true).exactOptional(),
      form: z.enum(["lines", "digest", "notice"]),
      nonce: z.string(),
      met: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  lastMessageId: z.string().exactOptional(),
  standing: z.array(z.string()).exactOptional(),
  inFileUpToS: z.number().exactOptional(),
  sinceMs: z.number(),
  lateSinceMs: z.number().exactOptional(),
});

/** For `Documents<OffsetRecord>`, one document per feed id. Throws on any other shape. */
export function parseOffset(value: unknown): OffsetRecord {
  return offset.parse(value);
}
