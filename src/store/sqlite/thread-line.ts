import { Worker } from "node:worker_threads";
import { StoreError } from "../../domain/failure.ts";
import { errorOf, type PlainError } from "./plain-error.ts";
import type { FileAnswer, FileOutcome, FileRequest, StoreLine } from "./requests.ts";

/** What the thread is started with. */
export interface StoreThreadData {
  readonly path: string;
  readonly lockWaitMs: number;
}

export type ToStoreThread = readonly (readonly [id: number, request: FileRequest])[] | "close";

export type FromStoreThread =
  | { readonly kind: "open" }
  | { readonly kind: "not-open"; readonly error: PlainError }
  /** An error of an outcome is a `PlainError`. */
  | { readonly kind: "ended"; readonly outcomes: readonly (readonly [id: number, outcome: FileOutcome])[] };

export interface ThreadLineOptions extends StoreThreadData {
  /** The program of the thread. @default the one beside this file */
  readonly program?: URL | undefined;
  /** Requests that may wait for the thread. @default 20_000 */
  readonly mostWaiting?: number | undefined;
}

const DEFAULTS = { program: new URL("./sqlite-worker.ts", import.meta.url), mostWaiting: 20_000 } as const;
/** Characters of texts that may wait to be written. */
const MOST_WAITING_CHARS = 64 * 2 ** 20;
/** Its heap holds what waits and a page of what is read; sqlite's own memory is not in it. */
const HEAP_MB = 256;

interface Waiting {
  readonly chars: number;
  readonly settle: PromiseWithResolvers<FileAnswer>;
}

/** Opens a store file in a thread of its own. Rejects as the opening does. */
export async function openThreadLine(options: ThreadLineOptions): Promise<StoreLine> {
  const line = new ThreadLine(options);
  await line.opened;
  return line;
}

class ThreadLine implements StoreLine {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #mostWaiting: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<void>();
  readonly #lost = Promise.withResolvers<string>();
  #waitingChars = 0;
  #lastId = 0;
  /** What is asked while the loop goes round once crosses together: to wake the thread costs more than the words. */
  #unsent: (readonly [number, FileRequest])[] = [];
  /** Why nothing can be asked any more. */
  #over: string | undefined;
  #trouble = "its thread ended";

  constructor({ path, lockWaitMs, ...options }: ThreadLineOptions) {
    const { program = DEFAULTS.program, mostWaiting = DEFAULTS.mostWaiting } = options;
    this.#path = path;
    this.#mostWaiting = mostWaiting;
    const workerData: StoreThreadData = { path, lockWaitMs };
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
    // What this process was started with (`--import` above all) is not for the thread.
    this.#worker = new Worker(program, { workerData, resourceLimits, execArgv: [] });
    this.#worker.on("message", (message: FromStoreThread) => this.#onMessage(message));
    this.#worker.on("error", (error) => {
      this.#trouble = `its thread failed: ${String(error)}`;
    });
    this.#worker.on("exit", () => this.#onExit());
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  ask<R extends FileRequest>(request: R): Promise<FileAnswer<R>> {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return Promise.reject(new StoreError(`${this.#path}: ${refusal}`));
    const id = ++this.#lastId;
    const chars = charsOf(request);
    const settle = Promise.withResolvers<FileAnswer>();
    this.#waiting.set(id, { chars, settle });
    this.#waitingChars += chars;
    if (this.#unsent.push([id, request]) === 1) setImmediate(() => this.#send());
    // The thread answers what was asked under this number; the pairing is lost on the type checker only.
    return settle.promise as Promise<FileAnswer<R>>;
  }

  async close(): Promise<void> {
    if (this.#over === undefined) {
      this.#send();
      this.#over = "it is closed";
      this.#worker.postMessage("close" satisfies ToStoreThread);
    }
    await this.#exited.promise;
  }

  #refusal(request: FileRequest): string | undefined {
    if (this.#over !== undefined) return this.#over;
    if (request.kind === "write" && request.turn !== "in-turn") return undefined;
    const isFull = this.#waiting.size >= this.#mostWaiting || this.#waitingChars >= MOST_WAITING_CHARS;
    return isFull ? "the disk is too slow: too many writes are waiting" : undefined;
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    if (requests.length > 0 && this.#over === undefined)
      this.#worker.postMessage(requests satisfies ToStoreThread);
  }

  #onMessage(message: FromStoreThread): void {
    switch (message.kind) {
      case "open":
        this.#opened.resolve();
        break;
      case "not-open":
        this.#over = "it could not be opened";
        this.#opened.reject(errorOf(message.error));
        break;
      case "ended":
        for (const [id, outcome] of message.outcomes) this.#end(id, outcome);
        break;
    }
  }

  #end(id: number, outcome: FileOutcome): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.#waitingChars -= waiting.chars;
    if (outcome.kind === "answer") waiting.settle.resolve(outcome.value);
    else waiting.settle.reject(errorOf(outcome.error as PlainError));
  }

  /** Whatever still waits has no outcome that anybody knows. */
  #onExit(): void {
    const wasAsked = this.#over !== undefined;
    this.#over ??= this.#trouble;
    const error = new StoreError(`${this.#path}: ${this.#trouble}`);
    this.#opened.reject(error);
    for (const { settle } of this.#waiting.values()) settle.reject(error);
    this.#waiting.clear();
    if (!wasAsked) this.#lost.resolve(`the store can no longer be used: ${error.message}`);
    this.#exited.resolve();
  }
}

function charsOf(request: FileRequest): number {
  if (request.kind !== "write") return 0;
  return request.changes.reduce((sum, change) => {
    const name = "table" in change ? change.list : change.key;
    return sum + name.length + ("text" in change ? (change.text?.length ?? 0) : 0);
  }, 0);
}
