import { z } from "zod";
import type { WatchRow } from "./case-store.ts";

/** A watch as it stands in the database. Pure. */

const text = z.string();
const pendingAlert = z.looseObject({
  key: text,
  nonce: text,
  channelId: text,
  bindingId: text,
  joinedAtS: z.number(),
  name: text,
  sinceMs: z.number(),
  earlierJoins: z.number().optional(),
});
const watchRow = z.looseObject({
  watch: z.looseObject({
    guildId: text,
    playerId: z.number(),
    name: text,
    reason: text.optional(),
    byId: text,
    atMs: z.number(),
    untilMs: z.number().optional(),
  }),
  toldS: z.record(text, z.number()),
  toldAtMs: z.record(text, z.number()).optional(),
  alerts: z.array(pendingAlert).optional(),
});

/** Undefined: it cannot be read. */
export function watchRowIn(body: string): WatchRow | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  // Optional fields that are absent stay absent: JSON knows no other.
  return watchRow.safeParse(value).success ? (value as WatchRow) : undefined;
}
