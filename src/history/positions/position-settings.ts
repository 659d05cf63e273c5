import { openGuild } from "../ingest/scope-state.ts";
import type { QueryContext } from "../queries/context.ts";
import { raiseVersion } from "../queries/forget-player.ts";
import { fillOpenEvidence } from "./case-evidence.ts";
import { erasePositions } from "./store-positions.ts";

/** Whether positions are kept, and for how long. */

/** For how many days positions are kept; 0: none are recorded. */
export async function days({ db }: QueryContext, { guildId }: { readonly guildId: string }): Promise<number> {
  const row = await db
    .selectFrom("guilds")
    .select("positions_days")
    .where("guild_id", "=", guildId)
    .executeTakeFirst();
  return row?.positions_days ?? 0;
}

/** 0 erases what is kept at once, but for what cases keep. */
export async function setDays(
  context: QueryContext,
  { guildId, days: wanted }: { readonly guildId: string; readonly days: number },
): Promise<void> {
  await context.writing.take("all", async () => {
    if (wanted === 0) await fillOpenEvidence(context, { guildId });
    await context.db.transaction().execute(async (transaction) => {
      const { id } = await openGuild(transaction, guildId);
      await transaction.updateTable("guilds").set({ positions_days: wanted }).where("id", "=", id).execute();
      if (wanted === 0) await erasePositions(transaction, id);
      await raiseVersion(transaction, id);
    });
  });
}

/** The guilds whose positions are recorded. */
export async function guilds({ db }: QueryContext, _: object): Promise<readonly string[]> {
  const rows = await db.selectFrom("guilds").select("guild_id").where("positions_days", ">", 0).execute();
  return rows.map(({ guild_id }) => guild_id);
}
