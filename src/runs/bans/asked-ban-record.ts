import { z } from "zod";
import type { AskedBan } from "../../domain/asked-ban.ts";

/** How a ban that was asked for is stored. */

const schema = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  serverName: z.string(),
  player: z.object({ name: z.string(), id: z.number() }),
  reason: z.string(),
  askerId: z.string(),
  askerName: z.string(),
  askedAtMs: z.number(),
  approval: z
    .object({
      byId: z.string(),
      byName: z.string(),
      channelId: z.string(),
      atMs: z.number(),
      messageId: z.string().exactOptional(),
    })
    .exactOptional(),
  runId: z.string().exactOptional(),
});

/** For the store: checks it on reading. */
export function parseAskedBan(value: unknown): AskedBan {
  return schema.parse(value);
}
