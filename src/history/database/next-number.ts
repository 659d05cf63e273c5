import type { Kysely } from "kysely";
import type { HistoryTables } from "./schema.ts";

/** A number for a new row. It is never given out again: other processes may remember whose it was. */
export async function nextNumber(
  db: Kysely<HistoryTables>,
  table: "guilds" | "scopes" | "persons",
): Promise<number> {
  const { value } = await db
    .updateTable("counters")
    .set((eb) => ({ value: eb("value", "+", 1) }))
    .where("name", "=", table)
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}
