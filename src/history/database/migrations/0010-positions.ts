import type { Migration } from "kysely/migration";
import { createTable, type Table } from "./0001-rows.ts";

/** Where people were, a row a minute and server; what a case keeps of it and of the rows around it. */
export function positions(kind: "sqlite" | "postgres"): Migration {
  const bytes = kind === "sqlite" ? "blob" : "bytea";
  const tables: Readonly<Record<string, Table>> = {
    positions: {
      columns: { scope: ["integer"], at_s: ["bigint"], people: ["text"], body: [bytes] },
      key: ["scope", "at_s"],
    },
    case_evidence: {
      columns: {
        guild_id: ["text"],
        number: ["integer"],
        binding_id: ["text"],
        at_s: ["bigint"],
        is_open: ["smallint"],
        people: ["text"],
        body: [bytes, "optional"],
      },
      key: ["guild_id", "number"],
      indexes: { case_evidence_open: ["is_open", "at_s"] },
    },
  };
  return {
    async up(db) {
      await db.schema
        .alterTable("guilds")
        .addColumn("positions_days", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      for (const [name, table] of Object.entries(tables)) await createTable(db, kind, name, table);
    },
  };
}
