import type { Migration } from "kysely/migration";

/** When somebody looked at a server last: an end that nobody saw was after it, also where the bot was off meanwhile. */
export function lastLooks(): Migration {
  return {
    async up(db) {
      await db.schema.alterTable("scopes").addColumn("looked_s", "bigint").execute();
    },
  };
}
