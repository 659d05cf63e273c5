import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Worker } from "node:worker_threads";

/** Where Node tells of a new thread in the same turn; `process.on("worker")` comes when it may have been asked already. */
const STARTED = "worker_threads";

/**
 * The threads of this process that owe something: an answer that names the `id` of a message, one for each request of
 * several that go together, or their end after a message that is one word.
 */
export class BusyThreads {
  readonly #owed = new Map<Worker, Set<unknown>>();
  readonly #onStarted = (message: unknown) => this.#watch((message as { readonly worker: Worker }).worker);

  /** Sees the threads that start from now on. */
  constructor() {
    subscribe(STARTED, this.#onStarted);
  }

  get isAny(): boolean {
    for (const ids of this.#owed.values()) if (ids.size > 0) return true;
    return false;
  }

  close(): void {
    unsubscribe(STARTED, this.#onStarted);
  }

  #watch(worker: Worker): void {
    const owed = new Set<unknown>();
    this.#owed.set(worker, owed);
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message, transfer) => {
      for (const id of asked(message)) owed.add(id);
      post(message, transfer);
    };
    worker.on("message", (message) => {
      for (const id of answered(message)) owed.delete(id);
    });
    worker.on("exit", () => this.#owed.delete(worker));
  }
}

/** A call has an id, the store's requests go together as pairs of id and request, and a word asks for the end. */
function asked(message: unknown): readonly unknown[] {
  if (typeof message === "string") return [message];
  return Array.isArray(message) ? firstsOf(message) : ofField(message, "id");
}

function answered(message: unknown): readonly unknown[] {
  return [...ofField(message, "id"), ...ofField(message, "outcomes").flatMap(firstsOf)];
}

function ofField(message: unknown, name: string): readonly unknown[] {
  if (typeof message !== "object" || message === null || !(name in message)) return [];
  return [(message as Readonly<Record<string, unknown>>)[name]];
}

function firstsOf(pairs: unknown): readonly unknown[] {
  return Array.isArray(pairs) ? pairs.map((pair) => (Array.isArray(pair) ? pair[0] : undefined)) : [];
}
