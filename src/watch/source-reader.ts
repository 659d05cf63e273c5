import { Failure, type FailureCode } from "../domain/failure.ts";
import type { ListName, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";

export interface ReaderParts {
  readonly client: ServiceClient;
  /** Each is awaited before the source is polled again: a slow store slows polling and loses nothing. */
  readonly listeners: readonly SnapshotListener[];
  /** Called with each answer before the listeners, and with the monotonic time of asking. */
  readonly record: (snapshot: Snapshot, askedMs: number) => void;
  readonly clock: Clock;
  /** Resolves in the next turn of the event loop, so that other events are handled between answers. @default no wait */
  readonly nextTurn?: (() => Promise<void>) | undefined;
  /** Called with each error that is not a Failure; the caller logs it with its stack. */
  readonly onDefect: (error: unknown) => void;
}

/** The result of one read, and who has to wait because of it. Times are monotonic milliseconds. */
export type ReadOutcome =
  | { readonly kind: "kept"; readonly snapshot: Snapshot; readonly askedMs: number }
  /** `code`: of the failure, "store" when a listener could not keep the answer, or "defect". */
  | {
      readonly kind: "failed";
      readonly code: FailureCode | "defect";
      readonly leastWaitMs: number;
      readonly askedMs: number;
    }
  /** The service halts every request: all polls wait, and this server keeps its place. */
  | { readonly kind: "halted"; readonly code: string; readonly waitMs: number }
  | { readonly kind: "stopped" };

const FIRST_PAUSE_MS = 2_000;
const WAIT_AFTER_FAILURE_MS = 1_000;
/** A server that must not be read (its owner allows only other hosts, say) is asked again, rarely. */
const UNAUTHORISED_AGAIN_MS = 15 * 60_000;

/** Failures of a route, whose time is the end of a wait that the service named or that grows with each failure. */
const OF_ROUTES: ReadonlySet<FailureCode> = new Set<FailureCode>(["platform", "bad-response", "moved"]);

export interface SourceRead {
  readonly source: SourceId;
  readonly lists: readonly ListName[];
  readonly signal: AbortSignal;
  /** Called when the request has left the gate. */
  onSent(): void;
}

/** Reads a source and hands the answer to every listener. */
export class SourceReader {
  readonly #parts: ReaderParts;
  /** The end of the queue of answers, which are taken in one after the other. */
  #latest: Promise<void> = Promise.resolve();

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async read({ source, lists, signal, onSent }: SourceRead): Promise<ReadOutcome> {
    const { client, clock } = this.#parts;
    let askedMs = clock.monotonicMs();
    const options = {
      priority: "poll",
      signal,
      onSent: () => {
        askedMs = clock.monotonicMs();
        onSent();
      },
    } as const;
    try {
      return await this.#keep(await client.read(source, lists, options), askedMs);
    } catch (error) {
      return signal.aborted ? { kind: "stopped" } : this.#failed(error, askedMs);
    }
  }

  /** The answer is kept when every listener has kept it; otherwise the source is polled again. */
  async #keep(snapshot: Snapshot, askedMs: number): Promise<ReadOutcome> {
    const { nextTurn, record, listeners, onDefect } = this.#parts;
    if (nextTurn !== undefined) {
      this.#latest = this.#latest.then(nextTurn);
      await this.#latest;
    }

    record(snapshot, askedMs);
    const kept = await Promise.allSettled(listeners.map((listener) => listener.take(snapshot)));
    const refused = kept.find((result) => result.status === "rejected");
    if (refused === undefined) return { kind: "kept", snapshot, askedMs };

    onDefect(refused.reason);
    return { kind: "failed", code: "store", leastWaitMs: WAIT_AFTER_FAILURE_MS, askedMs };
  }

  #failed(error: unknown, askedMs: number): ReadOutcome {
    if (!(error instanceof Failure)) {
      this.#parts.onDefect(error);
      return { kind: "failed", code: "defect", leastWaitMs: WAIT_AFTER_FAILURE_MS, askedMs };
    }
    const { code, retryAtMs } = error;
    if (code === "rate-limited" || code === "blocked") {
      const waitMs = retryAtMs === undefined ? FIRST_PAUSE_MS : retryAtMs - this.#parts.clock.nowMs();
      return { kind: "halted", code, waitMs };
    }
    const ownMs = code === "not-authorised" ? UNAUTHORISED_AGAIN_MS : WAIT_AFTER_FAILURE_MS;
    // Keys have times of their own, which the schedule knows, and which end early when a key is linked again.
    const toldMs = OF_ROUTES.has(code) ? (retryAtMs ?? 0) - this.#parts.clock.nowMs() : 0;
    return { kind: "failed", code, leastWaitMs: Math.max(ownMs, toldMs), askedMs };
  }
}
