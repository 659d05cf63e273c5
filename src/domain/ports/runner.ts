import type { Actor } from "../guild.ts";
import type { PlanFate, RunPlan, RunRecord, RunRequest, SubmittedRun } from "../run.ts";

export interface Runner {
  /** Reads, resolves and judges; sends nothing. Failure "bad-command" for control characters or an empty text. */
  plan(request: RunRequest): Promise<RunPlan>;
  /** A plan that still awaits its confirmation by this person; undefined: answered, expired or another's. */
  awaiting(planId: string, actor: Actor): RunPlan | undefined;
  /** What became of a plan within the last minute. */
  fateOf(planId: string): PlanFate;
  /** A plan made earlier that awaits its confirmation: only by who asked, within its time. Failure "expired"/"denied"; "bad-command" for a wrong name, after which it still waits. */
  confirmed(planId: string, actor: Actor, typedName?: string): Promise<SubmittedRun>;
  /**
   * Refuses what is known to be refused, so that nobody is asked whether to send it; the audit shows it as failed.
   * Failure "key-rejected" or "not-authorised".
   */
  refuseUnsendable(plan: RunPlan): Promise<void>;
  /** For plans that need no confirmation. Failure "denied" or "queue-full". */
  submit(plan: RunPlan): Promise<SubmittedRun>;
  /** Looks in the game's log once more for a run of whose outcome nothing is known. */
  seek(record: RunRecord): void;
}
