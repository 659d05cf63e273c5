import { z } from "zod";
import { type BanEnd, HELD_FOR } from "../../domain/ban-end.ts";

/** How the end of a ban is stored. */

const schema = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  serverName: z.string(),
  playerId: z.number(),
  playerName: z.string(),
  byId: z.string(),
  byName: z.string(),
  channelId: z.string(),
  text: z.string(),
  sentAtMs: z.number(),
  ranByMs: z.number().exactOptional(),
  endsAtMs: z.number(),
  lastsMs: z.number().exactOptional(),
  state: z.enum(["sending", "armed", "lifting", "held", "over"]),
  heldFor: z.enum(HELD_FOR).exactOptional(),
  why: z.string().exactOptional(),
  ownRowS: z.number().exactOptional(),
  liftId: z.string().exactOptional(),
  tries: z.number(),
  laterId: z.string().exactOptional(),
  isLogLost: z.literal(true).exactOptional(),
  liftsEarlier: z.literal(true).exactOptional(),
});

/** For the store: checks an end on reading. */
export function parseBanEnd(value: unknown): BanEnd {
  return schema.parse(value);
}
