import type { Migration } from "kysely/migration";
import { createTable, type Table } from "./0001-rows.ts";

const TABLES: Readonly<Record<string, Table>> = {
  departures: { columns: { guild_id: ["text"], at_ms: ["bigint"] }, key: ["guild_id"] },
  erased_cases: { columns: { guild_id: ["text"], hash: ["bigint"] }, key: ["guild_id", "hash"] },
};

/** When guilds with cases unlinked their last server, and which cases were erased: the log may show them still. */
export function ends(kind: "sqlite" | "postgres"): Migration {
  return {
    async up(db) {
      for (const [name, table] of Object.entries(TABLES)) await createTable(db, kind, name, table);
    },
  };
}
