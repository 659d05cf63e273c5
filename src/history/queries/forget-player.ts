import type { Kysely, Transaction } from "kysely";
import type { Forgotten } from "../../domain/history.ts";
import { chunks } from "../database/chunks.ts";
import type { HistoryTables } from "../database/schema.ts";
import { blanked } from "../ingest/store-logs.ts";
import { closeEvidence, forgetInEvidence } from "../positions/case-evidence.ts";
import { forgetPositions } from "../positions/store-positions.ts";
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
 * a whole, but commands of others stay, blanked. undefined: nothing was kept.
 */
export async function forget(
  context: QueryContext,
  { guildId, playerId, nowS }: ForgetArgs,
): Promise<Forgotten | undefined> {
  return context.writing.take("all", async () => {
    const found = await personOf(context, guildId, playerId);
    const [player] = found === undefined ? [] : await known(context, [found.person]);
    if (found === undefined) return undefined;
    const { guild, person } = found;
    const name = player?.name ?? String(playerId);
    const untilS = Math.max(nowS, player?.lastSeenS ?? 0);
    await closeEvidence(context, { guildId, nowS: untilS });
    const erased = await context.db.transaction().execute(async (db) => {
      await raiseBarrier(db, { guild, mark: context.markOf(guildId, playerId), until_s: untilS });
      const scopes = await db.selectFrom("scopes").select("id").where("guild", "=", guild).execute();
      const seen = { person, fromS: 0, toS: Number.MAX_SAFE_INTEGER };
      await forgetPositions(
        db,
        scopes.map(({ id }) => id),
        seen,
      );
      await forgetInEvidence(db, guildId, { player: { id: playerId, name } });
      const counts = await erase(db, guild, person);
      // Shifts are a member's, and stay with the sums that others rely on; what names the player goes.
      await db.deleteFrom("duty").where("guild_id", "=", guildId).where("player_id", "=", playerId).execute();
      await raiseVersion(db, guild);
      return counts;
    });
    context.ingest.forget();
    return { player: { name, id: playerId }, ...erased, untilS };
  });
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

async function erase(
  db: Transaction<HistoryTables>,
  guild: number,
  person: number,
): Promise<Omit<Forgotten, "player" | "untilS">> {
  const blankedCommands = await blankCommandsAt(db, person);
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
    blankedCommands,
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

async function blankCommandsAt(db: Transaction<HistoryTables>, person: number): Promise<number> {
  const aimed = await db
    .selectFrom("command_targets")
    .selectAll()
    .where("target", "=", person)
    .where("person", "!=", person)
    .execute();
  let count = 0;
  for (const { scope, at_s, person: author, hash, n } of aimed) {
    const row = db
      .selectFrom("commands")
      .select("text")
      .where("scope", "=", scope)
      .where("at_s", "=", at_s)
      .where("person", "=", author)
      .where("hash", "=", hash)
      .where("n", "=", n);
    const command = await row.executeTakeFirst();
    if (command === undefined) continue;
    await db
      .updateTable("commands")
      .set({ text: blanked(command.text) })
      .where("scope", "=", scope)
      .where("at_s", "=", at_s)
      .where("person", "=", author)
      .where("hash", "=", hash)
      .where("n", "=", n)
      .execute();
    count += 1;
  }
  return count;
}
