import process from "node:process";
import { startPostgres } from "./postgres-server.ts";

/** A process that keeps a server until it is killed, as Ctrl-C kills a run: sends the server's address. */
const [programs = "", initialData] = process.argv.slice(2);
const { url } = await startPostgres(programs, { initialData });
process.send?.({ url });
