import type { HistoryQuestions } from "../queries/named-queries.ts";
import { WorkerClient, type WorkerClientParts } from "./worker-client.ts";

export interface HistoryThreadOptions {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
}

export type HistoryThread = WorkerClient<HistoryQuestions>;

export interface HistoryThreadParts extends Omit<WorkerClientParts, "file" | "heapMb" | "whatFails"> {
  readonly options: HistoryThreadOptions;
}

/** Its heap holds who is remembered of the people (200,000 of them 80 MB), last windows, and what is asked for. */
const HEAP_MB = 256;

/** The thread that has the database, from the main one. Starts nothing. */
export function createHistoryThread(parts: HistoryThreadParts): HistoryThread {
  return new WorkerClient({
    ...parts,
    file: new URL("./history-worker.ts", import.meta.url),
    heapMb: HEAP_MB,
    whatFails: "The history cannot be read",
  });
}
