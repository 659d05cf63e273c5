import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { explainDatabaseError } from "../database/database-errors.ts";
import type { HistoryDatabase } from "../database/open-database.ts";
import { openDatabase } from "../database/open-database.ts";
import { type AddArgs, addAll } from "../queries/add-cases.ts";
import { openContext, type QueryContext } from "../queries/context.ts";
import { namedQueries, type QueryName } from "../queries/named-queries.ts";
import { AddsTogether } from "./adds-together.ts";
import type { HistoryThreadOptions } from "./history-thread.ts";
import type { FromWorker } from "./protocol.ts";
import { serveCalls } from "./serve-calls.ts";
import { yieldToMainThread } from "./yield-to-main-thread.ts";

/**
 * The thread that has the database. Queries of sqlite are synchronous: here they hold up nothing but each other. A call
 * that cannot be answered is refused at once, never kept, because what is to be recorded waits on the other side.
 */

const OPEN_AGAIN_MS = 5_000;
/** They erase, or tell all that is kept: a case that was asked for before them must not come after them. */
const AFTER_CASES: ReadonlySet<string> = new Set<QueryName>([
  "guild.setRetention",
  "guild.turnedOff",
  "privacy.forget",
  "privacy.export",
  "cases.erasePlayer",
  "cases.departed",
  "cases.eraseDeparted",
]);

interface Opened {
  readonly database: HistoryDatabase;
  readonly context: QueryContext;
  readonly adds: AddsTogether;
}

/** The database is not open, for the reason that it tells. */
class NotOpen extends Error {}

async function serve(port: MessagePort, { url, markKey }: HistoryThreadOptions): Promise<void> {
  const send = (message: FromWorker) => port.postMessage(message);
  const explain = (error: unknown) =>
    error instanceof NotOpen ? error.message : explainDatabaseError(error, url);
  let opened: Opened | undefined;
  let trouble = "it is being opened";
  let isClosing = false;

  async function open(): Promise<void> {
    try {
      const database = await openDatabase(url);
      const context = await openContext(database, markKey);
      opened = { database, context, adds: addsTo(context) };
      send({ kind: "ready" });
    } catch (error) {
      trouble = explain(error);
      send({ kind: "trouble", message: trouble });
      if (!isClosing) setTimeout(() => void open(), OPEN_AGAIN_MS).unref();
    }
  }

  serveCalls(port, {
    explain,
    async answer(name, args) {
      if (opened === undefined) throw new NotOpen(trouble);
      if (name === "cases.add") return await opened.adds.add(args as AddArgs);
      const query = (namedQueries as Readonly<Record<string, unknown>>)[name];
      if (typeof query !== "function") throw new TypeError(`there is no query ${name}`);
      if (AFTER_CASES.has(name)) await opened.adds.settle();
      return await query(opened.context, args);
    },
    async close() {
      isClosing = true;
      const before = opened;
      opened = undefined;
      trouble = "the bot is stopping";
      await before?.adds.settle();
      await before?.database.close();
    },
  });
  await open();
}

function addsTo(context: QueryContext): AddsTogether {
  return new AddsTogether({
    addAll: (asked) => addAll(context, asked),
    monotonicMs: () => performance.now(),
    after: (delayMs, work) => void setTimeout(work, delayMs),
  });
}

if (parentPort !== null) {
  yieldToMainThread();
  await serve(parentPort, workerData as HistoryThreadOptions);
}
