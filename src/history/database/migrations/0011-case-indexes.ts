import type { Migration } from "kysely/migration";

/** A case has its author as a member or as a player: each index holds those that it can find, and each case pays for one. */
const AUTHORS = { cases_by_user: "author_user", cases_by_author: "author_player" } as const;

/** Whom a case names stands in the case: the index of targets by its number only served the erasing. */
export function caseIndexes(): Migration {
  return {
    async up(db) {
      await db.schema.dropIndex("case_targets_by_number").ifExists().execute();
      for (const [name, column] of Object.entries(AUTHORS)) {
        await db.schema.dropIndex(name).ifExists().execute();
        const index = db.schema.createIndex(name).on("cases").columns(["guild_id", column, "number"]);
        await index.where(column, "is not", null).execute();
      }
    },
  };
}
