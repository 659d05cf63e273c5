import process from "node:process";
import { after, before, describe } from "node:test";
import { type HistoryDatabase, openDatabase } from "../../src/history/database/open-database.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";

export interface Databases {
  /** The address of a fresh, empty database. */
  fresh(): string;
  /** The same, opened; closed when its suite ends. */
  open(url?: string): Promise<HistoryDatabase>;
}

let server: PostgresServer | undefined;

/** One server for all suites of this process. */
function postgres(programs: string): PostgresServer {
  if (server === undefined) {
    const started = startPostgres(programs);
    server = started;
    process.once("exit", () => started.stop());
  }
  return server;
}

/** Runs the same suite on sqlite and on a real PostgreSQL; says so where this machine has none. */
export function onBothDatabases(title: string, suite: (databases: Databases) => void): void {
  describe(`${title} (sqlite)`, () => {
    let folder: TempFolder | undefined;
    let made = 0;
    before(() => {
      folder = tempFolder();
    });
    const databases = track(() => `sqlite:${folder?.path}/history${++made}.sqlite`);
    suite(databases);
    after(async () => {
      await databases.close();
      folder?.remove();
    });
  });

  const programs = postgresPrograms();
  const skip = programs === undefined ? "this machine has no PostgreSQL" : false;
  describe(`${title} (PostgreSQL)`, { skip }, () => {
    const databases = track(() => postgres(programs ?? "").fresh());
    suite(databases);
    after(() => databases.close());
  });
}

function track(fresh: () => string): Databases & { close(): Promise<void> } {
  const opened: HistoryDatabase[] = [];
  return {
    fresh,
    async open(url = fresh()) {
      const database = await openDatabase(url);
      opened.push(database);
      return database;
    },
    async close() {
      for (const database of opened.splice(0)) await database.close();
    },
  };
}
