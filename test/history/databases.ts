import { after, before, describe } from "node:test";
import { PostgresDatabases } from "../support/postgres-databases.ts";
import {
  type PostgresPlace,
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from "../support/postgres-server.ts";
import { suitePostgres } from "../support/suite-postgres.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { copySqlite, type Databases, track } from "./tracked-databases.ts";

/** Of a process that stands alone. */
let own: PostgresServer | undefined;
let place: Promise<PostgresPlace> | undefined;

after(() => own?.stop());

/** The suite's server, or one for all suites of this process where it stands alone. */
async function findPostgres(programs: string): Promise<PostgresPlace> {
  const shared = await suitePostgres();
  if (shared !== undefined) return shared;
  own = await startPostgres(programs);
  return own;
}

/** Runs the same suite on sqlite and on a real PostgreSQL; says so where this machine has none. */
export function onBothDatabases(title: string, suite: (databases: Databases) => void): void {
  describe(`${title} (sqlite)`, () => {
    let folder: TempFolder | undefined;
    let made = 0;
    before(() => {
      folder = tempFolder();
    });
    const empty = async () => `sqlite:${folder?.path}/history${++made}.sqlite`;
    const copy = (url: string) => copySqlite(url, empty);
    const databases = track("sqlite", { empty, copy });
    suite(databases);
    after(async () => {
      await databases.close();
      folder?.remove();
    });
  });

  const programs = postgresPrograms();
  const skip = programs === undefined ? "this machine has no PostgreSQL" : false;
  describe(`${title} (PostgreSQL)`, { skip }, () => {
    let made: PostgresDatabases | undefined;
    const make = async (likeUrl?: string) => {
      place ??= findPostgres(programs ?? "");
      made ??= new PostgresDatabases((await place).url);
      return made.fresh(likeUrl);
    };
    const databases = track("postgres", { empty: make, copy: make });
    suite(databases);
    after(async () => {
      await databases.close();
      await made?.close();
    });
  });
}
