import { z } from "zod";
import type { SourceId } from "../../domain/model.ts";
import { type DeferredRun, RUN_ORIGINS } from "../../domain/run.ts";

/** How a deferred run is stored. */

const actor = z.object({
  userId: z.string(),
  userName: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  roleIds: z.array(z.string()),
  manageGuild: z.boolean(),
  askedAtMs: z.number(),
});
const binding = z.object({
  id: z.string(),
  guildId: z.string(),
  source: z.string().transform((text) => text as SourceId),
  name: z.string(),
  ownerId: z.number(),
  joinKey: z.string(),
  linkedBy: z.string(),
  linkedAtMs: z.number(),
});
const schema = z.object({
  id: z.string(),
  request: z.object({
    actor,
    binding,
    text: z.string(),
    origin: z.enum(RUN_ORIGINS),
  }),
  byId: z.array(z.object({ name: z.string(), id: z.number() })).exactOptional(),
  expiresAtMs: z.number(),
});

/** For the store: checks a deferred run on reading. */
export function parseDeferredRun(value: unknown): DeferredRun {
  return schema.parse(value);
}
