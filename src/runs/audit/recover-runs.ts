import { Failure } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { RunAnswers } from "../../domain/ports/run-answers.ts";
import type { RunOutcome, RunRecord } from "../../domain/run.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import { failed, isOver } from "./run-record.ts";

export interface RecoverPorts {
  readonly audit: AuditLog;
  readonly answers: RunAnswers;
  readonly late: Pick<LateOutcomes, "tell">;
  readonly clock: Clock;
  /** The shards of this process: rows of others may be under way right now. */
  owns(guildId: string): boolean;
  /** Looks for it in the server's log. */
  seek(record: RunRecord): void;
}

/**
 * After a crash: what was being sent may have run, so it becomes "unknown" and is looked for in the log; what waited
 * was not sent and never will be. Each answer is completed, also those of runs that were over and not yet shown.
 * The rows stand when it resolves; people are told one after the other by what it answers.
 */
export async function recoverRuns(ports: RecoverPorts): Promise<() => Promise<void>> {
  const { audit, answers, clock, owns } = ports;
  const outcomes = new Map<string, RunOutcome>();
  for await (const row of audit.unfinished()) {
    if (owns(row.guildId)) outcomes.set(row.id, concluded(row, clock.nowMs()));
  }
  for (const { record } of outcomes.values()) {
    await audit.put(record);
    if (record.status === "unknown") ports.seek(record);
  }

  const places = new Map<string, Parameters<LateOutcomes["tell"]>[1]>();
  for await (const { runId, guildId, place } of answers.all()) {
    if (!owns(guildId)) continue;
    places.set(runId, place);
    const record = outcomes.has(runId) ? undefined : await audit.get(guildId, runId);
    if (record !== undefined && isOver(record.status)) outcomes.set(runId, { record });
    else if (!outcomes.has(runId)) await answers.forget(runId);
  }

  return async () => {
    for (const [runId, outcome] of outcomes) await ports.late.tell(outcome, places.get(runId));
  };
}

function concluded(row: RunRecord, nowMs: number): RunOutcome {
  const failure =
    row.status === "sending"
      ? new Failure("unreachable", "It may have run; Marshal does not repeat it.", { ran: "unknown" })
      : new Failure("expired", "The process ended while the command waited.");
  return failed(row, { failure, nowMs, interrupted: true });
}
