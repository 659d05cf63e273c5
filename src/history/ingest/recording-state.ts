import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Log } from "../../log.ts";
import type { StoredAnswers } from "./recorded-answer.ts";

export interface RecordingStateParts {
  readonly metrics: Metrics;
  readonly log: Log;
  /** Answers that wait to be stored. */
  queued(): number;
  /** Recording goes on after a trouble. */
  onWorking(): void;
}

/** Until its thread has answered for the first time. */
export const BEING_OPENED = "it is being opened";
/** A database that fails this often in a row is away; one failure may be a lock of a moment. */
const FAILED_IN_ROW = 2;
const BEHIND = "its database is slower than answers come, so some are left out";

/** Whether the history is recorded, for the operator: each trouble is counted, and said once when it begins. */
export class RecordingState {
  readonly #parts: RecordingStateParts;
  #trouble: string | undefined = BEING_OPENED;
  #rowsStored = 0;
  #failedInRow = 0;
  #hasToldRefused = false;
  /** Since the last answers were stored. */
  #hasDropped = false;

  constructor(parts: RecordingStateParts) {
    this.#parts = parts;
  }

  /** Why not everything is recorded; undefined: it is. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get rowsStored(): number {
    return this.#rowsStored;
  }

  onStored({ rows, refused, why }: StoredAnswers): void {
    const { metrics, queued } = this.#parts;
    // Of many servers some answer always waits.
    const isKeepingUp = queued() === 0 || !this.#hasDropped;
    const isBack = this.#failedInRow >= FAILED_IN_ROW || (this.#trouble === BEHIND && isKeepingUp);
    this.#failedInRow = 0;
    this.#hasDropped = false;
    this.#rowsStored += rows;
    metrics.count("marshal_history_rows_total", {}, rows);
    if (refused > 0) this.#onRefused(refused, why);
    if (isBack) this.onTrouble(undefined);
  }

  /** `why` is for the operator. */
  onFailed(error: unknown, why: string): void {
    const { metrics, log } = this.#parts;
    metrics.count("marshal_history_failures_total");
    log.debug({ err: error }, "answers of the service could not be recorded; they are tried again");
    this.#failedInRow += 1;
    if (this.#failedInRow >= FAILED_IN_ROW) this.onTrouble(why);
  }

  onDropped(answers: number): void {
    this.#parts.metrics.count("marshal_history_dropped_total", {}, answers);
    this.#hasDropped = true;
    if (this.#trouble === undefined) this.onTrouble(BEHIND);
  }

  /** What keeps the history from being recorded; undefined: nothing does any more. */
  onTrouble(message: string | undefined): void {
    const before = this.#trouble;
    this.#trouble = message;
    if (message === undefined) {
      this.#parts.log.info({}, "the history is recorded");
      this.#parts.onWorking();
    } else if (message !== before) {
      this.#parts.log.warn({ reason: message }, "the history is not recorded");
    }
  }

  /** The rest is stored. Said once: the same row may come with each answer. */
  #onRefused(refused: number, why: string | undefined): void {
    const { metrics, log } = this.#parts;
    metrics.count("marshal_history_refused_rows_total", {}, refused);
    if (!this.#hasToldRefused) log.warn({ reason: why }, "the history skips rows that its database refuses");
    this.#hasToldRefused = true;
  }
}
