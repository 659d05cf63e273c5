import type { Actor } from "../guild.ts";
import type { DeferredRun, RunProgress } from "../run.ts";

export interface RunQueue {
  waiting(guildId: string): Promise<readonly RunProgress[]>;
  /** Cancels a run of one's own; a Manager may cancel any. */
  cancel(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Stores "run when someone joins" for a run that met an empty server; one per person and server. */
  defer(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** The runs that wait until someone joins; `cancel` takes their ids too. */
  deferred(guildId: string): Promise<readonly DeferredRun[]>;
  /** Drops a plan that awaits its confirmation; false: it was answered already, or is another person's. */
  discard(actor: Actor, planId: string): Promise<boolean>;
}
