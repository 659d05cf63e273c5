import { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { TypedBy } from "../../domain/ports/service-client.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import { CancelToken } from "../http/cancel-token.ts";
import type { WireHead } from "../http/classify.ts";
import type { Route } from "./bucket-registry.ts";
import type { CounterState } from "./counter-group.ts";
import type { Waiter, WaitingClass } from "./turn-order.ts";

/** A request as the client asks for it; the key is opened only when it is written. */
export interface Exchange {
  readonly source: SourceId;
  readonly key: ServerKey;
  readonly route: Route;
  readonly waitingClass: WaitingClass;
  /** The guild whose person waits; absent where no person does. */
  readonly turn?: string | undefined;
  readonly path: string;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** A typed key that nobody has linked: one refusal is the answer, no second opinion is asked. */
  readonly proving?: boolean | undefined;
  /** Who typed it. */
  readonly typedBy?: TypedBy | undefined;
  /** A parked key, asked once more by ourselves. */
  readonly isAskedAgain?: boolean | undefined;
  /** Asked right before it is written: false refuses it with "expired", unsent (ServiceClient.command). */
  readonly mayStart?: (() => boolean) | undefined;
  /** Called when it has left the gate (ReadOptions.onSent). */
  readonly onSent?: (() => void) | undefined;
  /** Called at its first byte, until which it may be called back; again where it is sent again. */
  readonly onWritten?: (() => void) | undefined;
}

/** The answer of a request that the service took. */
export interface Answered {
  readonly json: unknown;
  /** The answer's own Date, epoch milliseconds. */
  readonly dateMs: number | undefined;
  /** When it was written and when its answer was read, epoch milliseconds. */
  readonly sentAtMs: number;
  readonly readAtMs: number;
}

/** A request that waits or is on its way, and the promise of its caller. */
export interface Job extends Waiter {
  readonly exchange: Exchange;
  readonly probe: boolean;
  /** When it was asked for. */
  readonly askedMs: number;
  /** It left the gate once; a halt or a 429 may have sent it back. */
  hasLeft: boolean;
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: unknown) => void;
}

/** One job on its way. */
export interface InFlightRequest {
  readonly job: Job;
  readonly buckets: readonly CounterState[];
  readonly cancel: CancelToken;
  /** Monotonic milliseconds, as all times here. */
  readonly dispatchedMs: number;
  /** When the first byte was written. */
  startedMs: number | undefined;
  /** The first line of an answer came, whatever became of the rest. */
  isAnswered: boolean;
  /** What came of an answer that refuses: it counts, whatever becomes of its body. */
  refusal: WireHead | undefined;
  hasEnded: boolean;
}

/** What is on its way: how much for each key, until when, and how to call back what was not written yet. */
export class InFlight {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #onAborted: (request: InFlightRequest, reason: unknown) => void;
  /** In the order of their deadlines, since all have the same time. */
  readonly #requests: InFlightRequest[] = [];
  readonly #ofKey = new Map<SourceId, number>();
  #watching = false;
  #onAllEnded: () => void = () => {};

  /** `onAborted` is called at once: a transport may be slow to notice. */
  constructor(
    clock: Clock,
    deadlineMs: number,
    onAborted: (request: InFlightRequest, reason: unknown) => void,
  ) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#onAborted = onAborted;
  }

  get size(): number {
    return this.#requests.length;
  }

  /** How many carry this key. */
  ofKey(source: SourceId): number {
    return this.#ofKey.get(source) ?? 0;
  }

  /** Whether a 429 is being read: how long it asks to wait is not known yet, but nothing may be written meanwhile. */
  get isBeingStopped(): boolean {
    return this.#requests.some(({ refusal }) => refusal?.status === 429);
  }

  of(job: Job): InFlightRequest | undefined {
    return this.#requests.find((request) => request.job === job);
  }

  launch(job: Job, buckets: readonly CounterState[], dispatchedMs: number): InFlightRequest {
    const cancel = new CancelToken();
    const request: InFlightRequest = {
      job,
      buckets,
      cancel,
      dispatchedMs,
      startedMs: undefined,
      isAnswered: false,
      refusal: undefined,
      hasEnded: false,
    };
    this.#requests.push(request);
    const { source } = job.exchange;
    this.#ofKey.set(source, this.ofKey(source) + 1);
    this.#watch();
    return request;
  }

  /** The request ended in whatever way. False: it had ended before. */
  end(request: InFlightRequest): boolean {
    if (request.hasEnded) return false;
    request.hasEnded = true;
    this.#requests.splice(this.#requests.indexOf(request), 1);
    const { source } = request.job.exchange;
    const left = this.ofKey(source) - 1;
    if (left > 0) this.#ofKey.set(source, left);
    else this.#ofKey.delete(source);
    if (this.#requests.length === 0) this.#onAllEnded();
    return true;
  }

  /** Ends it from our side. */
  abort(request: InFlightRequest, reason: unknown): void {
    request.cancel.call(reason);
    this.#onAborted(request, reason);
  }

  /** Calls back what has not been written, all of it or what is meant: after the first byte nothing can be. */
  cancelUnwritten(reason: unknown, isMeant: (exchange: Exchange) => boolean = () => true): void {
    for (const request of [...this.#requests])
      if (request.startedMs === undefined && isMeant(request.job.exchange)) this.abort(request, reason);
  }

  /** Listens to what was written for a while, then gives it up. */
  async drain(forMs: number, reason: unknown): Promise<void> {
    if (this.#requests.length > 0)
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(forMs, resolve);
        this.#onAllEnded = () => {
          cancel();
          resolve();
        };
      });
    for (const request of [...this.#requests]) this.abort(request, reason);
  }

  /** One timer for all: one for each costs more than the poll it watches. */
  #watch(): void {
    const [oldest] = this.#requests;
    if (this.#watching || oldest === undefined) return;
    this.#watching = true;
    const dueMs = oldest.dispatchedMs + this.#deadlineMs;
    this.#clock.after(Math.max(0, dueMs - this.#clock.monotonicMs()), () => {
      this.#watching = false;
      const overdueMs = this.#clock.monotonicMs() - this.#deadlineMs;
      for (const request of [...this.#requests])
        if (request.dispatchedMs <= overdueMs)
          this.abort(request, new Failure("unreachable", "The game service did not answer in time."));
      this.#watch();
    });
  }
}
