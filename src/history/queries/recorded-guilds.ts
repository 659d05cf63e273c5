import type { RetentionDays } from "../../domain/history.ts";
import { openGuild } from "../ingest/scope-state.ts";
import { fillOpenEvidence } from "../positions/case-evidence.ts";
import { erasePositions } from "../positions/store-positions.ts";
import type { QueryContext } from "./context.ts";
import { noteDepartures } from "./erase-cases.ts";
import { raiseVersion } from "./forget-player.ts";

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
  context: QueryContext,
  { guildId, days }: { readonly guildId: string; readonly days: RetentionDays },
): Promise<void> {
  const { db, writing } = context;
  await writing.take("all", async () => {
    if (days === "off") await fillOpenEvidence(context, { guildId });
    await db.transaction().execute(async (transaction) => {
      const { id } = await openGuild(transaction, guildId);
      await transaction
        .updateTable("guilds")
        .set(days === "off" ? { retention_days: 0, positions_days: 0 } : { retention_days: days })
        .where("id", "=", id)
        .execute();
      if (days === "off") {
        await erasePositions(transaction, id);
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
    });
  });
}

/** The guilds of which nothing is to be recorded. */
export async function turnedOff({ db }: QueryContext, _: object): Promise<readonly string[]> {
  const rows = await db.selectFrom("guilds").select("guild_id").where("retention_days", "=", 0).execute();
  return rows.map(({ guild_id }) => guild_id);
}

/** All guilds of which rows, cases or watches are kept. */
export async function kept({ db }: QueryContext, _: object): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const table of ["guilds", "cases", "watches"] as const) {
    const rows = await db.selectFrom(table).select("guild_id").distinct().execute();
    for (const { guild_id } of rows) ids.add(guild_id);
  }
  return [...ids];
}

interface LinkedArgs {
  /** The servers that these guilds have linked now. */
  readonly links: readonly { readonly guildId: string; readonly bindingId: string }[];
  /** The guilds that this is about; of others nothing changes. */
  readonly guildIds: readonly string[];
  /** Now, by our clock. */
  readonly endedMs: number;
}

/** Notes which servers of some guilds are linked now; their others have ended, and are erased after a time. */
export async function linked(
  { db, writing }: QueryContext,
  { links, guildIds, endedMs }: LinkedArgs,
): Promise<void> {
  const present = new Set(links.map((link) => `${link.guildId} ${link.bindingId}`));
  const about = new Set(guildIds);
  await writing.take("all", async () => {
    let query = db
      .selectFrom("scopes")
      .innerJoin("guilds", "guilds.id", "scopes.guild")
      .select(["scopes.id", "scopes.guild", "binding_id", "guild_id", "ended_ms"]);
    if (guildIds.length === 1) query = query.where("guild_id", "in", guildIds);
    for (const { id, guild, binding_id, guild_id, ended_ms } of await query.execute()) {
      const isLinked = present.has(`${guild_id} ${binding_id}`);
      if (!about.has(guild_id) || isLinked === (ended_ms === null) || ended_ms === LONG_AGO_MS) continue;
      await db.transaction().execute(async (transaction) => {
        const ended = isLinked ? null : endedMs;
        await transaction.updateTable("scopes").set({ ended_ms: ended }).where("id", "=", id).execute();
        await raiseVersion(transaction, guild);
      });
    }
    const linkedGuilds = new Set(links.map((link) => link.guildId));
    await noteDepartures(db, { linkedGuilds, guildIds, atMs: endedMs });
  });
}
