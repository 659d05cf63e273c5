import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";

/** Texts of statements that are kept prepared; the history has some dozens, and a few of each length of a list. */
const MOST_PREPARED = 400;

/** Sqlite takes back changes of tables like any other; Kysely does not rely on it unless it is told so. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A change of the tables that breaks off, on a full disk or by a kill, leaves nothing behind. */
export class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter();
  }
}

/** `node:sqlite` in the form that Kysely takes. Statements are prepared once for each text. */
export function kyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      const known = prepared.get(text);
      if (known !== undefined) {
        // Behind all others, so that what was not used for longest goes first.
        prepared.delete(text);
        prepared.set(text, known);
        return known;
      }
      // A transaction that begins with a read and writes later fails where another process wrote in between.
      const plain = kyselyStatement(database.prepare(text === "begin" ? "begin immediate" : text));
      const statement = text === "rollback" ? rollbackOf(database, plain) : plain;
      const oldest = prepared.size >= MOST_PREPARED ? prepared.keys().next().value : undefined;
      if (oldest !== undefined) prepared.delete(oldest);
      prepared.set(text, statement);
      return statement;
    },
  };
}

/** On a full disk sqlite has taken the transaction back itself; an error here would stand in the place of that one. */
function rollbackOf(database: DatabaseSync, statement: SqliteStatement): SqliteStatement {
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters) => (database.isTransaction ? statement.run(parameters) : nothing),
  };
}

function kyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
