import type { RetentionDays } from "../../domain/history.ts";
import { openGuild } from "../ingest/scope-state.ts";
import { noteDepartures } from "./case-erasing.ts";
import type { QueryContext } from "./context.ts";
import { raiseVersion } from "./forget.ts";

const DEFAULT_RETENTION_DAYS = 90;
/** Long ago: what ended then is erased by the next round. */
const LONG_AGO_MS = 0;

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

/** Off hides everything at once; it is erased by the next rounds. */
export async function setRetention(
  { db, writing }: QueryContext,
  { guildId, days }: { readonly guildId: string; readonly days: RetentionDays },
): Promise<void> {
  await writing.take("all", () =>
    db.transaction().execute(async (transaction) => {
      const { id } = await openGuild(transaction, guildId);
      await transaction
        .updateTable("guilds")
        .set({ retention_days: days === "off" ? 0 : days })
        .where("id", "=", id)
        .execute();
      if (days === "off") {
        // The server begins anew when it is turned on again, so that it no longer goes by its name.
        const scopes = await transaction
          .selectFrom("scopes")
          .select(["id", "binding_id"])
          .where("guild", "=", id)
          .execute();
        for (const scope of scopes) {
          const ended = { ended_ms: LONG_AGO_MS, binding_id: `${scope.binding_id} off ${scope.id}` };
          await transaction.updateTable("scopes").set(ended).where("id", "=", scope.id).execute();
        }
      }
      await raiseVersion(transaction, id);
    }),
  );
}

/** The guilds of which nothing is to be recorded. */
export async function turnedOff({ db }: QueryContext, _: object): Promise<readonly string[]> {
  const rows = await db.selectFrom("guilds").select("guild_id").where("retention_days", "=", 0).execute();
  return rows.map(({ guild_id }) => guild_id);
}

/**
 * Servers that are linked now; all others have ended, and are erased after a time. `endedMs` is now, by our clock.
 * Without a guild it is about all of them.
 */
export async function linked(
  { db, writing }: QueryContext,
  {
    links,
    guildId,
    endedMs,
  }: {
    readonly links: readonly { readonly guildId: string; readonly bindingId: string }[];
    readonly guildId?: string | undefined;
    readonly endedMs: number;
  },
): Promise<void> {
  const present = new Set(links.map((link) => `${link.guildId} ${link.bindingId}`));
  await writing.take("all", async () => {
    let query = db
      .selectFrom("scopes")
      .innerJoin("guilds", "guilds.id", "scopes.guild")
      .select(["scopes.id", "scopes.guild", "binding_id", "guild_id", "ended_ms"]);
    if (guildId !== undefined) query = query.where("guild_id", "=", guildId);
    for (const { id, guild, binding_id, guild_id, ended_ms } of await query.execute()) {
      const isLinked = present.has(`${guild_id} ${binding_id}`);
      if (isLinked === (ended_ms === null) || ended_ms === LONG_AGO_MS) continue;
      await db.transaction().execute(async (transaction) => {
        const ended = isLinked ? null : endedMs;
        await transaction.updateTable("scopes").set({ ended_ms: ended }).where("id", "=", id).execute();
        await raiseVersion(transaction, guild);
      });
    }
    const linkedGuilds = new Set(links.map((link) => link.guildId));
    await noteDepartures(db, { linkedGuilds, guildId, atMs: endedMs });
  });
}
