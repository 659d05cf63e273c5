import type { Kysely, Transaction } from "kysely";
import type { Forgotten } from "../../domain/history.ts";
import { chunks } from "../database/chunks.ts";
import type { HistoryTables } from "../database/schema.ts";
import { nameKey } from "../database/storable.ts";
import { closeEvidence } from "../positions/case-evidence.ts";
import { forgetInEvidence } from "../positions/evidence-of-player.ts";
import { forgetPositions } from "../positions/store-positions.ts";
import { blankCommands, ownNames } from "./blank-commands.ts";
import type { QueryContext } from "./context.ts";
import { known } from "./known-players.ts";
import { personOf } from "./scopes.ts";

interface ForgetArgs {
  readonly guildId: string;
  readonly playerId: number;
  readonly nowS: number;
}

/**
 * Erases a player for a guild, and stores until when rows of theirs are left out. Rows that name somebody else too go as
 * a whole, but commands of others stay, blanked. Duty and the cases of others keep them for longer than the logs do.
 * undefined: nothing was kept.
 */
export async function forget(
  context: QueryContext,
  { guildId, playerId, nowS }: ForgetArgs,
): Promise<Forgotten | undefined> {
  return context.writing.take("all", async () => {
    const guild = await guildOf(context.db, guildId);
    if (guild === undefined) return undefined;
    const found = await personOf(context, guildId, playerId);
    const [player] = found === undefined ? [] : await known(context, [found.person]);
    const name = player?.name ?? String(playerId);
    const untilS = Math.max(nowS, player?.lastSeenS ?? 0);
    await closeEvidence(context, { guildId, nowS: untilS });
    const names = player === undefined ? [] : [player.name, ...player.earlierNames];
    const erased = await context.db.transaction().execute(async (db) => {
      const casesOfOthers = await forgetInEvidence(db, guildId, { id: playerId, names });
      const own = await ownNames(db, guild, { names, person: found?.person });
      const about = { id: playerId, names: own, person: found?.person };
      const blankedCommands = await blankCommands(db, guild, about);
      const counts = found === undefined ? NOTHING : await eraseRows(db, guild, found.person);
      // Shifts are a member's, and stay with the sums that others rely on; what names the player goes.
      const duty = await db
        .deleteFrom("duty")
        .where("guild_id", "=", guildId)
        .where("player_id", "=", playerId)
        .executeTakeFirst();
      const dutyRecords = Number(duty.numDeletedRows);
      const isAny = dutyRecords + casesOfOthers + blankedCommands > 0;
      if (found === undefined && !isAny) return undefined;
      for (const who of [playerId, ...own.map(nameKey)])
        await raiseBarrier(db, { guild, mark: context.markOf(guildId, who), until_s: untilS });
      await raiseVersion(db, guild);
      return { ...counts, blankedCommands, dutyRecords, casesOfOthers };
    });
    if (erased === undefined) return undefined;
    context.ingest.forget();
    return { player: { name, id: playerId }, ...erased, untilS };
  });
}

type OfLogs = Pick<Forgotten, "names" | "visits" | "kills" | "commands" | "calls">;

const NOTHING: OfLogs = { names: 0, visits: 0, kills: 0, commands: 0, calls: 0 };

async function guildOf(db: Kysely<HistoryTables>, guildId: string): Promise<number | undefined> {
  const row = await db.selectFrom("guilds").select("id").where("guild_id", "=", guildId).executeTakeFirst();
  return row?.id;
}

/** What the logs and positions have of a person. */
async function eraseRows(db: Transaction<HistoryTables>, guild: number, person: number): Promise<OfLogs> {
  const scopes = await db.selectFrom("scopes").select("id").where("guild", "=", guild).execute();
  const ids = scopes.map(({ id }) => id);
  await forgetPositions(db, ids, { person, fromS: 0, toS: Number.MAX_SAFE_INTEGER });
  return await erase(db, guild, person);
}

async function raiseBarrier(
  db: Transaction<HistoryTables>,
  barrier: { readonly guild: number; readonly mark: string; readonly until_s: number },
): Promise<void> {
  await db
    .insertInto("barriers")
    .values(barrier)
    .onConflict((conflict) => conflict.columns(["guild", "mark"]).doUpdateSet({ until_s: barrier.until_s }))
    .execute();
}

/** What this and other processes remember of a guild is void from now on. */
export async function raiseVersion(db: Kysely<HistoryTables>, guild: number): Promise<void> {
  await db
    .updateTable("guilds")
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "=", guild)
    .execute();
}

async function erase(db: Transaction<HistoryTables>, guild: number, person: number): Promise<OfLogs> {
  const number = ({ numDeletedRows }: { readonly numDeletedRows: bigint }) => Number(numDeletedRows);
  const visits = await db.deleteFrom("visits").where("person", "=", person).executeTakeFirst();
  // Two statements, since an "or" of two columns is served by no index.
  const killer = await db.deleteFrom("kills").where("killer", "=", person).executeTakeFirst();
  const killed = await db.deleteFrom("kills").where("killed", "=", person).executeTakeFirst();
  await db.deleteFrom("command_targets").where("target", "=", person).execute();
  await eraseAims(db, person);
  const commands = await db.deleteFrom("commands").where("person", "=", person).executeTakeFirst();
  const calls = await db.deleteFrom("mod_calls").where("caller", "=", person).executeTakeFirst();
  await db
    .updateTable("mod_calls")
    .set({ moderator: null, answered_s: null, open_s: null })
    .where("moderator", "=", person)
    .execute();
  const emergencies = await db.deleteFrom("emergency_calls").where("caller", "=", person).executeTakeFirst();
  await eraseRanks(db, guild, [person]);
  const names = await db.deleteFrom("names").where("person", "=", person).executeTakeFirst();
  await db.deleteFrom("persons").where("id", "=", person).execute();
  return {
    names: number(names),
    visits: number(visits),
    kills: number(killer) + number(killed),
    commands: number(commands),
    calls: number(calls) + number(emergencies),
  };
}

/** Erases the targets of this person's commands. */
async function eraseAims(db: Transaction<HistoryTables>, person: number): Promise<void> {
  const commands = await db
    .selectFrom("commands")
    .select(["scope", "at_s"])
    .distinct()
    .where("person", "=", person)
    .execute();
  for (const [scope, its] of Map.groupBy(commands, (command) => command.scope)) {
    for (const some of chunks(its)) {
      await db
        .deleteFrom("command_targets")
        .where("scope", "=", scope)
        .where(
          "at_s",
          "in",
          some.map(({ at_s }) => at_s),
        )
        .where("person", "=", person)
        .execute();
    }
  }
}

/** Erases the ranks of a guild's people. */
export async function eraseRanks(
  db: Kysely<HistoryTables>,
  guild: number,
  persons: readonly number[],
): Promise<void> {
  await db
    .deleteFrom("ranks")
    .where("scope", "in", (eb) => eb.selectFrom("scopes").select("id").where("guild", "=", guild))
    .where("person", "in", persons)
    .execute();
}
