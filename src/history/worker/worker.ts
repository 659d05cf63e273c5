import { constants, getPriority, setPriority } from "node:os";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { explainDatabaseError } from "../database/database-errors.ts";
import type { HistoryDatabase } from "../database/open-database.ts";
import { openDatabase } from "../database/open-database.ts";
import { openContext, type QueryContext } from "../queries/context.ts";
import { namedQueries } from "../queries/named-queries.ts";
import type { Call, FromWorker, WorkerOptions } from "./protocol.ts";

/**
 * The thread that has the database. Queries of sqlite are synchronous: here they hold up nothing but each other. A call
 * that cannot be answered is refused at once, never kept, because what is to be recorded waits on the other side.
 */

const OPEN_AGAIN_MS = 5_000;

interface Opened {
  readonly database: HistoryDatabase;
  readonly context: QueryContext;
}

async function serve(port: MessagePort, options: WorkerOptions): Promise<void> {
  const send = (message: FromWorker) => port.postMessage(message);
  let opened: Opened | undefined;
  let trouble = "it is being opened";
  let isClosing = false;

  async function open(): Promise<void> {
    try {
      const database = await openDatabase(options.url);
      opened = { database, context: await openContext(database, options.markKey) };
      send({ kind: "ready" });
    } catch (error) {
      trouble = explainDatabaseError(error, options.url);
      send({ kind: "trouble", message: trouble });
      if (!isClosing) setTimeout(() => void open(), OPEN_AGAIN_MS).unref();
    }
  }

  async function answer({ id, name, args }: Call): Promise<FromWorker> {
    if (opened === undefined) return { kind: "failed", id, message: trouble, isDefect: false };
    const query = (namedQueries as Readonly<Record<string, unknown>>)[name];
    if (typeof query !== "function") {
      return { kind: "failed", id, message: `there is no query ${name}`, isDefect: true };
    }
    try {
      return { kind: "answer", id, value: await query(opened.context, args) };
    } catch (error) {
      return { kind: "failed", id, ...describe(error, options.url) };
    }
  }

  port.on("message", (call: Call | "close") => {
    if (call === "close") {
      isClosing = true;
      const closed = opened?.database.close() ?? Promise.resolve();
      opened = undefined;
      trouble = "the bot is stopping";
      void closed.finally(() => port.close());
      return;
    }
    void answer(call).then(send);
  });
  await open();
}

function describe(error: unknown, url: string): { readonly message: string; readonly isDefect: boolean } {
  const message = explainDatabaseError(error, url);
  const isDefect =
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return { message: isDefect && error.stack !== undefined ? error.stack : message, isDefect };
}

/**
 * On Linux the priority of "0" is this thread's alone: on a machine whose cores are all busy, first answers and posts
 * go before what is only recorded. Elsewhere it would be the whole process's, so it stays as it is.
 */
function yieldToMainThread(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL;
  // A process that was started at a lower priority keeps it: raising it is not allowed.
  if (process.platform === "linux" && getPriority(0) < wanted) setPriority(0, wanted);
}

if (parentPort !== null) {
  yieldToMainThread();
  await serve(parentPort, workerData as WorkerOptions);
}
