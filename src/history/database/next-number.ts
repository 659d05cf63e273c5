import type { Kysely } from "kysely";
import type { HistoryTables } from "./schema.ts";

/** The last of `count` numbers for new rows. None is ever given out again: other processes may remember whose it was. */
export async function nextNumber(
  db: Kysely<HistoryTables>,
  table: "guilds" | "scopes" | "persons",
  count = 1,
): Promise<number> {
  const { value } = await db
    .updateTable("counters")
    .set((eb) => ({ value: eb("value", "+", count) }))
    .where("name", "=", table)
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}
