import { Socket } from "node:net";
import { PostgresDialect } from "kysely";
import pg from "pg";

const MOST_CONNECTIONS = 4;
const STATEMENT_WITHIN_MS = 30_000;
/** The server ends a statement before this by itself; idle connections are closed long before. */
const ANSWER_WITHIN_MS = STATEMENT_WITHIN_MS + 10_000;
/** Nothing here waits for so long between two statements of a transaction. */
const PAUSE_WITHIN_MS = 10_000;
const INT8 = 20;
const NUMERIC = 1_700;

export interface PostgresWaits {
  /** How long a query waits for a connection. */
  readonly connectWithinMs: number;
  /** How long nothing may come on a connection that is at work. @default 40_000 */
  readonly answerWithinMs?: number | undefined;
  /** How long a transaction that is begun may ask nothing. @default 10_000 */
  readonly pauseWithinMs?: number | undefined;
}

/** Up to four connections, which are opened as they are needed and again after a loss. */
export function connectPostgres(
  connectionString: string,
  { connectWithinMs, answerWithinMs = ANSWER_WITHIN_MS, pauseWithinMs = PAUSE_WITHIN_MS }: PostgresWaits,
): PostgresDialect {
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
    // A process that froze, or whose machine is gone, holds its rows until then: the next one has to write them.
    idle_in_transaction_session_timeout: pauseWithinMs,
    stream: () => socketThatEnds(answerWithinMs),
    types: { getTypeParser },
  });
  // The loss of an idle connection; the next query opens another or fails with the reason.
  pool.on("error", () => undefined);
  // Of one that is at work its statement tells; the event would end the thread, with whatever else is asked there.
  pool.on("connect", (client) => void client.on("error", () => endRollbacks(client)));
  return new PostgresDialect({ pool });
}

/** With its connection the transaction is gone; an error here would stand in the place of the one that says what was lost. */
function endRollbacks(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
  const nothing = { command: "ROLLBACK", rowCount: 0, rows: [] };
  Object.assign(client, {
    query: (...args: readonly unknown[]) =>
      args[0] === "rollback" ? Promise.resolve(nothing) : query(...args),
  });
}

/** The machine of the database may be gone without a word: its connections would be waited on for ever, all four of them. */
function socketThatEnds(silentMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silentMs, () => socket.destroy(new Error("the database does not answer")));
}
