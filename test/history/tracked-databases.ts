import type { DatabaseKind } from "../../src/history/database/migrations/migrations.ts";
import { type HistoryDatabase, openDatabase } from "../../src/history/database/open-database.ts";

export interface Databases {
  readonly kind: DatabaseKind;
  /** The address of a fresh, empty database. */
  fresh(): Promise<string>;
  /** The same, opened; closed when its suite ends. */
  open(url?: string): Promise<HistoryDatabase>;
  /** Done before they are closed: what still works on one has to end first. */
  beforeClose(work: () => Promise<void>): void;
}

/** Databases that are closed together. */
export function track(
  kind: DatabaseKind,
  fresh: () => Promise<string>,
): Databases & { close(): Promise<void> } {
  const opened: HistoryDatabase[] = [];
  const works: (() => Promise<void>)[] = [];
  return {
    kind,
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
