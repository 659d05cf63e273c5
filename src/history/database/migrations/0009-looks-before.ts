import type { Migration } from "kysely/migration";

/** The look before the last one: who asks while a look is being stored learns when nobody had looked until then. */
export function looksBefore(): Migration {
  return {
    async up(db) {
      await db.schema.alterTable("scopes").addColumn("looked_before_s", "bigint").execute();
    },
  };
}
