import type { RetentionDays } from "../../domain/history.ts";
import type { QueryContext } from "./context.ts";

const DEFAULT_RETENTION_DAYS = 90;

/** How long the rows of a guild are kept. */
export async function retention(
  { db }: QueryContext,
  { guildId }: { readonly guildId: string },
): Promise<RetentionDays> {
  const guild = await db
    .selectFrom("guilds")
    .select("retention_days")
    .where("guild_id", "=", guildId)
    .executeTakeFirst();
  const days = guild?.retention_days ?? DEFAULT_RETENTION_DAYS;
  return days === 0 ? "off" : days;
}
