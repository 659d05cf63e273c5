import { z } from "zod";

/** How linked accounts are stored. */

const schema = z.object({
  accounts: z.array(
    z.object({
      userId: z.string(),
      player: z.object({ name: z.string(), id: z.number() }),
      linkedAtMs: z.number(),
      vouchedBy: z.string().exactOptional(),
      confirmedBy: z.string().exactOptional(),
      importId: z.string().exactOptional(),
      /** Of one that its member unlinked. */
      unlinkedAtMs: z.number().exactOptional(),
    }),
  ),
  /** Of a guild's own document: the pieces that there may be. */
  pieces: z.array(z.number()).exactOptional(),
});

export type GuildAccounts = z.infer<typeof schema>;

/** For the store: checks on reading. */
export function parseGuildAccounts(value: unknown): GuildAccounts {
  return schema.parse(value);
}
