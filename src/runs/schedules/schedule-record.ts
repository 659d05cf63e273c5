import { z } from "zod";
import { DUE_RESULTS, type Schedule, WEEKDAYS } from "../../domain/schedule.ts";

/** How a schedule is stored. */

const rule = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("times"), days: z.array(z.enum(WEEKDAYS)), times: z.array(z.string()) }),
  z.object({ kind: z.literal("every"), minutes: z.number() }),
]);
const what = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("preset"), name: z.string() }),
  z.object({ kind: z.literal("text"), text: z.string() }),
]);
const schema = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  what,
  rule,
  anchorMs: z.number(),
  onlyWithPlayers: z.boolean(),
  ownerId: z.string(),
  ownerName: z.string(),
  channelId: z.string(),
  createdAtMs: z.number(),
  claimedMs: z.number(),
  last: z
    .object({
      dueAtMs: z.number(),
      runId: z.string(),
      result: z.enum(DUE_RESULTS),
      why: z.string().exactOptional(),
    })
    .exactOptional(),
  failures: z.number(),
  endedWhy: z.string().exactOptional(),
});

/** For the store: checks a schedule on reading. */
export function parseSchedule(value: unknown): Schedule {
  return schema.parse(value);
}
