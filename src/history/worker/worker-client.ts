import { Worker } from "node:worker_threads";
import { BackOff } from "../../domain/back-off.ts";
import { Failure } from "../../domain/failure.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Call, FromWorker, Questions } from "./protocol.ts";

export interface WorkerClientParts {
  /** The program of the thread, which answers with `serveCalls`, and what it is started with. */
  readonly file: URL;
  readonly options: unknown;
  /** What its heap may hold; where that is not enough the thread ends, and comes back. */
  readonly heapMb: number;
  /** How a failed call begins, for people: "The history cannot be read". */
  readonly whatFails: string;
  readonly clock: Clock;
  readonly random: Random;
  /** What keeps the thread from working, in words for the operator; undefined: it works again. */
  onTrouble(message: string | undefined): void;
  /** A defect in what answers. */
  onDefect(message: string): void;
}

interface Waiting {
  readonly settle: (message: FromWorker & { readonly kind: "answer" | "failed" }) => void;
  /** The thread is gone. */
  readonly lose: (why: string) => void;
}

/** A person waits for an answer that long; a slower one is of no use to them. */
const ANSWER_WITHIN_MS = 10_000;
/** Calls that wait for the worker; beyond it a call fails at once. */
const MOST_WAITING = 500;
const CLOSE_WITHIN_MS = 2_000;
const YOUNG_HEAP_MB = 24;

/**
 * The main thread's end of a thread that answers by name. Nothing here waits for it but the promise of the call itself;
 * a thread that ends comes back after a while.
 */
export class WorkerClient<Q extends Questions> {
  readonly #parts: WorkerClientParts;
  readonly #backOff: BackOff;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #cancelRestart: () => void = () => undefined;
  #lastId = 0;
  #isOpen = false;
  #isStopping = false;

  constructor(parts: WorkerClientParts) {
    this.#parts = parts;
    this.#backOff = new BackOff(parts.clock, parts.random);
  }

  /** Does nothing once it was stopped. */
  start(): void {
    if (this.#isStopping) return;
    const { file, options: workerData, heapMb } = this.#parts;
    // What this process was started with (`--import` above all) is not for the thread.
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
    const worker = new Worker(file, { workerData, resourceLimits, execArgv: [] });
    this.#worker = worker;
    worker.on("message", (message: FromWorker) => this.#onMessage(message));
    worker.on("error", (error) => this.#onEnd(`its thread failed: ${String(error)}`));
    worker.on("exit", () => this.#onEnd("its thread ended"));
  }

  /** Whether it answers: of the history, whether the database is open. */
  get isReady(): boolean {
    return this.#isOpen;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Asks the thread. @throws Failure "store" when what answers fails, or does not answer within `withinMs`
   * @default 10_000; what was asked for may then still be done.
   */
  async call<N extends keyof Q & string>(
    name: N,
    args: Q[N]["args"],
    { withinMs = ANSWER_WITHIN_MS }: { readonly withinMs?: number } = {},
  ): Promise<Q[N]["answer"]> {
    const worker = this.#worker;
    if (worker === undefined) throw this.#unavailable("its thread is not running");
    if (this.#waiting.size >= MOST_WAITING) throw this.#unavailable("too many wait for it");
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    const cancel = this.#parts.clock.after(withinMs, () => {
      this.#waiting.delete(id);
      answer.reject(this.#unavailable("it does not answer in time"));
    });
    const over = () => {
      this.#waiting.delete(id);
      cancel();
    };
    this.#waiting.set(id, {
      lose: (why) => {
        over();
        answer.reject(this.#unavailable("its thread ended", why));
      },
      settle: (message) => {
        over();
        if (message.kind === "answer") answer.resolve(message.value);
        else answer.reject(this.#unavailable("its database does not answer", message.message));
      },
    });
    worker.postMessage({ id, name, args } satisfies Call);
    // The worker answers under the name of the question; the pairing is lost on the type checker only.
    return (await answer.promise) as Q[N]["answer"];
  }

  /** Lets the thread close what it has open; resolves after two seconds at most. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelRestart();
    const worker = this.#worker;
    if (worker === undefined) return;
    // One that loads and was asked nothing has nothing to close, and would hold up a stop that follows a start.
    if (this.#isOpen || this.#waiting.size > 0) await this.#closed(worker);
    await worker.terminate();
  }

  async #closed(worker: Worker): Promise<void> {
    const over = new AbortController();
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const late = this.#parts.clock.sleep(CLOSE_WITHIN_MS, over.signal).catch(() => undefined);
    worker.postMessage("close");
    await Promise.race([ended, late]);
    over.abort();
  }

  #onMessage(message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        this.#isOpen = true;
        this.#backOff.reset();
        this.#parts.onTrouble(undefined);
        break;
      case "trouble":
        this.#parts.onTrouble(message.message);
        break;
      case "failed":
        if (message.isDefect) this.#parts.onDefect(message.message);
        this.#waiting.get(message.id)?.settle(message);
        break;
      case "answer":
        this.#waiting.get(message.id)?.settle(message);
        break;
    }
  }

  /** A worker that ends comes back later; an error comes before its exit, and counts once. */
  #onEnd(why: string): void {
    if (this.#worker === undefined) return;
    this.#worker = undefined;
    this.#isOpen = false;
    for (const { lose } of [...this.#waiting.values()]) lose(why);
    if (this.#isStopping) return;
    this.#parts.onTrouble(why);
    this.#cancelRestart = this.#parts.clock.after(this.#backOff.next(), () => this.start());
  }

  /** The message is for people; what names the database is its cause. */
  #unavailable(why: string, forOperator: string = why): Failure {
    const cause = new Error(forOperator);
    return new Failure("store", `${this.#parts.whatFails}: ${why}.`, { isRead: true, cause });
  }
}

/** What a failed call means, in words for the operator. */
export function operatorsWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Failure && error.cause instanceof Error ? error.cause.message : error.message;
}
