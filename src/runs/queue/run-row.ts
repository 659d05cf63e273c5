import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { RunRecord } from "../../domain/run.ts";

/** An audit row that could not be completed is tried again after these waits, and then no more. */
const REWRITE_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 600_000];

export interface RunRowPorts {
  readonly audit: Pick<AuditLog, "put">;
  readonly clock: Clock;
  report(what: string, error: unknown): void;
}

/** The audit row of one run: its changes reach the store one after the other, in the order in which they were made. */
export class RunRow {
  readonly #ports: RunRowPorts;
  #writes: Promise<void> = Promise.resolve();

  constructor(ports: RunRowPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store does. */
  write(record: RunRecord): Promise<void> {
    const write = this.#writes.then(() => this.#ports.audit.put(record));
    this.#writes = write.catch(() => undefined);
    return write;
  }

  /** Writes the row of a run that is over, several times while the store fails. Never rejects. */
  complete(record: RunRecord, tries = 0): void {
    this.write(record).catch((error: unknown) => {
      this.#ports.report("an audit row could not be completed", error);
      const waitMs = REWRITE_AFTER_MS[tries];
      if (waitMs !== undefined) this.#ports.clock.after(waitMs, () => this.complete(record, tries + 1));
    });
  }

  /** Resolves when each write so far has succeeded or failed. */
  written(): Promise<void> {
    return this.#writes;
  }
}
