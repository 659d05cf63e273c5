import type { Kysely } from "kysely";
import type { Case } from "../../domain/case.ts";
import { owing } from "../cases/change-case.ts";
import type { HistoryTables } from "../database/schema.ts";
import { blanked } from "../ingest/store-logs.ts";
import { forgetInEvidence } from "../positions/evidence-of-player.ts";
import { caseIn, columnsOf } from "./cases.ts";
import type { QueryContext } from "./context.ts";

/** Erases cases: of a player by name, or of a guild that went long ago. */

/** Cases and watches of a guild without a server stay for this time, because a server is also unlinked by mistake. */
const KEPT_AFTER_DEPARTURE_MS = 30 * 24 * 60 * 60_000;

type Database = Pick<Kysely<HistoryTables>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom">;

/**
 * Takes a player out of a case; a case that names nobody else goes, and its number stays used. The game's log may show
 * it for a long time still: a hash of its origin keeps it from becoming a case again.
 */
export async function erasePlayer(
  { db, hashOf }: QueryContext,
  {
    guildId,
    number,
    playerId,
  }: { readonly guildId: string; readonly number: number; readonly playerId: number },
): Promise<"erased" | "changed" | undefined> {
  return await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom("cases")
      .select("body")
      .where("guild_id", "=", guildId)
      .where("number", "=", number)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { origin, ...one } = caseIn(row.body);
    const targets = one.targets.filter((target) => target.playerId !== playerId);
    if (targets.length === one.targets.length) return undefined;
    // The origin of a row is its text, which names the player.
    const keepsOrigin = targets.length > 0 && origin?.startsWith("row ") !== true;
    if (origin !== undefined && !keepsOrigin) await markErased(transaction, guildId, hashOf(origin));

    const aimedAt = targets.length > 0 ? [playerId] : one.targets.map((target) => target.playerId ?? 0);
    await transaction
      .deleteFrom("case_targets")
      .where("guild_id", "=", guildId)
      .where("player_id", "in", aimedAt)
      .where("number", "=", number)
      .execute();
    if (targets.length === 0) {
      for (const table of ["cases", "case_evidence"] as const) {
        await transaction
          .deleteFrom(table)
          .where("guild_id", "=", guildId)
          .where("number", "=", number)
          .execute();
      }
      return "erased";
    }
    const rest = owing({ ...without(one, playerId), targets, ...(keepsOrigin ? { origin } : {}) });
    await transaction
      .updateTable("cases")
      .set(columnsOf(rest))
      .where("guild_id", "=", guildId)
      .where("number", "=", number)
      .execute();
    const name = one.targets.find((target) => target.playerId === playerId)?.name ?? "";
    await forgetInEvidence(transaction, guildId, { id: playerId, names: [name], number });
    return "changed";
  });
}

/** Without what a case says of one of several whom it names. */
function without({ command, receipt, ...one }: Omit<Case, "origin">, playerId: number): Omit<Case, "origin"> {
  const text = command === undefined || one.mass ? command : blanked(command);
  const left = receipt?.left.filter((leave) => leave.playerId !== playerId);
  return {
    ...one,
    ...(text === undefined ? {} : { command: text }),
    ...(receipt === undefined || left === undefined ? {} : { receipt: { ...receipt, left } }),
  };
}

async function markErased(db: Database, guildId: string, hash: number): Promise<void> {
  await db
    .insertInto("erased_cases")
    .values({ guild_id: guildId, hash })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Notes since when guilds with cases, watches or duty have no server; one that links again is not departed any more. */
export async function noteDepartures(
  db: Database,
  of: {
    readonly linkedGuilds: ReadonlySet<string>;
    /** The guilds that are looked at. */
    readonly guildIds: readonly string[];
    readonly atMs: number;
  },
): Promise<void> {
  const { linkedGuilds, guildIds, atMs } = of;
  const about = new Set(guildIds);
  const gone = new Set<string>();
  for (const table of ["cases", "watches", "duty"] as const) {
    let query = db.selectFrom(table).select("guild_id").distinct();
    if (guildIds.length === 1) query = query.where("guild_id", "in", guildIds);
    for (const { guild_id } of await query.execute()) {
      if (about.has(guild_id) && !linkedGuilds.has(guild_id)) gone.add(guild_id);
    }
  }
  for (const guild_id of gone) {
    await db
      .insertInto("departures")
      .values({ guild_id, at_ms: atMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await forgetDepartures(db, linkedGuilds);
}

async function forgetDepartures(db: Database, linkedGuilds: ReadonlySet<string>): Promise<void> {
  const departed = await db.selectFrom("departures").select("guild_id").execute();
  for (const { guild_id } of departed) {
    if (linkedGuilds.has(guild_id)) {
      await db.deleteFrom("departures").where("guild_id", "=", guild_id).execute();
    }
  }
}

/**
 * The guilds with cases or watches that have had no server for 30 days. `linked` are guilds that have one: a guild that
 * linked while the database was away is noted as departed still.
 */
export async function departed(
  { db }: QueryContext,
  { nowMs, linked }: { readonly nowMs: number; readonly linked: readonly string[] },
): Promise<readonly string[]> {
  await forgetDepartures(db, new Set(linked));
  const rows = await db
    .selectFrom("departures")
    .select("guild_id")
    .where("at_ms", "<", nowMs - KEPT_AFTER_DEPARTURE_MS)
    .orderBy("guild_id")
    .execute();
  return rows.map(({ guild_id }) => guild_id);
}

/**
 * Erases the cases and watches of a guild. Its numbers stay used, because cards with them stand in channels. False: it has
 * linked a server since it was found to be gone, and keeps everything.
 */
export async function eraseDeparted(
  { db }: QueryContext,
  { guildId }: { readonly guildId: string },
): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const noted = await transaction
      .deleteFrom("departures")
      .where("guild_id", "=", guildId)
      .executeTakeFirst();
    if (noted.numDeletedRows === 0n) return false;
    for (const table of [
      "case_targets",
      "cases",
      "case_evidence",
      "watches",
      "duty",
      "erased_cases",
    ] as const) {
      await transaction.deleteFrom(table).where("guild_id", "=", guildId).execute();
    }
    return true;
  });
}
