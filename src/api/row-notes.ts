import type { RowCounts } from "../domain/future-rows.ts";
import type { SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Log } from "../log.ts";

export interface RowNotesParts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log?: Log | undefined;
}

/** An odd row stands in its log for hours, and a busy server is polled each second. */
const LOG_AGAIN_MS = 3_600_000;

const KINDS = {
  unreadable: {
    metric: "marshal_service_rows_skipped_total",
    words: "rows of the service could not be read",
  },
  future: {
    metric: "marshal_service_rows_set_aside_total",
    words: "rows of the service were set aside: their time lies in the future",
  },
} as const;

/** Rows that are left out: counted each time, logged once an hour for each source and reason. */
export class RowNotes {
  readonly #parts: RowNotesParts;
  /** When it was logged last, monotonic milliseconds; the oldest first. */
  readonly #loggedMs = new Map<string, number>();

  constructor(parts: RowNotesParts) {
    this.#parts = parts;
  }

  /** `rows`: how many of which list this answer held. */
  note(source: SourceId, kind: keyof typeof KINDS, rows: RowCounts): void {
    const counts = Object.entries(rows);
    if (counts.length === 0) return;
    const { metric, words } = KINDS[kind];
    for (const [list, count] of counts) this.#parts.metrics.count(metric, { list }, count);

    const nowMs = this.#parts.clock.monotonicMs();
    const id = `${source}/${kind}`;
    if (nowMs - (this.#loggedMs.get(id) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_MS) return;
    for (const [known, atMs] of this.#loggedMs) {
      if (nowMs - atMs < LOG_AGAIN_MS) break;
      this.#loggedMs.delete(known);
    }
    this.#loggedMs.set(id, nowMs);
    this.#parts.log?.warn({ source, rows }, words);
  }
}
