import { z } from "zod";
import type { MessageBody } from "../domain/message.ts";

/** A notice that is owed, as it is stored. */

const body = z.custom<MessageBody>((value) => typeof value === "object" && value !== null);

const way = z.discriminatedUnion("to", [
  z.object({ to: z.literal("notice-channel") }),
  z.object({ to: z.literal("person"), userId: z.string() }),
  z.object({ to: z.literal("linker") }),
  z.object({ to: z.literal("channel"), channelId: z.string() }),
  z.object({ to: z.literal("edit"), channelId: z.string(), messageId: z.string(), body }),
]);

const schema = z.object({
  id: z.string(),
  guildId: z.string(),
  /** The first of them is tried; one that is closed is taken out. */
  ways: z.array(way),
  body,
  /** Each of them stands in no other message. */
  marks: z.array(z.string()).readonly().optional(),
  /** Messages with the same words that are other notices. */
  others: z.array(z.string()).readonly().optional(),
  /** It cannot stand anywhere from before, epoch milliseconds by Discord's clock; absent: since it was given. */
  readFromMs: z.number().optional(),
  nonce: z.string(),
  /** When it was given, epoch milliseconds. */
  sinceMs: z.number(),
});

export type OwedNotice = Readonly<z.infer<typeof schema>>;

/** Without its pictures, which are too large for the store: after a kill it stands without them. */
export function asStored({ body: { files, cards, ...body }, ...notice }: OwedNotice): OwedNotice {
  if (files === undefined) return { ...notice, body: cards === undefined ? body : { ...body, cards } };
  const texts = files.filter(({ data }) => typeof data === "string");
  const named = cards?.map(({ imageName: _, ...card }) => card);
  return {
    ...notice,
    body: {
      ...body,
      ...(named === undefined ? {} : { cards: named }),
      ...(texts.length === 0 ? {} : { files: texts }),
    },
  };
}

/** For the store: checks a notice on reading. */
export function parseOwedNotice(value: unknown): OwedNotice {
  return schema.parse(value);
}
