import { RowInsert } from "../database/row-insert.ts";
import type {
  CommandTable,
  CommandTargetTable,
  KillTable,
  ModCallTable,
  NameTable,
  PersonTable,
  VisitTable,
} from "../database/schema.ts";

/** The inserts of what answers bring many of. Of rows of logs, each answers which were absent. */
export type Inserts = ReturnType<typeof createInserts>;

/** For one database. */
export function createInserts() {
  return {
    visits: new RowInsert<VisitTable, Pick<VisitTable, "person" | "at_s" | "kind">>(
      ["scope", "at_s", "person", "kind", "n", "after_s"],
      (db, rows) =>
        db
          .insertInto("visits")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning(["person", "at_s", "kind"]),
    ),
    kills: new RowInsert<KillTable, Pick<KillTable, "at_s">>(
      ["scope", "at_s", "killer", "killed", "n"],
      (db, rows) =>
        db
          .insertInto("kills")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning("at_s"),
    ),
    commands: new RowInsert<CommandTable, Omit<CommandTable, "scope">>(
      ["scope", "at_s", "person", "hash", "n", "text"],
      (db, rows) =>
        db
          .insertInto("commands")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning(["person", "at_s", "text", "hash", "n"]),
    ),
    targets: new RowInsert<CommandTargetTable>(
      ["scope", "at_s", "person", "hash", "n", "target"],
      (db, rows) =>
        db
          .insertInto("command_targets")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .$castTo<never>(),
    ),
    modCalls: new RowInsert<ModCallTable, Pick<ModCallTable, "at_s" | "caller" | "n">>(
      ["scope", "at_s", "caller", "n", "moderator", "answered_s", "open_s"],
      (db, rows) =>
        db
          .insertInto("mod_calls")
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning(["at_s", "caller", "n"]),
    ),
    /** Of persons who are known already, only when they were seen changes: never first seen later than it says. */
    persons: new RowInsert<PersonTable>(
      ["id", "guild", "player_id", "bare_name", "first_s", "last_s"],
      (db, rows) =>
        db
          .insertInto("persons")
          .values(rows)
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet((eb) => ({
              first_s: eb
                .case()
                .when("persons.first_s", "<", eb.ref("excluded.first_s"))
                .then(eb.ref("persons.first_s"))
                .else(eb.ref("excluded.first_s"))
                .end(),
              last_s: eb.ref("excluded.last_s"),
            })),
          )
          .$castTo<never>(),
    ),
    /** A name that is known already was seen earlier, or later, or neither. */
    names: new RowInsert<NameTable>(
      ["guild", "person", "name", "name_key", "first_s", "last_s"],
      (db, rows) =>
        db
          .insertInto("names")
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(["person", "name"]).doUpdateSet((eb) => ({
              first_s: eb
                .case()
                .when("names.first_s", "<", eb.ref("excluded.first_s"))
                .then(eb.ref("names.first_s"))
                .else(eb.ref("excluded.first_s"))
                .end(),
              last_s: eb
                .case()
                .when("names.last_s", ">", eb.ref("excluded.last_s"))
                .then(eb.ref("names.last_s"))
                .else(eb.ref("excluded.last_s"))
                .end(),
            })),
          )
          .$castTo<never>(),
    ),
  };
}
