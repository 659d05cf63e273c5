import type { Migration } from "kysely/migration";

/** Two indexes that only the erasing of a person used: each row of an answer paid for them. */
export function fewerIndexes(): Migration {
  return {
    async up(db) {
      for (const name of ["command_targets_by_person", "ranks_by_person"]) {
        await db.schema.dropIndex(name).execute();
      }
    },
  };
}
