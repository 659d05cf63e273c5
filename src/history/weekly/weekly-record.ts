import { z } from "zod";

/** What is kept of a community's weekly summary: where it goes, and how far it was posted. One document a guild. */

const record = z.object({
  guildId: z.string(),
  channelId: z.string(),
  byId: z.string(),
  /** The end of the last week that is done with, epoch seconds. */
  doneUntilS: z.number(),
  /** The week that is being posted: each server has a message of its own. */
  current: z
    .object({
      toS: z.number(),
      /** Bindings whose message stands. */
      posted: z.array(z.string()),
      /** Written before it is sent: after a crash it may stand in the channel, and is known by its key. */
      sending: z.object({ bindingId: z.string(), key: z.string(), nonce: z.string() }).exactOptional(),
    })
    .exactOptional(),
  /** The channel took nothing, and the guild has its notice of that. */
  isRefused: z.boolean().exactOptional(),
});

export type WeeklyRecord = z.infer<typeof record>;

/** For `Documents<WeeklyRecord>`. Throws on any other shape. */
export function parseWeekly(value: unknown): WeeklyRecord {
  return record.parse(value);
}
