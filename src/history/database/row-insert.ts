import type { CompiledQuery, Kysely } from "kysely";
import { chunks } from "./chunks.ts";
import type { HistoryTables } from "./schema.ts";

type Db = Kysely<HistoryTables>;

/** An insert statement of some rows, made by Kysely. */
interface Compilable<Returned> {
  compile(): CompiledQuery<Returned>;
}

/**
 * Inserts rows of one shape. The statement is made once for each number of rows: putting it together anew takes longer
 * than the database takes to run it. Belongs to one database, because the two speak differently.
 */
export class RowInsert<Row extends object, Returned = never> {
  readonly #columns: readonly (keyof Row & string)[];
  readonly #statement: (db: Db, rows: readonly Row[]) => Compilable<Returned>;
  readonly #compiled = new Map<number, CompiledQuery<Returned>>();

  /** `columns` are all those of a row; what `statement` makes has no values but those of the rows. */
  constructor(
    columns: readonly (keyof Row & string)[],
    statement: (db: Db, rows: readonly Row[]) => Compilable<Returned>,
  ) {
    this.#columns = columns;
    this.#statement = statement;
  }

  /** Answers what the statement returns, of all rows. Rejects with the database's own error. */
  async run(db: Db, rows: readonly Row[]): Promise<readonly Returned[]> {
    const answers: Returned[] = [];
    for (const some of chunks(rows)) {
      const compiled = this.#compiled.get(some.length) ?? this.#compile(db, some);
      const parameters = some.flatMap((row) => this.#columns.map((column) => row[column]));
      const { rows: returned } = await db.executeQuery<Returned>({ ...compiled, parameters });
      answers.push(...returned);
    }
    return answers;
  }

  #compile(db: Db, rows: readonly Row[]): CompiledQuery<Returned> {
    // The columns of a statement stand in the order of the row's own fields.
    const ordered = rows.map((row) =>
      Object.fromEntries(this.#columns.map((column) => [column, row[column]])),
    );
    const compiled = this.#statement(db, ordered as Row[]).compile();
    if (compiled.parameters.length !== rows.length * this.#columns.length) {
      throw new TypeError(`an insert has ${compiled.parameters.length} values for ${rows.length} rows`);
    }
    this.#compiled.set(rows.length, compiled);
    return compiled;
  }
}
