import { PostgresDialect } from "kysely";
import pg from "pg";

const MOST_CONNECTIONS = 4;
const STATEMENT_WITHIN_MS = 30_000;
const INT8 = 20;
const NUMERIC = 1_700;

/** Up to four connections, which are opened as they are needed and again after a loss. */
export function connectPostgres(connectionString: string, connectWithinMs: number): PostgresDialect {
  // Sums and 64-bit columns arrive as texts by default; none of ours is beyond 2^53.
  const getTypeParser = ((oid: number, format?: "text" | "binary") =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
  const pool = new pg.Pool({
    connectionString,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: connectWithinMs,
    statement_timeout: STATEMENT_WITHIN_MS,
    types: { getTypeParser },
  });
  // The loss of an idle connection; the next query opens another or fails with the reason.
  pool.on("error", () => undefined);
  // Of one that is at work its statement tells; the event would end the thread, with whatever else is asked there.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return new PostgresDialect({ pool });
}
