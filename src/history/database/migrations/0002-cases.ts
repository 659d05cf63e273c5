import type { Migration } from "kysely/migration";
import { createTable, type Table } from "./0001-rows.ts";

const TABLES: Readonly<Record<string, Table>> = {
  cases: {
    columns: {
      guild_id: ["text"],
      number: ["integer"],
      kind: ["text"],
      at_ms: ["bigint"],
      origin: ["text", "optional"],
      author_user: ["text", "optional"],
      author_player: ["bigint", "optional"],
      is_revoked: ["smallint"],
      is_open: ["smallint"],
      body: ["text"],
    },
    key: ["guild_id", "number"],
    unique: [["guild_id", "origin"]],
    indexes: {
      cases_by_user: ["guild_id", "author_user", "number"],
      cases_by_author: ["guild_id", "author_player", "number"],
      cases_by_kind: ["guild_id", "kind", "number"],
      cases_open: ["is_open", "at_ms"],
    },
  },
  case_targets: {
    columns: { guild_id: ["text"], player_id: ["bigint"], name_key: ["text"], number: ["integer"] },
    key: ["guild_id", "player_id", "name_key", "number"],
    indexes: {
      case_targets_by_name: ["guild_id", "name_key", "number"],
      case_targets_by_number: ["guild_id", "number"],
    },
  },
  watches: {
    columns: { guild_id: ["text"], player_id: ["bigint"], body: ["text"] },
    key: ["guild_id", "player_id"],
  },
};

/** Cases and the watchlist: they stay when rows go. */
export function cases(kind: "sqlite" | "postgres"): Migration {
  return {
    async up(db) {
      for (const [name, table] of Object.entries(TABLES)) await createTable(db, kind, name, table);
    },
  };
}
