import { copyFileSync } from "node:fs";
import type { DatabaseKind } from "../../src/history/database/migrations/migrations.ts";
import { type HistoryDatabase, openDatabase } from "../../src/history/database/open-database.ts";

export interface Databases {
  readonly kind: DatabaseKind;
  /** The address of a fresh, empty database. */
  empty(): Promise<string>;
  /** The address of a fresh one as a first start leaves it: with its tables, and nothing in them. */
  fresh(): Promise<string>;
  /** The same, opened; closed when its suite ends. */
  open(url?: string): Promise<HistoryDatabase>;
  /** Done before they are closed: what still works on one has to end first. */
  beforeClose(work: () => Promise<void>): void;
}

/** How databases of a kind are made: `copy` makes one like that at the address. */
export interface Maker {
  empty(): Promise<string>;
  copy(url: string): Promise<string>;
}

/** One like a closed one, in a file that `empty` names. */
export async function copySqlite(url: string, empty: () => Promise<string>): Promise<string> {
  const copy = await empty();
  copyFileSync(pathOf(url), pathOf(copy));
  return copy;
}

function pathOf(url: string): string {
  return url.replace(/^sqlite:/, "");
}

/** Databases that are closed together. To copy one that has its tables costs a twentieth of making them. */
export function track(kind: DatabaseKind, { empty, copy }: Maker): Databases & { close(): Promise<void> } {
  const opened: HistoryDatabase[] = [];
  const works: (() => Promise<void>)[] = [];
  let withTables: Promise<string> | undefined;
  const makeTables = async () => {
    const url = await empty();
    await (await openDatabase(url, { connectWithinMs: 300_000 })).close();
    return url;
  };
  const fresh = async () => {
    withTables ??= makeTables();
    return await copy(await withTables);
  };
  return {
    kind,
    empty,
    fresh,
    async open(url) {
      // A busy machine is no fault: what a database that is away does has tests of its own.
      const database = await openDatabase(url ?? (await fresh()), { connectWithinMs: 300_000 });
      opened.push(database);
      return database;
    },
    beforeClose: (work) => void works.push(work),
    async close() {
      for (const work of works.splice(0)) await work();
      for (const database of opened.splice(0)) await database.close();
    },
  };
}
