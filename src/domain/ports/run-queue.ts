import type { Actor } from "../guild.ts";
import type { DeferredRun, RunRecord } from "../run.ts";

export interface RunQueue {
  waiting(
    guildId: string,
  ): Promise<
    readonly { readonly record: RunRecord; readonly place: number; readonly expectedAtMs: number }[]
  >;
  /** One's own; a Manager's: any. */
  cancel(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Stores "run when someone joins" for a run that met an empty server; one per person and server. */
  defer(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** What waits for someone to join; `cancel` takes their ids too. */
  deferred(guildId: string): Promise<readonly DeferredRun[]>;
  /** Drops a plan that awaits its confirmation; false: it was answered already, or is another person's. */
  discard(actor: Actor, planId: string): Promise<boolean>;
}
