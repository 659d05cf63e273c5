import type { SourceId } from "../model.ts";
import type { AuditEvent, AuditFilter, AuditFound, RecentRun, RunRecord } from "../run.ts";

export interface AuditLog {
  /** Writes the row durably; called before sending, and again with the outcome. */
  put(record: RunRecord): Promise<void>;
  get(guildId: string, runId: string): Promise<RunRecord | undefined>;
  event(event: AuditEvent): Promise<void>;
  /**
   * Newest first; reads a bounded number of rows and says where it stopped. One search of a guild runs at a time.
   * @throws Failure "busy" while too many searches of this guild wait.
   */
  search(guildId: string, filter: AuditFilter): Promise<AuditFound<RunRecord>>;
  /** Searches the events, in the same way. */
  events(
    guildId: string,
    filter: Pick<AuditFilter, "actorId" | "fromMs" | "toMs" | "limit" | "after">,
  ): Promise<AuditFound<AuditEvent>>;
  /**
   * Runs of one server that were, or may have been, sent at or after `sinceMs` (epoch milliseconds), of all guilds
   * that link it, in the order of sending; those of the last day on which there were any at least. Runs that were
   * refused, cancelled or expired unsent never stand among them, so that no number of those can push a sent one out.
   * For matching with the server's log only: a guild is never shown another guild's text.
   */
  recentRuns(source: SourceId, sinceMs: number): Promise<readonly RecentRun[]>;
  /** Rows that were being sent or waited when the process ended. */
  unfinished(): AsyncIterable<RunRecord>;
  prune(guildId: string, beforeMs: number): Promise<number>;
}

/** What people were refused, for the audit: a few rows a person and minute, then their number. */
export interface Refusals {
  /** Rejects when the store does. */
  noteEvent(event: AuditEvent): Promise<void>;
}
