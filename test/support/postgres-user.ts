import process from "node:process";
import { PostgresDatabases } from "./postgres-databases.ts";
import { suitePostgres } from "./suite-postgres.ts";

/** A process of the suite of one file: makes a database on the suite's server and sends its address. */
const { url = "" } = (await suitePostgres()) ?? {};
const databases = new PostgresDatabases(url);
process.send?.({ made: await databases.fresh() });
await databases.close();
