import process from "node:process";
import type { Worker } from "node:worker_threads";

/**
 * The threads of this process that owe something: an answer that names the `id` of a message, or their end after a message
 * that is one word.
 */
export class BusyThreads {
  readonly #owed = new Map<Worker, Set<unknown>>();
  readonly #onWorker = (worker: Worker) => this.#watch(worker);

  /** Sees the threads that start from now on. */
  constructor() {
    process.on("worker", this.#onWorker);
  }

  get isAny(): boolean {
    for (const ids of this.#owed.values()) if (ids.size > 0) return true;
    return false;
  }

  close(): void {
    process.off("worker", this.#onWorker);
  }

  #watch(worker: Worker): void {
    const ids = new Set<unknown>();
    this.#owed.set(worker, ids);
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message, transfer) => {
      const id = idOf(message);
      if (id !== undefined) ids.add(id);
      post(message, transfer);
    };
    worker.on("message", (message) => ids.delete(idOf(message)));
    worker.on("exit", () => this.#owed.delete(worker));
  }
}

function idOf(message: unknown): unknown {
  if (typeof message === "string") return message;
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}
