import type { Migration } from "kysely/migration";
import { createTable, type Table } from "./0001-rows.ts";

const DUTY: Table = {
  columns: {
    guild_id: ["text"],
    kind: ["text"],
    id: ["text"],
    user_id: ["text"],
    player_id: ["bigint"],
    from_s: ["bigint"],
    until_s: ["bigint"],
    body: ["text"],
  },
  key: ["guild_id", "kind", "id"],
  indexes: {
    duty_by_end: ["guild_id", "kind", "until_s"],
    duty_by_user: ["guild_id", "user_id", "kind", "until_s"],
    duty_by_player: ["guild_id", "player_id"],
    duty_by_kind: ["kind", "guild_id"],
  },
};

/** Duty: shifts and what they are made of. They stay when rows go. */
export function duty(kind: "sqlite" | "postgres"): Migration {
  return { up: (db) => createTable(db, kind, "duty", DUTY) };
}
