import type { HistoryQuestions } from "../queries/named-queries.ts";
import { WorkerClient, type WorkerClientParts } from "./worker-client.ts";

export interface HistoryThreadOptions {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
}

export type HistoryThread = WorkerClient<HistoryQuestions>;

export interface HistoryThreadParts extends Omit<WorkerClientParts, "file" | "whatFails"> {
  readonly options: HistoryThreadOptions;
}

/** The thread that has the database, from the main one. Starts nothing. */
export function createHistoryThread(parts: HistoryThreadParts): HistoryThread {
  return new WorkerClient({
    ...parts,
    file: new URL("./history-worker.ts", import.meta.url),
    whatFails: "The history cannot be read",
  });
}
