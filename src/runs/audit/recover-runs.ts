import { Failure } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { RunOutcome, RunRecord } from "../../domain/run.ts";
import { failed } from "./run-record.ts";

export interface RecoverPorts {
  readonly audit: AuditLog;
  readonly notifier: Notifier;
  readonly renderer: RunRenderer;
  readonly clock: Clock;
  /** The shards of this process: rows of others may be under way right now. */
  owns(guildId: string): boolean;
  /** Looks for it in the server's log. */
  seek(record: RunRecord): void;
}

/**
 * After a crash: what was being sent may have run, so it becomes "unknown" and is looked for in the log; what waited
 * was not sent and never will be. Both are told to whoever asked. Answers how many there were.
 */
export async function recoverRuns(ports: RecoverPorts): Promise<number> {
  const rows: RunRecord[] = [];
  for await (const row of ports.audit.unfinished()) if (ports.owns(row.guildId)) rows.push(row);
  for (const row of rows) {
    const outcome = concluded(row, ports.clock.nowMs());
    await ports.audit.put(outcome.record);
    if (outcome.record.status === "unknown") ports.seek(outcome.record);
    await ports.notifier.person(row.guildId, row.actorId, ports.renderer.outcome(outcome));
  }
  return rows.length;
}

function concluded(row: RunRecord, nowMs: number): RunOutcome {
  if (row.status === "sending") {
    const why = "Marshal stopped while the command was being sent. It may have run; it is not repeated.";
    return failed(row, new Failure("unreachable", why, { ran: "unknown" }), nowMs);
  }
  const why = "Marshal stopped while the command waited. It was not sent.";
  return failed(row, new Failure("expired", why), nowMs);
}
