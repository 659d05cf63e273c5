import type { Migration } from "kysely/migration";

/** Between which two looks a moderator call was answered: the service tells who answered, never when. */
export function answerTimes(): Migration {
  return {
    async up(db) {
      for (const column of ["answered_s", "open_s"]) {
        await db.schema.alterTable("mod_calls").addColumn(column, "bigint").execute();
      }
    },
  };
}
