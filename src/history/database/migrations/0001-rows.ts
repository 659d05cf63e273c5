import { type ColumnDataType, type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

type Columns = Readonly<Record<string, readonly [type: ColumnDataType, optional?: "optional"]>>;

export interface Table {
  readonly columns: Columns;
  readonly key: readonly string[];
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  /** Its rows are large: on sqlite each may fill a page, and its key is an index beside it. */
  readonly hasRowids?: true;
}

const small = ["integer"] as const;
const large = ["bigint"] as const;
const text = ["text"] as const;
const row = { scope: small, at_s: large } as const;

/** An index of a log's rows by a person names the time too, so that the newest are found without sorting. */
const TABLES: Readonly<Record<string, Table>> = {
  guilds: {
    columns: { id: small, guild_id: text, retention_days: small, version: small },
    key: ["id"],
    unique: [["guild_id"]],
  },
  scopes: {
    columns: {
      id: small,
      guild: small,
      binding_id: text,
      start_s: ["bigint", "optional"],
      ended_ms: ["bigint", "optional"],
    },
    key: ["id"],
    unique: [["guild", "binding_id"]],
  },
  persons: {
    columns: { id: small, guild: small, player_id: large, bare_name: text, first_s: large, last_s: large },
    key: ["id"],
    unique: [["guild", "player_id", "bare_name"]],
    indexes: { persons_by_last_s: ["guild", "last_s"] },
  },
  names: {
    columns: { guild: small, person: small, name: text, name_key: text, first_s: large, last_s: large },
    key: ["person", "name"],
    indexes: { names_by_key: ["guild", "name_key"] },
  },
  visits: {
    columns: { ...row, person: small, kind: ["smallint"], n: ["smallint"], after_s: ["bigint", "optional"] },
    key: ["scope", "at_s", "person", "kind", "n"],
    indexes: { visits_by_person: ["person", "at_s"] },
  },
  kills: {
    columns: { ...row, killer: small, killed: small, n: ["smallint"] },
    key: ["scope", "at_s", "killer", "killed", "n"],
    indexes: { kills_by_killer: ["killer", "at_s"], kills_by_killed: ["killed", "at_s"] },
  },
  commands: {
    columns: { ...row, person: small, hash: large, n: ["smallint"], text },
    key: ["scope", "at_s", "person", "hash", "n"],
    indexes: { commands_by_person: ["person", "at_s"] },
  },
  command_targets: {
    columns: { ...row, person: small, hash: large, n: ["smallint"], target: small },
    key: ["scope", "at_s", "person", "hash", "n", "target"],
    indexes: {
      command_targets_by_target: ["target", "at_s"],
      command_targets_by_person: ["person"],
    },
  },
  mod_calls: {
    columns: { ...row, caller: small, n: ["smallint"], moderator: ["integer", "optional"] },
    key: ["scope", "at_s", "caller", "n"],
    indexes: { mod_calls_by_caller: ["caller", "at_s"], mod_calls_by_moderator: ["moderator", "at_s"] },
  },
  emergency_calls: {
    columns: {
      ...row,
      number: large,
      team: text,
      caller: ["integer", "optional"],
      description: ["text", "optional"],
      place: ["text", "optional"],
    },
    key: ["scope", "at_s", "number"],
    indexes: { emergency_calls_by_caller: ["caller", "at_s"] },
  },
  ranks: {
    columns: { scope: small, person: small, at_s: large, permission: text },
    key: ["scope", "person", "at_s"],
    indexes: { ranks_by_person: ["person", "at_s"] },
  },
  rosters: { columns: { ...row, persons: text }, key: ["scope", "at_s"] },
  counts: {
    columns: {
      ...row,
      players: small,
      staff: ["integer", "optional"],
      queue: ["integer", "optional"],
    },
    key: ["scope", "at_s"],
  },
  gaps: {
    columns: { scope: small, log: text, from_s: large, to_s: large },
    key: ["scope", "log", "from_s", "to_s"],
  },
  barriers: { columns: { guild: small, mark: text, until_s: large }, key: ["guild", "mark"] },
  counters: { columns: { name: text, value: large }, key: ["name"] },
  facts: { columns: { name: text, value: text }, key: ["name"] },
};

/** The logs of game servers and whom they name. Without rowids on sqlite each row is stored once, in its key. */
export function rows(kind: "sqlite" | "postgres"): Migration {
  return {
    async up(db) {
      for (const [name, table] of Object.entries(TABLES)) await createTable(db, kind, name, table);
      await sql`insert into counters (name, value) values ('guilds', 0), ('scopes', 0), ('persons', 0)`.execute(
        db,
      );
    },
  };
}

/** The same table on both databases, but for the rowid. */
export async function createTable(
  db: Kysely<unknown>,
  kind: "sqlite" | "postgres",
  name: string,
  { columns, key, unique = [], indexes = {}, hasRowids }: Table,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, [type, optional]] of Object.entries(columns)) {
    // Texts are compared byte by byte on both, so that an index serves a search by the beginning of a name.
    const own = type === "text" && kind === "postgres" ? sql`text collate "C"` : type;
    table = table.addColumn(column, own, (built) => (optional === undefined ? built.notNull() : built));
  }
  table = table.addPrimaryKeyConstraint(`${name}_key`, [...key]);
  for (const its of unique) table = table.addUniqueConstraint(`${name}_by_${its.join("_")}`, [...its]);
  const isByKey = kind === "sqlite" && hasRowids !== true;
  await (isByKey ? table.modifyEnd(sql`without rowid`) : table).execute();
  for (const [index, its] of Object.entries(indexes)) {
    await db.schema
      .createIndex(index)
      .on(name)
      .columns([...its])
      .execute();
  }
}
