import { Failure } from "../domain/failure.ts";
import type { ListName, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";

export interface ReaderParts {
  readonly client: ServiceClient;
  /** Each is awaited before the source is polled again: a slow store slows polling and loses nothing. */
  readonly listeners: readonly SnapshotListener[];
  /** Given each answer at once, before the listeners, with the monotonic moment of asking. */
  readonly record: (snapshot: Snapshot, askedMs: number) => void;
  readonly clock: Clock;
  /** The event loop's: between two answers other events are handled. Absent: answers do not wait for one another. */
  readonly nextTurn?: (() => Promise<void>) | undefined;
  /** Something that is not a Failure: logged with its stack by the caller. */
  readonly onDefect: (error: unknown) => void;
}

/** What came of one read, and who is to wait because of it. Times are monotonic milliseconds. */
export type Outcome =
  | { readonly kind: "kept"; readonly snapshot: Snapshot; readonly askedMs: number }
  /** `code`: of the failure, "store" when a listener could not keep the answer, or "defect". */
  | { readonly kind: "failed"; readonly code: string; readonly leastWaitMs: number }
  /** Not this server's fault: everything waits, and the server keeps its place. */
  | { readonly kind: "halted"; readonly code: string; readonly waitMs: number }
  | { readonly kind: "stopped" };

const FIRST_PAUSE_MS = 2_000;
const WAIT_AFTER_FAILURE_MS = 1_000;
/** A server that must not be read (its owner allows only other hosts, say) is asked again, rarely. */
const UNAUTHORISED_AGAIN_MS = 15 * 60_000;

/** Reads a source and hands the answer to everybody who listens. */
export class SourceReader {
  readonly #parts: ReaderParts;
  /** Answers come in after one another. */
  #turns: Promise<void> = Promise.resolve();

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Never rejects. `onSent` is called when the request has left the gate. */
  async read(
    source: SourceId,
    lists: readonly ListName[],
    signal: AbortSignal,
    onSent: () => void,
  ): Promise<Outcome> {
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
      return signal.aborted ? { kind: "stopped" } : this.#failed(error);
    }
  }

  /** Kept only when every listener has kept it: what was not kept is still to be polled. */
  async #keep(snapshot: Snapshot, askedMs: number): Promise<Outcome> {
    const { nextTurn, record, listeners, onDefect } = this.#parts;
    if (nextTurn !== undefined) {
      this.#turns = this.#turns.then(nextTurn);
      await this.#turns;
    }
    record(snapshot, askedMs);
    const kept = await Promise.allSettled(listeners.map((listener) => listener.take(snapshot)));
    const refused = kept.find((result) => result.status === "rejected");
    if (refused === undefined) return { kind: "kept", snapshot, askedMs };
    onDefect(refused.reason);
    return { kind: "failed", code: "store", leastWaitMs: WAIT_AFTER_FAILURE_MS };
  }

  #failed(error: unknown): Outcome {
    if (!(error instanceof Failure)) {
      this.#parts.onDefect(error);
      return { kind: "failed", code: "defect", leastWaitMs: WAIT_AFTER_FAILURE_MS };
    }
    const { code, retryAtMs } = error;
    if (code === "rate-limited" || code === "blocked") {
      const waitMs = retryAtMs === undefined ? FIRST_PAUSE_MS : retryAtMs - this.#parts.clock.nowMs();
      return { kind: "halted", code, waitMs };
    }
    const leastWaitMs = code === "not-authorised" ? UNAUTHORISED_AGAIN_MS : WAIT_AFTER_FAILURE_MS;
    return { kind: "failed", code, leastWaitMs };
  }
}
