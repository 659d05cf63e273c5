import { z } from "zod";
import type { Appeal } from "../domain/appeal.ts";

/** How an appeal is stored. */

const schema = z.object({
  id: z.string(),
  guildId: z.string(),
  userId: z.string(),
  atMs: z.number(),
  channelId: z.string(),
  typedName: z.string(),
  words: z.string(),
  player: z.object({ name: z.string(), id: z.number() }).exactOptional(),
  caseNumber: z.number().exactOptional(),
  provenBy: z.string().exactOptional(),
  card: z.object({
    channelId: z.string(),
    nonce: z.string(),
    sinceMs: z.number().exactOptional(),
    messageId: z.string().exactOptional(),
    isMarked: z.boolean().exactOptional(),
    openAtMs: z.number().exactOptional(),
    isWithoutWords: z.boolean().exactOptional(),
  }),
  threadId: z.string().exactOptional(),
  isThreadAsked: z.boolean().exactOptional(),
  decision: z
    .object({
      outcome: z.enum(["accepted", "refused"]),
      byId: z.string(),
      byName: z.string(),
      atMs: z.number(),
      isOwnCase: z.boolean().exactOptional(),
      unban: z.enum(["asked", "ran", "not-sent"]).exactOptional(),
      isFromCard: z.boolean().exactOptional(),
      isDone: z.boolean().exactOptional(),
    })
    .exactOptional(),
});

/** For the store: checks it on reading. */
export function parseAppeal(value: unknown): Appeal {
  return schema.parse(value);
}
