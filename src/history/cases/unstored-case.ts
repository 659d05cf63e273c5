import { z } from "zod";

/** A run whose case does not stand in the database yet, by the id of the run. Written when it is sent. */
const record = z.object({
  guildId: z.string(),
  /** Who was in the server then. */
  present: z.array(z.object({ name: z.string(), id: z.number().exactOptional() })),
});

export type UnstoredCase = z.infer<typeof record>;

/** For `Documents<UnstoredCase>`. Throws on any other shape. */
export function parseUnstoredCase(value: unknown): UnstoredCase {
  return record.parse(value);
}
