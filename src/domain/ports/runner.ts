import type { Actor } from "../guild.ts";
import type { RunPlan, RunRequest, RunTicket } from "../run.ts";

export interface Runner {
  /** Reads, resolves and judges; sends nothing. Failure "bad-command" for control characters or an empty text. */
  plan(request: RunRequest): Promise<RunPlan>;
  /** A plan made earlier that awaits its confirmation: only by who asked, within its time. Failure "expired"/"denied". */
  confirmed(planId: string, actor: Actor, typedName?: string): Promise<RunTicket>;
  /** For plans that need no confirmation. Failure "denied" or "queue-full". */
  submit(plan: RunPlan): Promise<RunTicket>;
}
