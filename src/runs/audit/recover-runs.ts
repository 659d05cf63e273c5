import PQueue from "p-queue";
import { Failure } from "../../domain/failure.ts";
import { isOpenAnswer } from "../../domain/open-answer.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AnswerPlace, RunAnswers } from "../../domain/ports/run-answers.ts";
import type { RunOutcome, RunRecord } from "../../domain/run.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import { failedOutcome, isOver } from "./run-record.ts";

/** One answer that Discord does not take for a while must not hold the others back until their tokens end. */
const TOLD_AT_ONCE = 8;

export interface RecoverPorts {
  readonly audit: AuditLog;
  readonly answers: RunAnswers;
  readonly late: Pick<LateOutcomes, "addCase" | "expect" | "tell" | "tellRestarted">;
  readonly clock: Clock;
  /** Whether this process serves the guild: rows of other processes may be under way right now. */
  owns(guildId: string): boolean;
  /** The store may be set back by seconds: a run that it calls waiting may have been sent. */
  readonly isStoreInDoubt: boolean;
  /** Looks for it in the server's log. */
  seek(record: RunRecord): void;
}

/**
 * Concludes the runs that a crash left behind. One that was being sent may have run, so it becomes "unknown" and is
 * looked for in the log; one that waited was not sent and never will be. When it resolves, the rows are written. The
 * returned function completes the answers, a few at a time, also those of runs that were over and not yet shown, and of
 * commands that had not answered.
 */
export async function recoverRuns(ports: RecoverPorts): Promise<() => Promise<void>> {
  const { audit, answers, late, clock, owns, isStoreInDoubt } = ports;
  const outcomes = new Map<string, RunOutcome>();
  for await (const row of audit.unfinished()) {
    if (owns(row.guildId)) outcomes.set(row.id, concluded(row, clock.nowMs(), isStoreInDoubt));
  }
  for (const { record } of outcomes.values()) await audit.put(record);

  const places = new Map<string, AnswerPlace | undefined>();
  /** Those that were over: of these alone the stored status is what an earlier process has shown, or would have. */
  const stored = new Set<string>();
  /** Those whose answer shows the outcome. */
  const shown = new Set<string>();
  const open = new Map<string, AnswerPlace>();
  for await (const { runId, guildId, place, isShown } of answers.all()) {
    if (!owns(guildId)) continue;
    if (isOpenAnswer(runId) && place !== undefined) {
      open.set(runId, place);
      continue;
    }
    places.set(runId, place);
    const record = outcomes.has(runId) ? undefined : await audit.get(guildId, runId);
    if (record !== undefined && isOver(record.status)) {
      outcomes.set(runId, { record });
      stored.add(runId);
      if (isShown === true) shown.add(runId);
    } else if (!outcomes.has(runId)) await answers.forget(runId);
  }

  // Whoever asked reads that the log is looked into, and the process that did is gone. The log may show a run at once:
  // each is expected before it is looked for.
  for (const { record } of outcomes.values()) {
    if (record.status !== "unknown" || record.proof !== "unchecked") continue;
    late.expect(record, places.get(record.id));
    ports.seek(record);
  }

  // A run that is known completes its answer itself.
  const ofRuns = new Set([...outcomes.keys()].map((runId) => places.get(runId)?.token));
  return async () => {
    const queue = new PQueue({ concurrency: TOLD_AT_ONCE });
    const add = (tell: () => Promise<void>) => queue.add(() => tell().catch(onlyStopped));
    await Promise.all([
      ...[...open].map(([id, place]) =>
        add(() => (ofRuns.has(place.token) ? answers.forget(id) : late.tellRestarted(id, place))),
      ),
      ...[...outcomes].map(([id, outcome]) => {
        if (shown.has(id)) return add(() => late.addCase(outcome.record, places.get(id)));
        const replacesOutcome = stored.has(id) && outcome.record.status === "unknown";
        return add(() => late.tell(outcome, places.get(id), { replacesOutcome }));
      }),
    ]);
  };
}

/** What is not told when this process stops is told by the next one. */
function onlyStopped(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

function concluded(row: RunRecord, nowMs: number, isStoreInDoubt: boolean): RunOutcome {
  const failure =
    row.status === "sending" || isStoreInDoubt
      ? new Failure("unreachable", "It may have run. Marshal won't send it again.", { ran: "unknown" })
      : new Failure("expired", "Marshal stopped while the command was waiting.");
  return failedOutcome(row, { failure, nowMs, interrupted: true });
}
