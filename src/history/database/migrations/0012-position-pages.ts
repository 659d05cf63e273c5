import { sql } from "kysely";
import type { Migration } from "kysely/migration";
import { createTable } from "./0001-rows.ts";

/**
 * A minute of a busy server takes more than the thousand bytes that sqlite keeps in a page of a table without rowids: each
 * took a page of its own beside it, 6.4 MB a day instead of 2. With rowids a row may fill a page.
 */
export function positionPages(kind: "sqlite" | "postgres"): Migration {
  return {
    async up(db) {
      if (kind === "postgres") return;
      await db.schema.alterTable("positions").renameTo("positions_before").execute();
      await createTable(db, kind, "positions", {
        columns: { scope: ["integer"], at_s: ["bigint"], people: ["text"], body: ["blob"] },
        key: ["scope", "at_s"],
        hasRowids: true,
      });
      await sql`insert into positions select scope, at_s, people, body from positions_before`.execute(db);
      await db.schema.dropTable("positions_before").execute();
    },
  };
}
