import { type Kysely, sql } from "kysely";
import type { HistoryTables } from "./schema.ts";

/** The number of a new row. None is ever given out again: other processes may remember whose it was. */
export async function nextNumber(db: Kysely<HistoryTables>, table: "guilds" | "scopes"): Promise<number> {
  const { value } = await db
    .updateTable("counters")
    .set((eb) => ({ value: eb("value", "+", 1) }))
    .where("name", "=", table)
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}

/** A guild's people get their numbers in blocks of this size. */
const BLOCK = 256;

/**
 * Numbers for new people of a guild, lowest first. They come in blocks, so that a guild's people are neighbours in every
 * index, and what one answer writes lies on few pages.
 */
export async function nextPersons(
  db: Kysely<HistoryTables>,
  guild: number,
  count: number,
): Promise<readonly number[]> {
  const name = `persons ${guild}`;
  // The guild's row is held until the end, so that of two processes one waits here for the other.
  let { value: last } = await db
    .insertInto("counters")
    .values({ name, value: 0 })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("counters.value") })),
    )
    .returning("value")
    .executeTakeFirstOrThrow();
  const numbers: number[] = [];
  while (numbers.length < count) {
    const isUsedUp = last === 0 || (last + 1) % BLOCK === 0;
    last = isUsedUp ? await firstOfNextBlock(db) : last + 1;
    numbers.push(last);
  }
  await db.updateTable("counters").set({ value: last }).where("name", "=", name).execute();
  return numbers;
}

/** Numbers that were given out before there were blocks lie before it. */
async function firstOfNextBlock(db: Kysely<HistoryTables>): Promise<number> {
  const { value } = await db
    .updateTable("counters")
    .set({ value: sql<number>`(value / ${sql.lit(BLOCK)} + 2) * ${sql.lit(BLOCK)} - 1` })
    .where("name", "=", "persons")
    .returning("value")
    .executeTakeFirstOrThrow();
  return value - BLOCK + 1;
}
